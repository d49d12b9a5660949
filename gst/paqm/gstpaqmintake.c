/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmintake.h"

#include "flowhash.h"

void
gst_paqm_intake_open (GstPaqmIntake *in, const GstPaqmSettings *settings, const guint64 key[2])
{
  const GstPaqmPadCaps *caps = &in->pad->caps;

  in->cls = (GstPaqmClass)g_atomic_int_get (&in->pad->cls);
  in->packets = settings->mode == GST_PAQM_MODE_IP ? &gst_paqm_packet_ip : &gst_paqm_packet_rtp;
  in->look.key[0] = key[0] ^ in->pad->number;
  in->look.key[1] = key[1];
  in->look.overhead_bytes = settings->overhead;
  in->look.rtt_id = caps->rtt_id;
  in->look.is_media = caps->media || in->cls == GST_PAQM_CLASS_MEDIA;
  in->link_overhead = settings->link_overhead;
  in->tags = gst_paqm_teller_get_tag (in->teller, settings, caps, gst_paqm_queues_told_rate (in->queues), &in->tag);
  in->tells = gst_paqm_teller_tells_sources (in->teller, settings->signalling);
}

static PaqmClass
class_of (const GstPaqmIntake *in, const GstPaqmPacket *packet)
{
  if (in->cls == GST_PAQM_CLASS_AUTO)
    return packet->media ? PAQM_MEDIA : PAQM_ELASTIC;
  return in->cls == GST_PAQM_CLASS_MEDIA ? PAQM_MEDIA : PAQM_ELASTIC;
}

GstBuffer *
gst_paqm_intake_prepare (const GstPaqmIntake *in, GstBuffer *buffer, GstPaqmPacket *packet)
{
  gsize before;

  in->packets->look (buffer, &in->look, packet);
  packet->size_bytes = MAX (packet->size_bytes, 1);
  if (!in->tags || !packet->rtp || class_of (in, packet) != PAQM_MEDIA)
    return buffer;
  before = gst_buffer_get_size (buffer);
  buffer = in->packets->tag (buffer, &in->tag, &packet->tagged);
  packet->size_bytes += (guint)(gst_buffer_get_size (buffer) - before);
  return buffer;
}

/* What has no flow of its own goes with the pad's latest packet that had one. */
static guint64
flow_of (const GstPaqmIntake *in, guint64 flow)
{
  if (flow != 0)
    in->pad->last_flow = flow;
  else if (in->pad->last_flow == 0)
    return flow_hash_spread (in->look.key[0], 0);
  return in->pad->last_flow;
}

static void
enqueue (const GstPaqmIntake *in, PaqmClass cls, GstMiniObject *object, guint size_bytes)
{
  GstPaqmItem item = {.object = object,
      .stream = gst_paqm_stream_ref (in->pad->stream),
      .size_bytes = size_bytes,
      .media = cls == PAQM_MEDIA,
      .at = in->now};

  gst_paqm_queues_put (in->queues, cls, &item);
}

GstBuffer *
gst_paqm_intake_admit (const GstPaqmIntake *in, GstBuffer *buffer, const GstPaqmPacket *packet)
{
  PaqmArrival arrival = {.cls = class_of (in, packet),
      .flow = flow_of (in, packet->flow),
      .size_bytes = packet->size_bytes + in->link_overhead,
      .ect = packet->ect,
      .l4s = packet->l4s};
  PaqmVerdict verdict;

  in->pad->last_cls = arrival.cls;
  in->teller->tagged += packet->tagged;
  if (in->tells && packet->rtp && arrival.cls == PAQM_MEDIA)
    paqm_sources_on_packet (in->teller->sources, packet, in->packets, buffer, in->now);
  verdict = gst_paqm_queues_judge (in->queues, &arrival, packet, in->now);
  if (verdict == PAQM_DROP)
    return buffer;
  if (verdict == PAQM_MARK)
    buffer = in->packets->mark (buffer);
  enqueue (in, arrival.cls, GST_MINI_OBJECT_CAST (buffer), arrival.size_bytes);
  return NULL;
}

void
gst_paqm_intake_admit_event (const GstPaqmIntake *in, GstEvent *event)
{
  enqueue (in, in->pad->last_cls, GST_MINI_OBJECT_CAST (event), 0);
}
