/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpanswers.h"

void
rtp_answers_init (RtpAnswers *a)
{
  *a = (RtpAnswers){0};
}

/* RTP_ANSWERS_PLACES where it is not listed. */
static unsigned
find (const RtpAnswers *a, uint64_t address)
{
  for (unsigned i = 0; i < a->count; i++)
    if (a->places[i].address == address)
      return i;
  return RTP_ANSWERS_PLACES;
}

static unsigned
place (RtpAnswers *a)
{
  unsigned oldest = 0;

  if (a->count < RTP_ANSWERS_PLACES)
    return a->count++;
  for (unsigned i = 1; i < a->count; i++)
    if (a->places[i].heard_at < a->places[oldest].heard_at)
      oldest = i;
  return oldest;
}

void
rtp_answers_on_received (RtpAnswers *a, uint64_t address, uint32_t bytes, CcTime now)
{
  unsigned i = find (a, address);

  if (i == RTP_ANSWERS_PLACES) {
    i = place (a);
    a->places[i].address = address;
    a->places[i].received = a->places[i].sent = 0;
  }
  a->places[i].received += bytes;
  a->places[i].heard_at = now;
}

bool
rtp_answers_take (RtpAnswers *a, uint64_t address, uint32_t bytes)
{
  unsigned i = find (a, address);

  if (i == RTP_ANSWERS_PLACES || a->places[i].sent + bytes > RTP_ANSWERS_FACTOR * a->places[i].received) {
    a->withheld++;
    return false;
  }
  a->places[i].sent += bytes;
  return true;
}
