/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties about lost packets sent again, and how long who is behind is to wait for them. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

enum { REPAIR, LATENCY, WAIT };

void
gst_rtcp_avpf_set_repair (GstRtcpAvpfSettings *s, guint index, const GValue *value)
{
  if (index == REPAIR)
    s->repair = g_value_get_boolean (value);
  else
    s->repair_latency = g_value_get_uint64 (value);
}

void
gst_rtcp_avpf_get_repair (GstRtcpAvpf *self, guint index, GValue *value)
{
  if (index == REPAIR)
    g_value_set_boolean (value, self->settings.repair);
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
          "Offer to take lost packets of the stream once more (REPR), ask for them where the sender agrees, and put "
          "them "
          "out as the packets that were lost; what is put in order behind waits for repair-wait. Not beside "
          "rtx-payload-type-map",
          FALSE, live));
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
