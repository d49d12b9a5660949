/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties about lost packets that come after all, how long who is behind is to wait for them, and those that
   redundancy has made known. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

enum { REPAIR, BY, LATENCY, WAIT };

#define MOST_BYTES 1500

void
gst_rtcp_avpf_set_repair (GstRtcpAvpfSettings *s, guint index, const GValue *value)
{
  if (index == REPAIR)
    s->repair = g_value_get_boolean (value);
  else if (index == BY)
    s->repair_by = (GstRtcpAvpfRepairBy)g_value_get_flags (value);
  else
    s->repair_latency = g_value_get_uint64 (value);
}

void
gst_rtcp_avpf_get_repair (GstRtcpAvpf *self, guint index, GValue *value)
{
  if (index == REPAIR)
    g_value_set_boolean (value, self->settings.repair);
  else if (index == BY)
    g_value_set_flags (value, self->settings.repair_by);
  else if (index == LATENCY)
    g_value_set_uint64 (value, self->settings.repair_latency);
  else
    g_value_set_uint64 (value, rtp_participant_repair_wait (self->core));
}

void
gst_rtcp_avpf_install_repair (GObjectClass *klass, guint first)
{
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, first + REPAIR,
      g_param_spec_boolean ("repair", "Repair",
          "Offer to take what mends losses of the stream (REPR), ask for it where the sender agrees, and put out the "
          "packets that were lost; what is put in order behind waits for repair-wait. Not beside rtx-payload-type-map",
          FALSE, live));
  g_object_class_install_property (klass, first + BY,
      g_param_spec_flags ("repair-by", "Repair by", "What repair is done by", GST_TYPE_RTCP_AVPF_REPAIR_BY,
          GST_RTCP_AVPF_REPAIR_BY_RTX | GST_RTCP_AVPF_REPAIR_BY_FEC, live));
  g_object_class_install_property (klass, first + LATENCY,
      g_param_spec_uint64 ("repair-latency", "Repair latency",
          "Longest repair-wait in ns; nack-latency is the shortest", 0, 3600 * GST_SECOND, GST_RTCP_AVPF_REPAIR_LATENCY,
          live));
  g_object_class_install_property (klass, first + WAIT,
      g_param_spec_uint64 ("repair-wait", "Repair wait",
          "How long a jitter buffer behind is to wait for a missing packet in ns; notifies", 0, G_MAXUINT64,
          500 * GST_MSECOND, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

gboolean
gst_rtcp_avpf_repair_wait_changed (GstRtcpAvpf *self)
{
  GstClockTime wait = rtp_participant_repair_wait (self->core);
  gboolean changed = wait != self->told_wait;

  self->told_wait = wait;
  return changed;
}

/* They arrive with the packet that made them known. */
void
gst_rtcp_avpf_take_mended (GstRtcpAvpf *self, GstBuffer *by, GstBufferList **mended, GstClockTime now)
{
  guint8 packet[MOST_BYTES];
  gsize size;

  while ((size = rtp_participant_take_mended (self->core, packet, sizeof packet, now)) > 0) {
    GstBuffer *buffer = gst_buffer_new_memdup (packet, size);

    gst_buffer_copy_into (buffer, by, GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
    if (*mended == NULL)
      *mended = gst_buffer_list_new ();
    gst_buffer_list_add (*mended, buffer);
  }
}
