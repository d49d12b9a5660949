/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When which packet arrived, for reports of every packet (TWCC, RFC 8888). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

#define PACKET_REPORT_GAP (50 * GST_MSECOND) /* RFC 8888 6: per round trip, and no more often than this */

static gboolean
has_arrivals (GstRtcpAvpf *self)
{
  ArrivalRange range;
  guint i;

  if (self->twcc != NULL && arrival_history_range (self->twcc, &range) &&
      gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_TWCC))
    return TRUE;
  for (i = 0; i < AVPF_MAX_SOURCES && gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_CCFB); i++) {
    const AvpfSource *s = self->table.sources[i];

    if (s != NULL && s->arrivals != NULL && avpf_source_present (s) && arrival_history_range (s->arrivals, &range))
      return TRUE;
  }
  return FALSE;
}

GstClockTime
gst_rtcp_avpf_packet_report_due_at (GstRtcpAvpf *self)
{
  const AvpfSource *s;

  if (!has_arrivals (self))
    return GST_CLOCK_TIME_NONE;
  s = avpf_source_table_main (&self->table);
  return self->packet_report_at + MAX (PACKET_REPORT_GAP, s != NULL ? s->key.rtt : 0);
}

void
gst_rtcp_avpf_note_arrival (GstRtcpAvpf *self, AvpfSource *s, guint16 seq, ArrivalEcn ecn, GstClockTime arrived_at)
{
  if (!gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_CCFB))
    return;
  if (s->arrivals == NULL) {
    s->arrivals = g_new (ArrivalHistory, 1);
    arrival_history_init (s->arrivals, 0);
  }
  arrival_history_on_packet (s->arrivals, seq, ecn, arrived_at);
}

void
gst_rtcp_avpf_note_transport_arrival (GstRtcpAvpf *self, guint16 number, GstClockTime arrived_at)
{
  if (!gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_TWCC))
    return;
  if (self->twcc == NULL) {
    self->twcc = g_new (ArrivalHistory, 1);
    arrival_history_init (self->twcc, 0);
  }
  arrival_history_on_packet (self->twcc, number, ARRIVAL_NOT_ECT, arrived_at);
}
