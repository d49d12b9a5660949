/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to be told to others is written down with the lock and told without it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

typedef struct {
  GstPad *pad; /* to push the event on; NULL: a signal */
  GstEvent *event;
  GstRtcpAvpfSignal signal;
  guint type, fmt;
  guint32 ssrc, media;
  GstBuffer *fci;
} Told;

static guint signals[GST_RTCP_AVPF_SIGNAL_LAST];

static void
told_free (Told *told)
{
  gst_clear_object (&told->pad);
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

void
gst_rtcp_avpf_tell_event (GstRtcpAvpf *self, GstPad *pad, GstEvent *event)
{
  Told *told = g_new0 (Told, 1);

  told->pad = gst_object_ref (pad);
  told->event = event;
  g_queue_push_tail (&self->outbox, told);
}

void
gst_rtcp_avpf_tell_ssrc (GstRtcpAvpf *self, GstRtcpAvpfSignal signal, guint32 ssrc)
{
  Told *told;

  if (!g_signal_has_handler_pending (self, signals[signal], 0, FALSE))
    return;
  told = g_new0 (Told, 1);
  told->signal = signal;
  told->ssrc = ssrc;
  g_queue_push_tail (&self->outbox, told);
}

void
gst_rtcp_avpf_tell_feedback (
    GstRtcpAvpf *self, guint type, guint fmt, guint32 sender, guint32 media, const guint8 *fci, gsize size)
{
  Told *told;

  if (!g_signal_has_handler_pending (self, signals[GST_RTCP_AVPF_SIGNAL_FEEDBACK], 0, FALSE))
    return;
  told = g_new0 (Told, 1);
  told->signal = GST_RTCP_AVPF_SIGNAL_FEEDBACK;
  told->type = type;
  told->fmt = fmt;
  told->ssrc = sender;
  told->media = media;
  told->fci = size > 0 ? gst_buffer_new_memdup (fci, size) : NULL;
  g_queue_push_tail (&self->outbox, told);
}

static void
deliver (GstRtcpAvpf *self, Told *told)
{
  if (told->pad != NULL)
    gst_pad_push_event (told->pad, g_steal_pointer (&told->event));
  else if (told->signal == GST_RTCP_AVPF_SIGNAL_FEEDBACK)
    g_signal_emit (self, signals[told->signal], 0, told->type, told->fmt, told->ssrc, told->media, told->fci);
  else
    g_signal_emit (self, signals[told->signal], 0, told->ssrc);
}

void
gst_rtcp_avpf_deliver (GstRtcpAvpf *self)
{
  GQueue queue;
  Told *told;

  g_mutex_lock (&self->lock);
  queue = self->outbox;
  g_queue_init (&self->outbox);
  g_mutex_unlock (&self->lock);
  while ((told = g_queue_pop_head (&queue)) != NULL) {
    deliver (self, told);
    told_free (told);
  }
  gst_rtcp_avpf_repair_notify (self);
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
  signals[GST_RTCP_AVPF_SIGNAL_VALIDATED] = new_ssrc_signal (type, "on-ssrc-validated");
  /**
   * GstRtcpAvpf::on-bye-ssrc:
   * @ssrc: of a participant that said BYE
   */
  signals[GST_RTCP_AVPF_SIGNAL_BYE] = new_ssrc_signal (type, "on-bye-ssrc");
  /**
   * GstRtcpAvpf::on-timeout:
   * @ssrc: of a participant that has been silent for five intervals
   */
  signals[GST_RTCP_AVPF_SIGNAL_TIMEOUT] = new_ssrc_signal (type, "on-timeout");
  /**
   * GstRtcpAvpf::on-ssrc-collision:
   * @ssrc: this end's, which another participant has too; `ssrc` is another one by now
   */
  signals[GST_RTCP_AVPF_SIGNAL_COLLISION] = new_ssrc_signal (type, "on-ssrc-collision");
  /**
   * GstRtcpAvpf::on-feedback-rtcp:
   * @type: 205 (transport) or 206 (payload specific)
   * @fbtype: the FMT
   * @sender: SSRC of who says it
   * @media: SSRC of who is told; 0 where the message names it in its own way
   * @fci: (nullable): the rest of the message
   */
  signals[GST_RTCP_AVPF_SIGNAL_FEEDBACK] = g_signal_new ("on-feedback-rtcp", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
      NULL, G_TYPE_NONE, 5, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT, GST_TYPE_BUFFER);
}
