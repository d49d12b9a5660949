/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framecount.h"

#define JUMP_MAX 36000 /* pictures: 10 minutes at 60 a second */
#define BACK_MAX 300   /* pictures: none comes as late as this */
#define WINDOW 64

void
frame_count_init (FrameCount *f)
{
  *f = (FrameCount){0};
}

static void
be_certain (FrameCount *f, uint32_t number, uint64_t captured)
{
  f->certain = number;
  f->captured = captured;
  f->worked_out = f->worked_out_lost = 0;
}

static FrameVerdict
begin (FrameCount *f, uint32_t number, uint64_t captured)
{
  be_certain (f, number, captured);
  f->first = f->newest = number;
  f->shown = 1;
  f->displayed++;
  return FRAME_RESTART;
}

static FrameVerdict
go_on (FrameCount *f, uint32_t number, bool worked_out)
{
  uint32_t step = number - f->newest;

  f->shown = step < WINDOW ? f->shown << step | 1 : 1;
  f->lost += step - 1;
  f->worked_out += worked_out;
  f->worked_out_lost += worked_out ? step - 1 : 0;
  f->newest = number;
  f->displayed++;
  return FRAME_NEW;
}

static FrameVerdict
go_back (FrameCount *f, uint32_t number)
{
  uint32_t back = f->newest - number;

  if (back < WINDOW && (f->shown >> back & 1)) {
    f->repeated++;
    return FRAME_REPEATED;
  }
  if (back < WINDOW) {
    f->shown |= UINT64_C (1) << back;
    f->lost -= f->lost > 0 && (int32_t)(number - f->first) > 0;
  }
  f->out_of_order++;
  f->displayed++;
  return FRAME_OUT_OF_ORDER;
}

/* Numbers were worked out too high, as where fewer pictures are captured in a second than before: those shown by them
   were the ones before this. */
static FrameVerdict
set_right (FrameCount *f, uint32_t number)
{
  uint32_t ahead = f->newest - number, between = number - f->certain - 1;

  f->shown = ahead < WINDOW ? f->shown >> ahead | 1 : 1;
  f->lost = f->lost > f->worked_out_lost ? f->lost - f->worked_out_lost : 0;
  f->lost += between > f->worked_out ? between - f->worked_out : 0;
  f->newest = number;
  f->displayed++;
  return FRAME_NEW;
}

static bool
is_restart (const FrameCount *f, uint32_t number, uint64_t captured)
{
  int32_t step = (int32_t)(number - f->newest);

  return step > JUMP_MAX || step < -BACK_MAX || ((int32_t)(number - f->certain) <= 0 && captured > f->captured);
}

FrameVerdict
frame_count_on_picture (FrameCount *f, uint32_t number, uint64_t captured)
{
  int32_t step = (int32_t)(number - f->newest);
  bool later = captured > f->captured;
  FrameVerdict verdict;

  if (!f->started) {
    f->started = true;
    begin (f, number, captured);
    return FRAME_NEW;
  }
  if (captured > 0 && is_restart (f, number, captured)) {
    f->restarts++;
    return begin (f, number, captured);
  }
  if (step > 0)
    verdict = go_on (f, number, captured == 0);
  else
    verdict = later ? set_right (f, number) : go_back (f, number);
  if (later)
    be_certain (f, number, captured);
  return verdict;
}
