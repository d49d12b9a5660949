/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rasvbr.h"

#include <math.h>
#include <string.h>

#define OTHER 0
#define KEY 1
#define CREDIT (1.0 / 8) /* of b, that may be left unused and taken later */
#define CATCH_UP 2.0     /* x what was left unused, asked of an encoder that takes a rate: it follows slowly */
#define HORIZON_MAX 300
#define TARGET_MIN 0.1 /* of r dt */
#define STEP_MAX 0.3   /* change of ln step between two frames that are not key frames */
#define STAY 0.75      /* of the way to the next value, before it is taken */
#define KEY_ROOM 0.8   /* of b, that a key frame may fill */
#define FRAME_S_MAX 1.0
#define FRAME_S_MIN 1e-4

static double
clamp (double v, double lo, double hi)
{
  return v < lo || isnan (v) ? lo : v > hi ? hi : v;
}

static int
clamp_int (int v, int lo, int hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

static bool
falls (const QuantizerScale *scale)
{
  return scale->step[scale->last] < scale->step[scale->first];
}

void
rasvbr_params_init (RasvbrParams *params, const QuantizerScale *scale)
{
  int third = (scale->last - scale->first) / 3;

  memset (params, 0, sizeof *params);
  params->interval = RASVBR_PER_FRAME;
  params->scale = *scale;
  params->lowest = scale->first;
  params->highest = scale->last;
  params->nominal = falls (scale) ? scale->last - third : scale->first + third;
  params->bucket_s = 0.6;
  params->rate_Bps = 37500;
  params->gop_frames = 12;
  params->decay = 100;
  params->key_ratio = 0.75;
  params->frame_s = 1.0 / 30;
}

static void
take_params (Rasvbr *s, const RasvbrParams *params)
{
  RasvbrParams *p = &s->params;

  *p = *params;
  p->lowest = clamp_int (params->lowest, p->scale.first, p->scale.last);
  p->highest = clamp_int (params->highest, p->lowest, p->scale.last);
  p->nominal = clamp_int (params->nominal, p->lowest, p->highest);
  p->bucket_s = clamp (params->bucket_s, 0.001, 3600);
  p->bucket_bytes = clamp (params->bucket_bytes, 0, 1e12);
  p->rate_Bps = clamp (params->rate_Bps, 1, 1e12);
  p->gop_frames = clamp_int (params->gop_frames, 1, 3000);
  p->key_distance = clamp_int (params->key_distance, 0, INT32_MAX);
  p->decay = clamp (params->decay, 1e-3, 1e9);
  p->key_ratio = clamp (params->key_ratio, 0.01, 1);
  p->frame_s = clamp (params->frame_s, FRAME_S_MIN, FRAME_S_MAX);
  s->Q = clamp_int (s->Q, p->lowest, p->highest);
  for (int kind = OTHER; kind <= KEY; kind++)
    s->value[kind] = clamp_int (s->value[kind], p->lowest, p->highest);
}

void
rasvbr_init (Rasvbr *s, const RasvbrParams *params)
{
  memset (s, 0, sizeof *s);
  take_params (s, params);
  s->rate_Bps = s->params.rate_Bps;
  s->frame_s = s->params.frame_s;
  s->Q = s->value[OTHER] = s->value[KEY] = s->params.nominal;
  frame_model_init (&s->model[OTHER]);
  frame_model_init (&s->model[KEY]);
}

void
rasvbr_set_params (Rasvbr *s, const RasvbrParams *params)
{
  take_params (s, params);
}

void
rasvbr_on_rate (Rasvbr *s, double rate_Bps, double backlog)
{
  bool coupled = s->params.coupling == RASVBR_BACKLOG;

  if (!isfinite (rate_Bps) || rate_Bps <= 0 || (coupled && !(isfinite (backlog) && backlog >= 0))) {
    s->stats.rejected++;
    return;
  }
  s->rate_Bps = coupled ? fmax (rate_Bps * exp (-backlog / s->params.decay), 1) : rate_Bps;
  s->fed_Bps += s->rate_Bps;
  s->feedbacks++;
}

double
rasvbr_leak_rate (const Rasvbr *s)
{
  bool mean = s->params.interval == RASVBR_PER_GOP && s->params.coupling == RASVBR_BACKLOG && s->feedbacks > 0;

  return mean ? s->fed_Bps / s->feedbacks : s->rate_Bps;
}

static double
bucket_at (const Rasvbr *s, double rate_Bps)
{
  return s->params.bucket_bytes > 0 ? s->params.bucket_bytes : s->params.bucket_s * rate_Bps;
}

double
rasvbr_bucket (const Rasvbr *s)
{
  return bucket_at (s, rasvbr_leak_rate (s));
}

/* Hamdi's weights: open loop with the bucket empty, constant rate with it full. */
static void
estimate (Rasvbr *s, double r, double b)
{
  double full = clamp (s->X / b, 0, 1);

  s->e1 = 1 - pow (1 - full, 5);
  s->e2 = pow (full, 5);
  s->R_hat = s->R_open > r ? (1 - s->e1) * s->R_open + s->e1 * r : s->e2 * s->R_open + (1 - s->e2) * r;
}

/* b' is the mean of b over the GOP, as r' is of r: both are in the same proportion. */
static void
end_gop (Rasvbr *s)
{
  double q = quantizer_scale_step (&s->params.scale, s->params.nominal), full_gop = s->params.gop_frames;
  double span = s->frame_s * s->gop_frame, r = rasvbr_leak_rate (s);
  double leak = s->params.coupling == RASVBR_BACKLOG ? r * span : s->leak;

  /* Paper E equation 3, 4 */
  s->X = fmin (bucket_at (s, leak / span), fmax (0, s->X - leak) + s->gop_bytes);
  if (s->gop_bytes > 0) {
    s->R_open = s->gop_bytes * full_gop / s->gop_frame * exp (s->gop_logs / s->gop_bytes) / q;
    estimate (s, r * s->frame_s * full_gop, bucket_at (s, r));
    /* Paper E equation 2 */
    s->Q = quantizer_scale_nearest (&s->params.scale, q * s->R_open / s->R_hat, s->params.lowest, s->params.highest);
  }
  s->leak = s->gop_bytes = s->gop_logs = s->fed_Bps = 0;
  s->gop_frame = s->feedbacks = 0;
  s->stats.gops++;
}

static void
count_gop (Rasvbr *s, double bytes, bool key, double step)
{
  if (key && s->gop_frame > 0)
    end_gop (s);
  s->gop_frame++;
  s->gop_bytes += bytes;
  s->gop_logs += bytes * log (step);
  s->leak += s->rate_Bps * s->frame_s;
  if (s->gop_frame >= s->params.gop_frames)
    end_gop (s);
}

/* Frames seldom come at even distances, and one dropped is no slower camera. */
static void
measure_interval (Rasvbr *s, double seconds)
{
  if (seconds >= FRAME_S_MIN && seconds <= FRAME_S_MAX)
    s->frame_s += (clamp (seconds, s->frame_s / 2, s->frame_s * 2) - s->frame_s) / 8;
}

static double
leaked (const Rasvbr *s, double seconds)
{
  return fmax (s->level - s->rate_Bps * seconds, -CREDIT * rasvbr_bucket (s));
}

void
rasvbr_on_frame (Rasvbr *s, uint32_t bytes, bool key, int value, CcTime now)
{
  double seconds = s->started ? cc_seconds (cc_time_since (now, s->frame_at)) : 0;
  double step = quantizer_scale_step (&s->params.scale, value);

  if (bytes == 0) {
    s->stats.rejected++;
    return;
  }
  if (s->started)
    measure_interval (s, seconds);
  key = key && s->params.key_distance != 1;
  s->level = leaked (s, seconds) + bytes;
  s->stats.overflows += s->level > rasvbr_bucket (s);
  frame_model_on_frame (&s->model[key ? KEY : OTHER], bytes, step);
  s->value[key ? KEY : OTHER] = clamp_int (value, s->params.lowest, s->params.highest);
  s->since_key = key ? 1 : clamp_int (s->since_key + 1, 0, INT32_MAX - 1);
  s->stats.frames++;
  s->stats.key_frames += key;
  count_gop (s, bytes, key, step);
  s->frame_at = now;
  s->started = true;
}

static bool
key_is_due (const Rasvbr *s)
{
  return s->params.key_distance > 1 && s->since_key >= s->params.key_distance;
}

/* n: the frames over which the level is to be brought back. */
static double
horizon (const Rasvbr *s)
{
  double r_dt = s->rate_Bps * s->frame_s, most = clamp (rasvbr_bucket (s) / r_dt, 2, HORIZON_MAX);

  if (s->params.key_distance <= 1)
    return most;
  return clamp (s->params.key_distance - s->since_key, most / 3, most);
}

static double
other_target (const Rasvbr *s)
{
  double r_dt = s->rate_Bps * s->frame_s, L = leaked (s, s->frame_s);

  return clamp (r_dt - L / horizon (s), TARGET_MIN * r_dt, fmax (rasvbr_bucket (s) - L, TARGET_MIN * r_dt));
}

/* No model yet: the first frame, or only key frames so far. */
static double
other_step (const Rasvbr *s)
{
  double last = quantizer_scale_step (&s->params.scale, s->value[OTHER]);
  double step = frame_model_step (&s->model[OTHER], other_target (s));

  if (step == 0)
    return last;
  /* an overflow ahead is worse than a picture that changes */
  if (s->level > rasvbr_bucket (s))
    return step;
  return clamp (step, last * exp (-STEP_MAX), last * exp (STEP_MAX));
}

static double
key_step (const Rasvbr *s)
{
  double step = quantizer_scale_step (&s->params.scale, s->value[OTHER]) * s->params.key_ratio;
  double room = KEY_ROOM * rasvbr_bucket (s) - fmax (0, leaked (s, s->frame_s));

  return fmax (step, frame_model_step (&s->model[KEY], fmax (room, s->rate_Bps * s->frame_s)));
}

/* Back and forth between two values helps nobody. */
static int
settle (const Rasvbr *s, double step)
{
  int value = quantizer_scale_nearest (&s->params.scale, step, s->params.lowest, s->params.highest);
  int last = clamp_int (s->value[OTHER], s->params.lowest, s->params.highest);
  double from = quantizer_scale_step (&s->params.scale, last), to = quantizer_scale_step (&s->params.scale, value);

  if (value == last + 1 || value == last - 1)
    return fabs (step - from) < STAY * fabs (to - from) ? last : value;
  return value;
}

int
rasvbr_next (const Rasvbr *s, bool key)
{
  key = (key || key_is_due (s)) && s->params.key_distance != 1;
  if (s->params.interval == RASVBR_PER_GOP)
    return s->Q;
  if (!s->started)
    return s->params.nominal;
  if (key)
    return quantizer_scale_nearest (&s->params.scale, key_step (s), s->params.lowest, s->params.highest);
  return settle (s, other_step (s));
}

double
rasvbr_target (const Rasvbr *s, bool key)
{
  double step = quantizer_scale_step (&s->params.scale, rasvbr_next (s, key));

  if (!s->started)
    return 0;
  if (s->params.interval == RASVBR_PER_GOP)
    return s->R_hat / s->params.gop_frames;
  if ((key || key_is_due (s)) && s->params.key_distance != 1)
    return frame_model_bytes (&s->model[KEY], step);
  return other_target (s);
}

double
rasvbr_rate (const Rasvbr *s)
{
  double r = rasvbr_leak_rate (s), L = s->started ? leaked (s, s->frame_s) : 0, gain = L < 0 ? CATCH_UP : 1;

  return clamp (r * (1 - gain * L / rasvbr_bucket (s)), r / 2, (1 + CATCH_UP * CREDIT) * r);
}

double
rasvbr_fullness (const Rasvbr *s)
{
  return (s->params.interval == RASVBR_PER_GOP ? s->X : s->level) / rasvbr_bucket (s);
}
