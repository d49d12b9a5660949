/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsendadvice.h"

#include "gstccaddress.h"
#include "gstrateevent.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

/* RFC 3550 6.2: a receiver reports within 5 s. */
#define PATIENCE (5 * CC_SECOND)
/* A sender whose encoder follows skips single frames, after a fall of the path's rate for some hundred ms. */
#define SKIPPED_SHARE 10 /* one of so many */
#define FEWEST_SKIPPED 10

void
gst_tfrc_send_advice_init (GstTfrcSendAdvice *a, CcTime now)
{
  *a = (GstTfrcSendAdvice){.looked_at = now, .sending_since = CC_TIME_NONE};
}

static gboolean
lacks_feedback (GstTfrcSendAdvice *a, const GstTfrcSendCounts *counts, CcTime now)
{
  if (counts->packets_sent == 0)
    return FALSE;
  if (a->sending_since == CC_TIME_NONE || counts->explained != a->explained)
    a->sending_since = now;
  a->explained = counts->explained;
  if (a->told_no_feedback || !counts->needs_feedback || counts->rtcp_received > 0)
    return FALSE;
  a->told_no_feedback = cc_time_since (now, a->sending_since) >= PATIENCE;
  return a->told_no_feedback;
}

GstTfrcSendMistake
gst_tfrc_send_advice_look (GstTfrcSendAdvice *a, const GstTfrcSendCounts *counts, CcTime now, guint *skipped, guint *of)
{
  const GstTfrcSendCounts before = a->before;
  /* counters begin anew where the peer changes */
  gboolean goes_on = counts->frames_sent >= before.frames_sent && counts->frames_dropped >= before.frames_dropped;

  if (lacks_feedback (a, counts, now))
    return GST_TFRC_SEND_ADVICE_NO_FEEDBACK;
  if (cc_time_since (now, a->looked_at) < PATIENCE)
    return GST_TFRC_SEND_ADVICE_NONE;
  a->looked_at = now;
  a->before = *counts;
  if (a->told_skipped || !goes_on || counts->rtcp_received == before.rtcp_received) /* an outage skips frames too */
    return GST_TFRC_SEND_ADVICE_NONE;
  *skipped = (guint)(counts->frames_dropped - before.frames_dropped);
  *of = *skipped + (guint)(counts->frames_sent - before.frames_sent);
  return *skipped >= FEWEST_SKIPPED && SKIPPED_SHARE * (guint64)*skipped >= *of ? GST_TFRC_SEND_ADVICE_SKIPPED
                                                                                : GST_TFRC_SEND_ADVICE_NONE;
}

static void
tell_no_feedback (GstElement *element)
{
  gchar *host;
  gint port;

  g_object_get (element, "host", &host, "port", &port, NULL);
  GST_ELEMENT_WARNING (element, RESOURCE, READ,
      ("No feedback has come from %s, UDP port %d, in %d s: the rate cannot follow the network, and sending ceases "
       "soon. "
       "Receive with tfrcsrc, or with rtcpavpf behind udpsrc, which alone tells nothing; see that host and port are "
       "the "
       "receiver's, and that a firewall lets UDP back.",
          host, port, (gint)(PATIENCE / CC_SECOND)),
      ("property mode=burst-control sends without feedback"));
  g_free (host);
}

/* A receiver that hears on all addresses, but for a tfrcsrc, answers from the one its routes choose. */
static void
tell_elsewhere (GstElement *element, const RtpAddress *elsewhere)
{
  GSocketAddress *address = gst_cc_address_new (elsewhere);
  gchar *from = g_inet_address_to_string (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));
  gchar *host;
  gint port;

  g_object_get (element, "host", &host, "port", &port, NULL);
  GST_ELEMENT_WARNING (element, RESOURCE, READ,
      ("Feedback comes from %s, not from %s, UDP port %d: it is not believed, the rate cannot follow the network, and "
       "sending ceases soon. If the receiver has both addresses, set host to the one, or bind its socket to the other "
       "(address of udpsrc).",
          from, host, port),
      (NULL));
  g_free (host);
  g_free (from);
  g_object_unref (address);
}

static void
tell_skipped (GstElement *element, guint skipped, guint of)
{
  GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
      ("%u of the last %u frames were skipped, as the encoder makes more than the path takes, and nothing upstream "
       "sets "
       "it. Put ratecontrol between encoder and payloader, or set the encoder from the application to what "
       "notify::estimated-bitrate or the event " GST_RATE_EVENT_NAME " tells.",
          skipped, of),
      ("property max-delay is how long a frame may wait"));
}

void
gst_tfrc_send_advice_give (
    GstTfrcSendAdvice *a, GstElement *element, GstPad *pad, const GstTfrcSendCounts *counts, CcTime now)
{
  guint skipped = 0, of = 0;

  switch (gst_tfrc_send_advice_look (a, counts, now, &skipped, &of)) {
  case GST_TFRC_SEND_ADVICE_NO_FEEDBACK:
    if (counts->elsewhere.family != RTP_ADDRESS_UNKNOWN)
      tell_elsewhere (element, &counts->elsewhere);
    else
      tell_no_feedback (element);
    break;
  case GST_TFRC_SEND_ADVICE_SKIPPED:
    if (gst_rate_reader_is_upstream (pad, counts->ssrc))
      break;
    a->told_skipped = TRUE;
    tell_skipped (element, skipped, of);
    break;
  case GST_TFRC_SEND_ADVICE_NONE:
    break;
  }
}
