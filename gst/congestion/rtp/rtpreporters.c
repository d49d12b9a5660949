/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpreporters.h"

void
rtp_reporters_init (RtpReporters *r)
{
  *r = (RtpReporters){0};
}

static unsigned
place (RtpReporters *r, uint32_t ssrc)
{
  unsigned oldest = 0;

  for (unsigned i = 0; i < r->count; i++) {
    if (r->places[i].ssrc == ssrc)
      return i;
    if (r->places[i].at < r->places[oldest].at)
      oldest = i;
  }
  return r->count < RTP_REPORTERS_PLACES ? r->count++ : oldest;
}

void
rtp_reporters_on_block (RtpReporters *r, uint32_t ssrc, uint32_t highest_seq, uint16_t sent, CcTime now)
{
  unsigned i;

  if ((uint16_t)(sent - (uint16_t)highest_seq) >= RTP_REPORTERS_BEHIND)
    return;
  i = place (r, ssrc);
  r->places[i].ssrc = ssrc;
  r->places[i].at = now;
}

bool
rtp_reporters_knows (const RtpReporters *r, uint32_t ssrc)
{
  for (unsigned i = 0; i < r->count; i++)
    if (r->places[i].ssrc == ssrc)
      return true;
  return false;
}
