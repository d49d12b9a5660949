/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoderrate.h"

#include <math.h>
#include <string.h>

#define SETTLE (600 * CC_MSECOND) /* an encoder's own lag after a step */
#define STEP 0.15                 /* a change that makes earlier measurements worthless */
#define CONTENT_LIMITED 0.65      /* below this share of the rate asked the picture needs no more */
#define OVER 1.4
#define OVER_S 3.0
#define FADE_S 1.0
#define BUFFER_FRAMES 3   /* with less x264 leaves up to a third of its rate unused */
#define COARSEST_BPP 0.06 /* bits per pixel; with less x264 skips nearly all of each picture, for seconds */
#define FRAMES_TO_TELL 8
#define FORGIVEN_S 2.0 /* a debt the encoder does not seem to keep is forgotten */

static double
clamp (double v, double lo, double hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

static bool
usable (double v)
{
  return isfinite (v) && v >= 0;
}

void
encoder_rate_params_init (EncoderRateParams *params)
{
  memset (params, 0, sizeof *params);
  params->max_bps = 1e10;
  params->margin = 0.03;
  params->path_margin = 0.1;
  params->drain = 300 * CC_MSECOND;
  params->max_drain = 0.5;
  params->correction_min = 0.7;
  params->correction_max = 1.15;
  params->key_unit_share = 0.3;
  params->max_key_spacing = 5 * CC_SECOND;
}

void
encoder_rate_init (EncoderRate *e, const EncoderRateParams *params)
{
  memset (e, 0, sizeof *e);
  e->params = *params;
  e->correction = 1;
  e->instant.tau_s = 0.1;
  e->fast.tau_s = 0.5;
  e->slow.tau_s = 2;
}

static void
mean_restart (EncoderRateMean *m)
{
  m->produced_bits = m->asked_bits = m->seconds = 0;
}

static void
mean_elapse (EncoderRateMean *m, double seconds, double asked_bps)
{
  double keep = exp (-seconds / m->tau_s);

  m->produced_bits *= keep;
  m->asked_bits = m->asked_bits * keep + asked_bps * seconds;
  m->seconds = m->seconds * keep + seconds;
}

static double
mean_rate (const EncoderRateMean *m)
{
  return m->seconds > 0 ? m->produced_bits / m->seconds : 0;
}

/* What was measured is worthless after a step of the network's, not after one made to drain the buffer: an encoder
   that is off brings about these itself, and would else never be found out. */
static void
set_rate (EncoderRate *e, double bps, CcTime now)
{
  double base = e->allowed_known ? e->allowed_bps : bps;

  if (fabs (base - e->stepped_from_bps) > STEP * e->stepped_from_bps) {
    e->stepped_at = now;
    e->stepped_from_bps = base;
    mean_restart (&e->slow);
  }
  e->set_bps = bps;
  e->changed_at = now;
}

void
encoder_rate_set_start (EncoderRate *e, double bps, CcTime now)
{
  if (usable (bps))
    set_rate (e, bps, now);
}

void
encoder_rate_on_allowed (EncoderRate *e, double bps, double backlog_bytes, double frame_budget_bytes, CcTime now)
{
  if (!usable (bps) || !usable (backlog_bytes) || !usable (frame_budget_bytes)) {
    e->rejected++;
    return;
  }
  e->allowed_known = true;
  e->allowed_bps = bps;
  e->backlog_bytes = backlog_bytes;
  e->frame_budget_bytes = frame_budget_bytes;
}

void
encoder_rate_on_path_limit (EncoderRate *e, bool path_limits)
{
  e->path_limits = path_limits;
}

/* The factor that would make the encoder hit what is asked, from what it made of what it was asked; an old one fades
   where there is nothing new to measure. */
static void
correct (EncoderRate *e, double seconds)
{
  double gain, target = 1;

  if (e->slow.seconds < 1 || e->slow.asked_bits <= 0) {
    e->correction += (1 - e->correction) * (1 - exp (-seconds / FADE_S));
    return;
  }
  gain = e->slow.produced_bits / e->slow.asked_bits;
  /* A quiet picture is no error of the encoder's, and the next one need not be quiet. */
  if (gain >= CONTENT_LIMITED)
    target = 1 / gain;
  e->correction = clamp (target, e->params.correction_min, e->params.correction_max);
}

static void
watch (EncoderRate *e, double seconds)
{
  if (e->fast.asked_bits > 0 && e->fast.produced_bits > OVER * e->fast.asked_bits)
    e->over_s += seconds;
  else
    e->over_s = fmax (0, e->over_s - seconds);
}

/* What the encoder has put out beyond what was asked, as it keeps account itself. */
static void
account (EncoderRate *e, double seconds)
{
  double limit = cc_seconds (e->params.max_debt) * e->set_bps;

  if (e->params.max_debt == 0)
    return;
  e->debt_bits = fmax (0, e->debt_bits * exp (-seconds / FORGIVEN_S) + 8 * e->frame_bytes - e->set_bps * seconds);
  e->indebted = e->debt_bits > (e->indebted ? limit / 2 : limit);
}

/* Between two reports the buffer drains at the allowed rate and fills with what is produced. */
static void
drain (EncoderRate *e, double seconds)
{
  e->backlog_bytes = fmax (0, e->backlog_bytes - e->allowed_bps * seconds / 8);
}

void
encoder_rate_on_pause (EncoderRate *e, CcTime now)
{
  CcDuration usual = cc_duration (e->interval_s), since = cc_time_since (now, e->frame_at);

  if (!e->started || since <= usual)
    return;
  drain (e, cc_seconds (since - usual));
  e->frame_at = now - usual;
}

static void
elapse (EncoderRate *e, CcTime now)
{
  double seconds = cc_seconds (cc_time_since (now, e->frame_at));

  e->frame_at = now;
  if (seconds <= 0)
    return;
  e->interval_s = e->interval_s > 0 ? 0.9 * e->interval_s + 0.1 * fmin (seconds, 1) : fmin (seconds, 1);
  drain (e, seconds);
  /* while every interval counted has its frame counted too */
  account (e, seconds);
  watch (e, seconds);
  correct (e, seconds);
  mean_elapse (&e->instant, seconds, e->set_bps);
  mean_elapse (&e->fast, seconds, e->set_bps);
  if (cc_time_since (now, e->stepped_at) < SETTLE)
    mean_restart (&e->slow);
  else
    mean_elapse (&e->slow, seconds, e->set_bps);
}

static void
note_key (EncoderRate *e)
{
  if (e->key)
    e->key_bytes = e->key_bytes > 0 ? 0.5 * e->key_bytes + 0.5 * e->frame_bytes : e->frame_bytes;
}

void
encoder_rate_on_bytes (EncoderRate *e, uint32_t bytes, bool starts_frame, bool key, CcTime now)
{
  if (!e->started) {
    e->started = true;
    e->frame_at = now;
  }
  if (starts_frame) {
    note_key (e);
    elapse (e, now);
    e->frames++;
    e->frame_bytes = 0;
    e->key = false;
  }
  if (key && !e->key) {
    e->key = true;
    e->key_frames++;
  }
  e->frame_bytes += bytes;
  e->bytes += bytes;
  if (e->allowed_known)
    e->backlog_bytes += bytes;
  if (e->instant.seconds > 0)
    e->instant.produced_bits += 8.0 * bytes;
  if (e->fast.seconds > 0)
    e->fast.produced_bits += 8.0 * bytes;
  if (e->slow.seconds > 0)
    e->slow.produced_bits += 8.0 * bytes;
}

/* Part of the backlog beyond the frame that is just leaving. */
static double
excess_bytes (const EncoderRate *e)
{
  double usual_s = 1.5 * e->interval_s + 0.03;

  return fmax (0, e->backlog_bytes - e->allowed_bps / 8 * usual_s);
}

static double
less_backlog (const EncoderRate *e, double bps, EncoderRateLimit *limit)
{
  double drained = bps - 8 * excess_bytes (e) / cc_seconds (e->params.drain);

  if (drained < bps)
    *limit = ENCODER_RATE_LIMIT_BACKLOG;
  return drained;
}

static double
within_budget (const EncoderRate *e, double bps, EncoderRateLimit *limit)
{
  double fitting;

  if (e->frame_budget_bytes <= 0 || e->interval_s <= 0)
    return bps;
  fitting = 8 * e->frame_budget_bytes / e->interval_s;
  if (fitting < bps) {
    *limit = ENCODER_RATE_LIMIT_FRAME_BUDGET;
    return fitting;
  }
  return bps;
}

/* Somewhat less than the encoder makes: one that can go lower then does, one that cannot adds little to its debt. */
static double
payable (const EncoderRate *e)
{
  double limit = cc_seconds (e->params.max_debt) * e->set_bps;

  return mean_rate (&e->instant) * (e->debt_bits < 2 * limit ? 0.9 : 0.97);
}

double
encoder_rate_wanted (const EncoderRate *e, EncoderRateLimit *limit)
{
  double full = e->allowed_bps * (1 - (e->path_limits ? e->params.path_margin : e->params.margin)), bps = full;
  EncoderRateLimit what = ENCODER_RATE_LIMIT_ALLOWED;

  if (!e->allowed_known) {
    bps = e->set_bps;
    what = ENCODER_RATE_LIMIT_START;
  } else if (!e->params.costly) {
    bps = within_budget (e, less_backlog (e, full, &what), &what);
    bps = fmax (bps, full * (1 - e->params.max_drain)) * e->correction;
  }
  if (e->indebted && bps < payable (e))
    bps = payable (e), what = ENCODER_RATE_LIMIT_ENCODER;
  if (bps > e->params.max_bps)
    bps = e->params.max_bps, what = ENCODER_RATE_LIMIT_MAX;
  if (bps < e->params.min_bps)
    bps = e->params.min_bps, what = ENCODER_RATE_LIMIT_MIN;
  if (limit)
    *limit = what;
  return bps;
}

static CcDuration
patience (const EncoderRate *e, double ratio)
{
  if (e->params.costly) {
    if (ratio < 0.85)
      return 300 * CC_MSECOND;
    return ratio < 0.97 || ratio > 1.1 ? 2 * CC_SECOND : CC_TIME_NONE;
  }
  if (ratio < 0.8)
    return 0;
  if (ratio < 0.97 || ratio > 1.05)
    return 100 * CC_MSECOND;
  return fabs (ratio - 1) > 0.01 ? 200 * CC_MSECOND : CC_TIME_NONE;
}

bool
encoder_rate_update (EncoderRate *e, CcTime now, double *bps)
{
  double wanted = encoder_rate_wanted (e, NULL);
  CcDuration wait;

  if (!e->allowed_known || wanted <= 0)
    return false;
  wait = e->set_bps > 0 ? patience (e, wanted / e->set_bps) : 0;
  if (wait == CC_TIME_NONE || cc_time_since (now, e->changed_at) < wait)
    return false;
  set_rate (e, wanted, now);
  e->changes++;
  *bps = wanted;
  return true;
}

double
encoder_rate_produced (const EncoderRate *e)
{
  return mean_rate (&e->fast);
}

double
encoder_rate_produced_slow (const EncoderRate *e)
{
  return mean_rate (&e->slow);
}

double
encoder_rate_made (const EncoderRate *e)
{
  return e->slow.seconds >= 1 && e->slow.asked_bits > 0 ? e->slow.produced_bits / e->slow.asked_bits : 0;
}

double
encoder_rate_frame_target (const EncoderRate *e)
{
  double target = encoder_rate_wanted (e, NULL) * e->interval_s / 8;

  return e->frame_budget_bytes > 0 ? fmin (target, e->frame_budget_bytes) : target;
}

CcDuration
encoder_rate_buffer_time (const EncoderRate *e, double pixels)
{
  double frames_s = BUFFER_FRAMES * e->interval_s, picture_s = e->set_bps > 0 ? COARSEST_BPP * pixels / e->set_bps : 0;

  return e->frames > FRAMES_TO_TELL ? cc_duration (frames_s > picture_s ? frames_s : picture_s) : 0;
}

bool
encoder_rate_not_followed (const EncoderRate *e)
{
  return e->over_s >= OVER_S;
}

CcDuration
encoder_rate_key_spacing (const EncoderRate *e, CcDuration floor)
{
  CcDuration cost;

  if (e->set_bps <= 0)
    return floor;
  cost = cc_duration (8 * e->key_bytes / (e->params.key_unit_share * e->set_bps));
  cost = cc_time_min (cost, e->params.max_key_spacing);
  return cost > floor ? cost : floor;
}

const char *
encoder_rate_limit_name (EncoderRateLimit limit)
{
  static const char *const names[] = {"start", "allowed", "backlog", "frame-budget", "encoder", "min", "max"};

  return (unsigned)limit < sizeof names / sizeof *names ? names[limit] : "unknown";
}
