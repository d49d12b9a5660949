/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is told of mistakes in how rtptfrcbwe is used: one warning each, with its cure, once a run
   (docs/troubleshooting.md). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtptfrcbwe.h"

void
gst_rtp_tfrc_look_for_mistakes (GstRtpTfrcBwe *self, CcTime now, GstRtpTfrcNews *news)
{
  const GstTfrcSendCounts counts = {.packets_sent = self->core.sent.packets,
      .frames_sent = self->core.buffer.frames_sent,
      .frames_dropped = self->core.buffer.frames_dropped,
      .rtcp_received = self->counts.rtcp,
      .needs_feedback = self->core.mode != CC_MODE_BURST_CONTROL};

  news->mistake = gst_tfrc_send_advice_look (&self->advice, &counts, now, &news->skipped, &news->of);
}

static void
tell_no_feedback (GstRtpTfrcBwe *self)
{
  if (g_atomic_int_get (&self->has_session))
    GST_ELEMENT_WARNING (self, RESOURCE, READ,
        ("No RTCP has come in 5 s: the rate cannot follow the network, and falls. Link what receives RTCP to "
         "recv_rtcp_sink of the rtpbin; see that the other end sends its reports there, and that a firewall lets them "
         "in."),
        ("property mode=burst-control sends without feedback"));
  else
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("No rtpsession follows, which would tell what receivers report: the rate cannot follow the network, and "
         "falls. Put rtptfrcbwe in front of send_rtp_sink of rtpbin, or return it from request-aux-sender of "
         "webrtcbin; without either use tfrcsink."),
        ("property mode=burst-control sends without feedback"));
}

/* An application that listens sets its encoder. */
static gboolean
somebody_listens (GstRtpTfrcBwe *self)
{
  return gst_rate_reader_is_upstream (self->sinkpad, 0) ||
         g_signal_has_handler_pending (
             self, g_signal_lookup ("notify", G_TYPE_OBJECT), g_quark_from_static_string ("estimated-bitrate"), FALSE);
}

static void
tell_skipped (GstRtpTfrcBwe *self, const GstRtpTfrcNews *news)
{
  if (somebody_listens (self))
    return;
  self->advice.told_skipped = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("%u of the last %u frames were skipped, as the encoders make more than the path takes, and nothing sets them. "
       "Put ratecontrol between encoder and payloader, or set the encoder at notify::estimated-bitrate.",
          news->skipped, news->of),
      ("property max-delay is how long a frame may wait"));
}

void
gst_rtp_tfrc_tell_mistake (GstRtpTfrcBwe *self, const GstRtpTfrcNews *news)
{
  if (news->mistake == GST_TFRC_SEND_ADVICE_NO_FEEDBACK)
    tell_no_feedback (self);
  else if (news->mistake == GST_TFRC_SEND_ADVICE_SKIPPED)
    tell_skipped (self, news);
}
