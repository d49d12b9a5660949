/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoderadvice.h"
#include "rateshares.h"
#include <math.h>

#define RTP_HEADER 24      /* with the rtt-sendts extension */
#define GROWN_MEDIA 0.9    /* of the rate, in packets of 500 bytes: larger ones grow in number */
#define BACKLOG_TIME 0.5   /* s: an encoder is asked to let the backlog go within */
#define BACKLOG_LEAVES 0.5 /* of the rate, at least */
#define ENCODER_SHARE 0.97 /* of the rate: what is never asked for is room for frames to vary */

double
encoder_advice_wire_factor (const EncoderAdvice *a)
{
  return (a->packet_bytes + a->overhead_bytes) / a->packet_bytes;
}

/* What is left on the wire for media. */
static double
media_wire (const EncoderAdvice *a)
{
  RateTraffic traffic = {.media_Bps = 1, .repairs_Bps = a->redundancy, .ahead_Bps = a->resent_Bps};

  return rate_shares_media (&traffic, a->rate_Bps);
}

/* By the share of headers in small packets (a slice each) an encoder would be asked for so little that they stay small.
 */
double
encoder_advice_media (const EncoderAdvice *a)
{
  double packet = a->packet_bytes + a->overhead_bytes, headers = RTP_HEADER + a->overhead_bytes;
  double payload = fmax (a->packet_bytes - RTP_HEADER, 1);
  double rate = media_wire (a), share = rate * payload / packet;
  double room = rate - fmin (a->sent_Bps, rate) * headers / packet;

  return a->sent_Bps > 0 ? fmax (share, fmin (room, rate * GROWN_MEDIA)) : share;
}

double
encoder_advice_rate (const EncoderAdvice *a)
{
  double media = encoder_advice_media (a);
  double extra = a->queued_bytes - media * cc_seconds (a->frame_interval);

  media *= ENCODER_SHARE;
  return extra > 0 ? fmax (media - extra / BACKLOG_TIME, BACKLOG_LEAVES * media) : media;
}
