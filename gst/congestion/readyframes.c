/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "readyframes.h"

#define FIRST_INTERVAL (33 * CC_MSECOND)

void
ready_frames_init (ReadyFrames *f, const BurstControlParams *burst, CcRandom random, bool spread)
{
  *f = (ReadyFrames){.spread = spread, .interval = FIRST_INTERVAL, .at = CC_TIME_NONE};
  burst_control_init (&f->burst, burst, random);
}

void
ready_frames_set_spread (ReadyFrames *f, bool spread, unsigned waiting)
{
  f->spread = spread;
  f->ready = waiting;
  f->open = 0;
}

static void
end_frame (ReadyFrames *f, CcTime now)
{
  if (f->open == 0)
    return;
  f->ready += f->open;
  f->open = 0;
  if (f->spread)
    burst_control_on_frame (&f->burst, f->ready, 0, now);
}

static void
begin_frame (ReadyFrames *f, uint32_t frame, CcTime now)
{
  if (f->at != CC_TIME_NONE) {
    CcDuration gap = cc_time_since (now, f->at);

    end_frame (f, now);
    if (gap < CC_SECOND)
      f->interval = (7 * f->interval + gap) / 8;
  }
  f->at = now;
  f->frame = frame;
}

void
ready_frames_on_push (ReadyFrames *f, const CcPacket *packet, CcTime now)
{
  if (packet->resent || packet->repair) {
    f->ready++;
    return;
  }
  if (f->at == CC_TIME_NONE || packet->frame != f->frame)
    begin_frame (f, packet->frame, now);
  f->open++;
  if (packet->frame_end)
    end_frame (f, now);
}

void
ready_frames_on_sent (ReadyFrames *f, CcTime now)
{
  if (f->ready > 0)
    f->ready--;
  if (f->spread)
    burst_control_on_sent (&f->burst, now);
}

void
ready_frames_on_discard (ReadyFrames *f)
{
  if (f->ready > 0)
    f->ready--;
  else if (f->open > 0)
    f->open--;
}

CcTime
ready_frames_next (const ReadyFrames *f)
{
  return f->ready > 0 ? burst_control_next (&f->burst) : CC_TIME_NONE;
}
