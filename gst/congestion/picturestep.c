/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picturestep.h"

#include <stddef.h>

void
picture_step_params_init (PictureStepParams *params)
{
  *params = (PictureStepParams){.enough_bpp = 0.025,
      .hysteresis = 1.5,
      .deep = 2,
      .short_after = CC_SECOND,
      .ample_after = 5 * CC_SECOND,
      .overrun = 1.2,
      .settle = 3 * CC_SECOND,
      .forget_after = 60 * CC_SECOND,
      .ample_most = 40 * CC_SECOND};
}

static double
at_least (double value, double least)
{
  return value >= least ? value : least; /* NaN as well */
}

void
picture_step_set_params (PictureStep *s, const PictureStepParams *params)
{
  s->params = *params;
  s->params.enough_bpp = at_least (params->enough_bpp, 1e-6);
  s->params.hysteresis = at_least (params->hysteresis, 1);
  s->params.deep = at_least (params->deep, 1);
  s->params.overrun = at_least (params->overrun, 1);
  s->ample_wait = params->ample_after;
}

void
picture_step_init (PictureStep *s, const PictureStepParams *params)
{
  *s = (PictureStep){.state = PICTURE_STEP_STEADY, .raised_at = CC_TIME_NONE};
  picture_step_set_params (s, params);
}

static double
bits_per_pixel (const PictureStep *s, int rung, double bps)
{
  return bps / picture_format_pixels (&s->ladder.rungs[rung]);
}

double
picture_step_need_bpp (const PictureStep *s, CcTime now)
{
  double passed = s->params.forget_after > 0 ? (double)cc_time_since (now, s->learned_at) / s->params.forget_after : 1;
  double extra = s->learned_bpp - s->params.enough_bpp;

  return s->params.enough_bpp + (extra > 0 && passed < 1 ? extra * (1 - passed) : 0);
}

/* The highest rung that has enough, or the lowest of all. */
static int
best_rung (const PictureStep *s, double bps, CcTime now)
{
  double need = picture_step_need_bpp (s, now);
  int rung = 0;

  while (rung + 1 < s->ladder.count && bits_per_pixel (s, rung, bps) < need)
    rung++;
  return rung;
}

static void
enter (PictureStep *s, PictureStepState state, CcTime now)
{
  if (s->state != state)
    s->since = now;
  s->state = state;
}

void
picture_step_set_ladder (PictureStep *s, const PictureLadder *ladder, double bps, CcTime now)
{
  s->ladder = *ladder;
  s->learned_bpp = 0;
  s->rung = bps > 0 ? best_rung (s, bps, now) : 0;
  s->stepped_at = now;
  enter (s, PICTURE_STEP_STEADY, now);
}

static double
too_little (const PictureStep *s, CcTime now)
{
  return picture_step_need_bpp (s, now) / s->params.hysteresis;
}

static PictureStepState
judge (const PictureStep *s, double bps, double made, CcTime now)
{
  if (s->rung + 1 < s->ladder.count) {
    if (bits_per_pixel (s, s->rung, bps) < too_little (s, now))
      return PICTURE_STEP_SHORT;
    if (made > s->params.overrun && cc_time_since (now, s->stepped_at) >= s->params.settle)
      return PICTURE_STEP_OVERRUN;
  }
  return best_rung (s, bps, now) < s->rung ? PICTURE_STEP_AMPLE : PICTURE_STEP_STEADY;
}

static bool
is_due (const PictureStep *s, double bps, CcTime now)
{
  CcDuration lasted = cc_time_since (now, s->since);

  switch (s->state) {
  case PICTURE_STEP_SHORT:
    return lasted >= s->params.short_after || bits_per_pixel (s, s->rung, bps) < too_little (s, now) / s->params.deep;
  case PICTURE_STEP_OVERRUN:
    return lasted >= s->params.short_after;
  case PICTURE_STEP_AMPLE:
    return lasted >= s->ample_wait;
  case PICTURE_STEP_STEADY:
    break;
  }
  return false;
}

/* At least one rung down: what it has now is what was not enough. */
static void
learn (PictureStep *s, double bps, CcTime now)
{
  s->learned_bpp = bits_per_pixel (s, s->rung, bps) * s->params.hysteresis;
  s->learned_at = now;
}

static void
note_down (PictureStep *s, CcTime now)
{
  bool was_in_vain = s->raised_at != CC_TIME_NONE && cc_time_since (now, s->raised_at) < 2 * s->ample_wait;

  s->downs++;
  s->ample_wait = was_in_vain ? cc_time_min (2 * s->ample_wait, s->params.ample_most) : s->params.ample_after;
}

static void
note_up (PictureStep *s, CcTime now)
{
  s->ups++;
  s->raised_at = now;
}

bool
picture_step_on_rate (PictureStep *s, double bps, double made, CcTime now)
{
  if (s->ladder.count == 0 || !(bps > 0))
    return false;
  enter (s, judge (s, bps, made, now), now);
  if (!is_due (s, bps, now))
    return false;
  if (s->state == PICTURE_STEP_OVERRUN)
    learn (s, bps, now);
  if (s->state == PICTURE_STEP_AMPLE)
    note_up (s, now);
  else
    note_down (s, now);
  s->rung = best_rung (s, bps, now);
  s->stepped_at = now;
  enter (s, PICTURE_STEP_STEADY, now);
  return true;
}

const PictureFormat *
picture_step_format (const PictureStep *s)
{
  return s->ladder.count > 0 ? &s->ladder.rungs[s->rung] : NULL;
}

double
picture_step_full_bps (const PictureStep *s)
{
  return s->ladder.count > 0 ? s->params.enough_bpp * picture_format_pixels (&s->ladder.rungs[0]) : 0;
}

const char *
picture_step_state_name (PictureStepState state)
{
  static const char *const names[] = {[PICTURE_STEP_STEADY] = "steady",
      [PICTURE_STEP_SHORT] = "short",
      [PICTURE_STEP_OVERRUN] = "overrun",
      [PICTURE_STEP_AMPLE] = "ample"};

  return names[state];
}
