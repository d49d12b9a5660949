/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rates as the core has them and as properties and events do, and how long EOS waits; shared by tfrcsink and
 * rtptfrcbwe.
 */
#ifndef GST_TFRC_RATE_H
#define GST_TFRC_RATE_H

#include "ccsender.h"
#include "gstrateevent.h"

G_BEGIN_DECLS

#define GST_TFRC_DRAIN_MARGIN (500 * CC_MSECOND)

/* EOS at `now` waits for what is in front of it until then, not for a path that takes nothing. */
static inline CcTime
gst_tfrc_drain_until (CcTime now, CcDuration max_delay)
{
  return cc_time_add (now, max_delay + GST_TFRC_DRAIN_MARGIN);
}

static inline double
gst_tfrc_bytes_per_second (guint bitrate)
{
  return bitrate / 8.0;
}

/* Saturates. */
static inline guint
gst_tfrc_bit_rate (double Bps)
{
  return Bps * 8 >= G_MAXUINT ? G_MAXUINT : (guint)(Bps * 8 + 0.5);
}

/* By more than 2 %: worth telling. */
static inline gboolean
gst_tfrc_rate_differs (guint a, guint b)
{
  return (a > b ? a - b : b - a) > b / 50;
}

/* For CcRandom. */
static inline uint32_t
gst_tfrc_random_bits (void *user)
{
  return g_random_int ();
}

static inline GstRateInfo
gst_tfrc_rate_info (const CcSender *core, const CcSenderStatus *status)
{
  return (GstRateInfo){.bitrate = gst_tfrc_bit_rate (status->media_Bps),
      .wire_bitrate = gst_tfrc_bit_rate (status->rate_Bps),
      .rtt = status->rtt > 0 ? status->rtt : GST_CLOCK_TIME_NONE,
      .loss_event_rate = status->p,
      .queue_delay = core->path.at != CC_TIME_NONE ? status->queue_delay : GST_CLOCK_TIME_NONE,
      .backlog = status->backlog_bytes,
      .frame_budget = status->frame_budget_bytes,
      .pause = status->pause,
      .limit = cc_limit_name (status->limit),
      .owner = rate_owner_name (status->owner)};
}

G_END_DECLS
#endif
