/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets arrive: looked at and tagged without the lock, then kept, marked or dropped as the core says. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmprivate.h"

#include "flowhash.h"

/* What holds for all packets that arrive in one call. */
typedef struct {
  GstPaqmShaper *self;
  GstPaqmPad *pad;
  const GstPaqmPacketFuncs *packets;
  GstPaqmLook look;
  GstPaqmTag tag;
  gboolean tags, tells;
  guint link_overhead;
  GstPaqmClass cls;
  GstClockTime now;
  GstFlowReturn ret;
} Intake;

const GstPaqmPacketFuncs *
gst_paqm_shaper_packets (GstPaqmShaper *self)
{
  return self->applied.mode == GST_PAQM_MODE_IP ? &gst_paqm_packet_ip : &gst_paqm_packet_rtp;
}

static GstFlowReturn
begin (GstPaqmShaper *self, GstPaqmPad *pad, GstClockTime now, Intake *in)
{
  GstPaqmStream *old = NULL;
  GstFlowReturn ret;

  *in = (Intake){.self = self, .pad = pad, .now = now, .cls = (GstPaqmClass)g_atomic_int_get (&pad->cls)};
  if (pad->stream_changed) {
    old = pad->stream;
    pad->stream = gst_paqm_pad_new_stream (pad);
    pad->stream_changed = FALSE;
  }
  gst_paqm_stream_unref (old);
  g_mutex_lock (&self->lock);
  ret = self->srcresult;
  in->packets = gst_paqm_shaper_packets (self);
  in->look = (GstPaqmLook){.key = {self->key[0] ^ pad->number, self->key[1]},
      .overhead_bytes = self->applied.overhead,
      .rtt_id = pad->caps.rtt_id,
      .is_media = pad->caps.media || in->cls == GST_PAQM_CLASS_MEDIA};
  in->link_overhead = self->applied.link_overhead;
  in->tags = gst_paqm_shaper_get_tag (self, pad, &in->tag);
  in->tells = gst_paqm_shaper_tells_sources (self);
  g_mutex_unlock (&self->lock);
  return ret;
}

static PaqmClass
class_of (const Intake *in, const GstPaqmPacket *packet)
{
  if (in->cls == GST_PAQM_CLASS_AUTO)
    return packet->media ? PAQM_MEDIA : PAQM_ELASTIC;
  return in->cls == GST_PAQM_CLASS_MEDIA ? PAQM_MEDIA : PAQM_ELASTIC;
}

/* Without the lock. */
static GstBuffer *
prepare (Intake *in, GstBuffer *buffer, GstPaqmPacket *packet)
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

static guint64
flow_of (GstPaqmShaper *self, GstPaqmPad *pad, guint64 flow)
{
  if (flow != 0)
    pad->last_flow = flow;
  else if (pad->last_flow == 0)
    return flow_hash_spread (pad->number, self->key[0]);
  return pad->last_flow;
}

static void
enqueue (Intake *in, PaqmClass cls, GstBuffer *buffer, const GstPaqmPacket *packet)
{
  GstPaqmShaper *self = in->self;
  GstPaqmItem item = {.object = GST_MINI_OBJECT_CAST (buffer),
      .stream = gst_paqm_stream_ref (in->pad->stream),
      .size_bytes = packet->size_bytes + in->link_overhead,
      .media = cls == PAQM_MEDIA,
      .at = in->now};

  gst_cc_deque_push_tail_struct (self->fifo[paqm_queue (self->paqm, cls)], &item);
}

/* With the lock; what returns is not wanted any more. */
static GstBuffer *
admit (Intake *in, GstBuffer *buffer, GstPaqmPacket *packet)
{
  GstPaqmShaper *self = in->self;
  PaqmArrival arrival = {.cls = class_of (in, packet),
      .flow = flow_of (self, in->pad, packet->flow),
      .size_bytes = packet->size_bytes + in->link_overhead,
      .ect = packet->ect};
  PaqmVerdict verdict;

  in->pad->last_cls = arrival.cls;
  self->tagged += packet->tagged;
  if (packet->rtt > 0)
    paqm_on_rtt (self->paqm, packet->rtt);
  if (arrival.cls == PAQM_MEDIA) {
    self->ip_bytes += packet->size_bytes;
    self->link_bytes += arrival.size_bytes;
  }
  if (in->tells && packet->rtp && arrival.cls == PAQM_MEDIA)
    paqm_sources_on_packet (self->sources, packet, in->packets, buffer, in->now);
  verdict = paqm_on_arrival (self->paqm, &arrival, in->now);
  if (verdict == PAQM_DROP)
    return buffer;
  if (verdict == PAQM_MARK)
    buffer = in->packets->mark (buffer);
  enqueue (in, arrival.cls, buffer, packet);
  return NULL;
}

/* With the lock. */
static void
finish (Intake *in)
{
  GstPaqmShaper *self = in->self;

  gst_paqm_shaper_run_periods (self, in->now);
  gst_paqm_shaper_wake_before (
      self, link_slots_may_send (&self->slots, in->now) ? in->now : link_slots_next (&self->slots));
}

GstFlowReturn
gst_paqm_shaper_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (parent);
  GstFlowReturn ret;
  GstPaqmPacket packet;
  Intake in;

  ret = begin (self, GST_PAQM_PAD (pad), gst_paqm_shaper_now (self), &in);
  if (ret == GST_FLOW_OK) {
    buffer = prepare (&in, buffer, &packet);
    g_mutex_lock (&self->lock);
    ret = self->srcresult;
    if (ret == GST_FLOW_OK) {
      buffer = admit (&in, buffer, &packet);
      finish (&in);
    }
    g_mutex_unlock (&self->lock);
  }
  gst_clear_buffer (&buffer);
  return ret;
}

/* Takes the buffer out of the list, so that it may be written to. */
static gboolean
on_list_buffer (GstBuffer **place, guint index, gpointer user)
{
  Intake *in = user;
  GstBuffer *buffer = *place;
  GstPaqmPacket packet;

  *place = NULL;
  buffer = prepare (in, buffer, &packet);
  g_mutex_lock (&in->self->lock);
  in->ret = in->self->srcresult;
  if (in->ret == GST_FLOW_OK)
    buffer = admit (in, buffer, &packet);
  g_mutex_unlock (&in->self->lock);
  gst_clear_buffer (&buffer);
  return in->ret == GST_FLOW_OK;
}

GstFlowReturn
gst_paqm_shaper_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstPaqmShaper *self = GST_PAQM_SHAPER (parent);
  Intake in;

  in.ret = begin (self, GST_PAQM_PAD (pad), gst_paqm_shaper_now (self), &in);
  if (in.ret == GST_FLOW_OK) {
    list = gst_buffer_list_make_writable (list);
    gst_buffer_list_foreach (list, on_list_buffer, &in);
    g_mutex_lock (&self->lock);
    finish (&in);
    g_mutex_unlock (&self->lock);
  }
  gst_buffer_list_unref (list);
  return in.ret;
}

gboolean
gst_paqm_shaper_queue_event (GstPaqmShaper *self, GstPaqmPad *pad, GstEvent *event)
{
  GstPaqmItem item = {.object = GST_MINI_OBJECT_CAST (event)};
  Intake in;
  GstFlowReturn ret = begin (self, pad, gst_paqm_shaper_now (self), &in);

  if (ret != GST_FLOW_OK) {
    gst_event_unref (event);
    return FALSE;
  }
  g_mutex_lock (&self->lock);
  item.stream = gst_paqm_stream_ref (pad->stream);
  gst_cc_deque_push_tail_struct (self->fifo[paqm_queue (self->paqm, pad->last_cls)], &item);
  gst_paqm_shaper_wake_before (self, in.now);
  g_mutex_unlock (&self->lock);
  return TRUE;
}
