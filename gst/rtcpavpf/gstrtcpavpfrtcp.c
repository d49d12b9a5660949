/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"
#include "gstrtcpavpfprivate.h"

#include <gst/net/gstnetaddressmeta.h>

#define COLLISION_INTERVAL (10 * GST_SECOND)

/* Not at every packet: whoever repeats this number could keep this end without a lasting name. */
void
gst_rtcp_avpf_on_collision (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now)
{
  guint32 fresh;

  self->collisions++;
  if (GST_CLOCK_TIME_IS_VALID (self->collided_at) && now < self->collided_at + COLLISION_INTERVAL)
    return;
  do
    fresh = g_random_int ();
  while (avpf_source_table_find (&self->table, fresh) != NULL || avpf_local_table_find (&self->locals, fresh) != NULL);
  GST_INFO_OBJECT (self, "somebody else has SSRC %08x, using %08x", ssrc, fresh);
  avpf_local_table_on_conflict (&self->locals, ssrc, fresh);
  self->collided_at = now;
}

typedef struct {
  GstRtcpAvpf *self;
  GSocketAddress *address;
  GstClockTime now, arrived_at;
} RtcpContext;

static void
on_sender_report (gpointer user, const GstCcSenderInfo *info)
{
  RtcpContext *c = user;
  AvpfSource *s = gst_rtcp_avpf_source_of (c->self, info->ssrc, c->address, c->now);

  if (s == NULL)
    return;
  s->last_heard = c->now;
  rtp_reception_on_sender_report (&s->reception, info->ntp_time, c->arrived_at);
}

static void
on_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  RtcpContext *c = user;
  AvpfSource *s;

  if (avpf_local_table_find (&c->self->locals, ssrc) != NULL) {
    if (g_strcmp0 (cname, c->self->cname) != 0)
      gst_rtcp_avpf_on_collision (c->self, ssrc, c->now);
    return;
  }
  s = gst_rtcp_avpf_source_of (c->self, ssrc, c->address, c->now);
  if (s == NULL)
    return;
  s->last_heard = c->now;
  if (++s->rtcp_seen < RTP_RECEPTION_MIN_SEQUENTIAL || s->valid)
    return;
  s->valid = TRUE;
  avpf_source_set_address (s, c->address);
  gst_rtcp_avpf_update_members (c->self, c->now);
}

static void
on_bye (gpointer user, guint32 ssrc)
{
  RtcpContext *c = user;
  AvpfSource *s = avpf_source_table_find (&c->self->table, ssrc);

  if (s == NULL)
    return;
  if (!avpf_source_is_from (s, c->address)) {
    c->self->unproven++;
    return;
  }
  GST_INFO_OBJECT (c->self, "source %08x says BYE", ssrc);
  avpf_source_on_bye (&c->self->table, s, c->now);
  gst_rtcp_avpf_update_members (c->self, c->now);
}

static void
on_malformed (gpointer user, guint packet_type)
{
  RtcpContext *c = user;

  c->self->bad_rtcp++;
}

static const GstCcRtcpHandlers rtcp_handlers = {
    .sr = on_sender_report, .cname = on_cname, .bye = on_bye, .malformed = on_malformed};

static guint
udp_ip_bytes (GSocketAddress *address)
{
  return address != NULL && g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6 ? RTCP_AVPF_IPV6_UDP_BYTES
                                                                                          : RTCP_AVPF_IPV4_UDP_BYTES;
}

void
gst_rtcp_avpf_receive_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime age, GstClockTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  RtcpContext context = {
      .self = self, .address = meta != NULL ? meta->addr : NULL, .now = now, .arrived_at = age < now ? now - age : 0};
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  if (map.size == 0 || !gst_cc_rtcp_walk (map.data, map.size, &rtcp_handlers, &context)) {
    self->bad_rtcp++;
  } else {
    self->rtcp_received++;
    gst_rtcp_avpf_timing_on_received (self, (guint)map.size + udp_ip_bytes (context.address));
  }
  gst_buffer_unmap (buffer, &map);
}
