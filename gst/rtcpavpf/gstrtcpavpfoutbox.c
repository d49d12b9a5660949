/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to be told to others is written down with the lock and told without it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccparticipant.h"
#include "gstpictureevent.h"
#include "gstrateevent.h"
#include "gstrtcpavpfprivate.h"

typedef struct {
  GstPad *pad;      /* to push the event on; NULL: a signal */
  GstPad *pictures; /* to push on what a signal says of pictures */
  GstEvent *event;
  RtpEventType signal;
  guint type, fmt;
  guint32 ssrc, media;
  GstBuffer *fci;
} Told;

static guint signals[RTP_EVENTS];

static void
told_free (Told *told)
{
  gst_clear_object (&told->pad);
  gst_clear_object (&told->pictures);
  gst_clear_event (&told->event);
  gst_clear_buffer (&told->fci);
  g_free (told);
}

void
gst_rtcp_avpf_outbox_init (GstRtcpAvpf *self)
{
  g_queue_init (&self->outbox);
}

void
gst_rtcp_avpf_outbox_clear (GstRtcpAvpf *self)
{
  g_queue_clear_full (&self->outbox, (GDestroyNotify)told_free);
}

/* Without a pad for the media that this end sends it is for nobody. */
static void
push_upstream (GstRtcpAvpf *self, GstEvent *event)
{
  Told *told;

  if (self->media.sinkpad == NULL) {
    gst_event_unref (event);
    return;
  }
  told = g_new0 (Told, 1);
  told->pad = gst_object_ref (self->media.sinkpad);
  told->event = event;
  g_queue_push_tail (&self->outbox, told);
}

/* What becomes of pictures that this end sends. */
static gboolean
tells_picture (GstRtcpAvpf *self, const RtpEvent *event)
{
  const RtpFeedbackMessage *f = &event->feedback;

  return event->type == RTP_EVENT_FEEDBACK && f->type == RTCP_FB_PSFB &&
         (f->fmt == RTCP_FB_FMT_RPSI || f->fmt == RTCP_FB_FMT_SLI) && self->media.sinkpad != NULL;
}

static void
emit (GstRtcpAvpf *self, const RtpEvent *event)
{
  const RtpFeedbackMessage *f = &event->feedback;
  Told *told;

  if (!tells_picture (self, event) && !g_signal_has_handler_pending (self, signals[event->type], 0, FALSE))
    return;
  told = g_new0 (Told, 1);
  *told = (Told){.signal = event->type,
      .type = f->type,
      .fmt = f->fmt,
      .ssrc = event->type == RTP_EVENT_FEEDBACK ? f->sender : event->ssrc,
      .media = f->media,
      .pictures = tells_picture (self, event) ? gst_object_ref (self->media.sinkpad) : NULL,
      .fci = f->size > 0 ? gst_buffer_new_memdup (f->fci, f->size) : NULL};
  g_queue_push_tail (&self->outbox, told);
}

static guint
bit_rate (gdouble bps)
{
  return bps >= G_MAXUINT ? G_MAXUINT : bps > 0 ? (guint)bps : 0;
}

/* As the rate event that an encoder's keeper obeys. */
static GstEvent *
rate_event (GstRtcpAvpf *self, const RtpMediaLimit *rate)
{
  GstRateInfo info = {.bitrate = bit_rate (rate->payload_bps),
      .wire_bitrate = bit_rate (rate->wire_bps),
      .rtt = rate->rtt > 0 ? rate->rtt : GST_CLOCK_TIME_NONE,
      .queue_delay = GST_CLOCK_TIME_NONE,
      .limit = "explicit-rate"};

  return gst_rate_event_new (&info, GST_ELEMENT (self));
}

void
gst_rtcp_avpf_tell (GstRtcpAvpf *self, const RtpEvent *event)
{
  switch (event->type) {
  case RTP_EVENT_SOURCE:
    GST_INFO_OBJECT (self, "source %08x", event->ssrc);
    break;
  case RTP_EVENT_RESTARTED:
    GST_INFO_OBJECT (self, "source %08x started over", event->ssrc);
    break;
  case RTP_EVENT_NEWCOMER:
    GST_INFO_OBJECT (self, "another participant takes the place of the one that was silent");
    break;
  case RTP_EVENT_REPAIRED:
    GST_INFO_OBJECT (self, "lost packets of %08x come again", event->ssrc);
    break;
  case RTP_EVENT_KEY_UNIT:
    GST_INFO_OBJECT (self, "a receiver wants a key unit of %08x", event->ssrc);
    push_upstream (self, gst_cc_key_unit_event (event, self->media.key_unit_count++));
    break;
  case RTP_EVENT_RESEND:
    push_upstream (self, gst_cc_resend_event (event, event->seq));
    break;
  case RTP_EVENT_RATE:
    push_upstream (self, rate_event (self, &event->rate));
    break;
  case RTP_EVENT_MEDIA_COLLISION:
    push_upstream (self, gst_cc_collision_event (event));
    break;
  default:
    emit (self, event);
  }
}

static void
push_pictures (Told *told)
{
  GstMapInfo map;

  if (told->pictures == NULL || told->fci == NULL || !gst_buffer_map (told->fci, &map, GST_MAP_READ))
    return;
  gst_picture_event_push_fci (told->pictures, told->media, told->fmt, map.data, map.size);
  gst_buffer_unmap (told->fci, &map);
}

static void
deliver (GstRtcpAvpf *self, Told *told)
{
  push_pictures (told);
  if (told->pad != NULL)
    gst_pad_push_event (told->pad, g_steal_pointer (&told->event));
  else if (told->signal == RTP_EVENT_FEEDBACK)
    g_signal_emit (self, signals[told->signal], 0, told->type, told->fmt, told->ssrc, told->media, told->fci);
  else
    g_signal_emit (self, signals[told->signal], 0, told->ssrc);
}

void
gst_rtcp_avpf_deliver (GstRtcpAvpf *self)
{
  gboolean changed;
  GQueue queue;
  Told *told;

  g_mutex_lock (&self->lock);
  changed = gst_rtcp_avpf_repair_wait_changed (self);
  queue = self->outbox;
  g_queue_init (&self->outbox);
  g_mutex_unlock (&self->lock);
  while ((told = g_queue_pop_head (&queue)) != NULL) {
    deliver (self, told);
    told_free (told);
  }
  if (changed)
    g_object_notify (G_OBJECT (self), "repair-wait");
}

static guint
new_ssrc_signal (GType type, const gchar *name)
{
  return g_signal_new (name, type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

void
gst_rtcp_avpf_install_signals (GType type)
{
  /**
   * GstRtcpAvpf::on-ssrc-validated:
   * @ssrc: of a participant that has proved itself by two packets
   */
  signals[RTP_EVENT_VALIDATED] = new_ssrc_signal (type, "on-ssrc-validated");
  /**
   * GstRtcpAvpf::on-bye-ssrc:
   * @ssrc: of a participant that said BYE
   */
  signals[RTP_EVENT_BYE] = new_ssrc_signal (type, "on-bye-ssrc");
  /**
   * GstRtcpAvpf::on-timeout:
   * @ssrc: of a participant that has been silent for five intervals
   */
  signals[RTP_EVENT_TIMEOUT] = new_ssrc_signal (type, "on-timeout");
  /**
   * GstRtcpAvpf::on-ssrc-collision:
   * @ssrc: this end's, which another participant has too; `ssrc` is another one by now
   */
  signals[RTP_EVENT_COLLISION] = new_ssrc_signal (type, "on-ssrc-collision");
  /**
   * GstRtcpAvpf::on-feedback-rtcp:
   * @type: 205 (transport) or 206 (payload specific)
   * @fbtype: the FMT
   * @sender: SSRC of who says it
   * @media: SSRC of who is told; 0 where the message names it in its own way
   * @fci: (nullable): the rest of the message
   */
  signals[RTP_EVENT_FEEDBACK] = g_signal_new ("on-feedback-rtcp", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 5, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT, GST_TYPE_BUFFER);
}
