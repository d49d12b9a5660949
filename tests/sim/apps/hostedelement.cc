/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hostedelement.h"
#include "hostedclock.h"
#include <algorithm>
#include <gst/check/gsttestclock.h>
#include <gst/gst.h>
#include <mutex>
#include <ns3/abort.h>
#include <ns3/simulator.h>
#include <unistd.h>

namespace sim
{

static const unsigned patience_ms = 20000; /* real time a step of the element may take */

struct HostedElement::Host {
  GstTestClock *clock = nullptr;
  GstElement *element = nullptr;
  GstPad *in = nullptr, *out = nullptr; /* ours: packets go in through `in` and come out at `out` */
  std::function<void (GstBuffer *)> keep;
  std::mutex lock;
  std::vector<GstBuffer *> left; /* packets that came out, by the element's task */
};

static GstElementFactory *
find_factory (const std::string &name)
{
  gst_init (nullptr, nullptr);
  GstElementFactory *found = gst_element_factory_find (name.c_str ());

  if (!found && name == "rtpgccbwe") {
    GstPlugin *plugin = gst_plugin_load_file (RIVAL_PLUGINS "/libgstrsrtp.so", nullptr);
    if (plugin)
      gst_object_unref (plugin);
    found = gst_element_factory_find (name.c_str ());
  }
  if (!found)
    return nullptr;
  GstElementFactory *loaded = GST_ELEMENT_FACTORY (gst_plugin_feature_load (GST_PLUGIN_FEATURE (found)));
  gst_object_unref (found);
  return loaded;
}

bool
HostedElement::available (const std::string &factory)
{
  GstElementFactory *found = find_factory (factory);

  if (found)
    gst_object_unref (found);
  return found != nullptr;
}

uint64_t
HostedElement::now_ns ()
{
  return hosted_epoch_ns + ns3::Simulator::Now ().GetNanoSeconds ();
}

HostedElement::HostedElement (const HostedElementSpec &s, OnPacket packet)
    : spec (s), on_packet (packet), host (new Host)
{
  host->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (now_ns ()));
  hosted_clock_set (now_ns ());
  /* Whatever asks for the system clock while the element comes to life gets the one that only we move. */
  GstClock *system = gst_system_clock_obtain ();
  gst_system_clock_set_default (GST_CLOCK (host->clock));
  create ();
  connect ();
  gst_element_set_state (host->element, GST_STATE_PLAYING);
  gst_system_clock_set_default (system);
  gst_object_unref (system);
  begin_stream ();
  settle ();
}

static void
set_rate (GstElement *element, const char *name, double bps)
{
  if (bps > 0)
    g_object_set (element, name, (guint)bps, nullptr);
}

/* The library's clock is ours before its first instance reads it. */
void
HostedElement::create ()
{
  GstElementFactory *factory = find_factory (spec.factory);

  NS_ABORT_MSG_UNLESS (factory, "no element " << spec.factory << "; tests/quality/rivals/build makes rtpgccbwe");
  GObjectClass *type = G_OBJECT_CLASS (g_type_class_ref (gst_element_factory_get_element_type (factory)));
  hosted_clock_add_library ((const void *)type->get_property);
  g_type_class_unref (type);
  host->element = GST_ELEMENT (gst_object_ref_sink (gst_element_factory_create (factory, nullptr)));
  gst_object_unref (factory);
  set_rate (host->element, "max-bitrate", spec.max_bps);
  set_rate (host->element, "min-bitrate", spec.min_bps);
  set_rate (host->element, "estimated-bitrate", spec.start_bps);
}

static GstFlowReturn
take_packet (GstPad *pad, GstObject *, GstBuffer *buffer)
{
  auto *keep = static_cast<std::function<void (GstBuffer *)> *> (gst_pad_get_element_private (pad));

  (*keep) (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad *, GstObject *, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static GstPad *
host_pad (const char *name, GstPadDirection direction, GstElement *element, const char *peer_name)
{
  GstPad *pad = gst_pad_new (name, direction), *peer = gst_element_get_static_pad (element, peer_name);

  NS_ABORT_MSG_UNLESS (peer, "the hosted element has no pad " << peer_name);
  gst_pad_set_event_function (pad, take_event);
  gst_pad_set_active (pad, TRUE);
  GstPadLinkReturn linked = direction == GST_PAD_SRC ? gst_pad_link (pad, peer) : gst_pad_link (peer, pad);
  NS_ABORT_MSG_UNLESS (linked == GST_PAD_LINK_OK, "the hosted element takes no RTP");
  gst_object_unref (peer);
  return pad;
}

void
HostedElement::connect ()
{
  host->keep = [this] (GstBuffer *buffer) {
    std::lock_guard<std::mutex> guard (host->lock);
    host->left.push_back (buffer);
  };
  host->in = host_pad ("in", GST_PAD_SRC, host->element, "sink");
  host->out = host_pad ("out", GST_PAD_SINK, host->element, "src");
  gst_pad_set_element_private (host->out, &host->keep);
  gst_pad_set_chain_function (host->out, take_packet);
}

void
HostedElement::begin_stream ()
{
  GstCaps *caps = gst_caps_from_string ("application/x-rtp,media=video,clock-rate=90000");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (host->in, gst_event_new_stream_start ("hosted"));
  gst_pad_push_event (host->in, gst_event_new_caps (caps));
  gst_pad_push_event (host->in, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

/* The task is told to end before it is woken for the last time. */
HostedElement::~HostedElement ()
{
  next_wake.Cancel ();
  GstPad *source = gst_element_get_static_pad (host->element, "src");
  GST_OBJECT_LOCK (source);
  if (GST_PAD_TASK (source))
    gst_task_stop (GST_PAD_TASK (source));
  GST_OBJECT_UNLOCK (source);
  gst_object_unref (source);
  if (spec.sleeps)
    gst_test_clock_crank (host->clock);
  gst_element_set_state (host->element, GST_STATE_NULL);
  for (GstBuffer *buffer : host->left)
    gst_buffer_unref (buffer);
  gst_object_unref (host->in);
  gst_object_unref (host->out);
  gst_object_unref (host->element);
  gst_object_unref (host->clock);
}

void
HostedElement::set_time ()
{
  hosted_clock_set (now_ns ());
  gst_test_clock_set_time (host->clock, now_ns ());
}

/* Waits until the element's task sleeps, and for the time it wants to be woken at. */
void
HostedElement::settle ()
{
  GList *pending = nullptr;

  if (!spec.sleeps)
    return;
  NS_ABORT_MSG_UNLESS (gst_test_clock_timed_wait_for_multiple_pending_ids (host->clock, 1, patience_ms, &pending),
      spec.factory << " does not come to rest");
  uint64_t at = gst_clock_id_get_time (pending->data);
  g_list_free_full (pending, (GDestroyNotify)gst_clock_id_unref);
  next_wake =
      ns3::Simulator::Schedule (ns3::NanoSeconds (std::max (at, now_ns ()) - now_ns ()), &HostedElement::wake, this);
}

void
HostedElement::wake ()
{
  wakes++;
  set_time ();
  if (spec.real_delay_us)
    usleep (spec.real_delay_us);
  GstClockID woken = gst_test_clock_process_next_clock_id (host->clock);
  NS_ABORT_MSG_UNLESS (woken, spec.factory << " had nothing to be woken for");
  gst_clock_id_unref (woken);
  settle ();
  deliver ();
}

/* What came out meanwhile, in this simulated instant. */
void
HostedElement::deliver ()
{
  std::vector<GstBuffer *> left;
  {
    std::lock_guard<std::mutex> guard (host->lock);
    left.swap (host->left);
  }
  for (GstBuffer *buffer : left) {
    std::vector<uint8_t> bytes (gst_buffer_get_size (buffer));
    gst_buffer_extract (buffer, 0, bytes.data (), bytes.size ());
    gst_buffer_unref (buffer);
    on_packet (std::move (bytes));
  }
}

void
HostedElement::push (const std::vector<uint8_t> &rtp_packet)
{
  GstBuffer *buffer = gst_buffer_new_memdup (rtp_packet.data (), rtp_packet.size ());

  set_time ();
  GST_BUFFER_PTS (buffer) = now_ns () - hosted_epoch_ns;
  GstFlowReturn flow = gst_pad_push (host->in, buffer);
  NS_ABORT_MSG_UNLESS (flow == GST_FLOW_OK, spec.factory << " refused a packet: " << gst_flow_get_name (flow));
  deliver ();
}

static GstStructure *
structure_of (const PacketOutcome &o)
{
  return gst_structure_new ("RTPTWCCPacket", "seqnum", G_TYPE_UINT, (guint)o.seq, "local-ts", G_TYPE_UINT64,
      o.known ? o.sent_ns : GST_CLOCK_TIME_NONE, "remote-ts", G_TYPE_UINT64,
      o.lost ? GST_CLOCK_TIME_NONE : o.arrived_ns, "payload-type", G_TYPE_UCHAR, o.known ? o.payload_type : 0, "size",
      G_TYPE_UINT, o.known ? o.bytes : 0, "lost", G_TYPE_BOOLEAN, o.lost, nullptr);
}

/* rtpsession hands out a GValueArray, deprecated or not. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS
static GstEvent *
event_of (const std::vector<PacketOutcome> &outcomes)
{
  GstStructure *packets = gst_structure_new_empty ("RTPTWCCPackets");
  GValueArray *array = g_value_array_new (outcomes.size ());
  GValue value = G_VALUE_INIT;

  for (const PacketOutcome &outcome : outcomes) {
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, structure_of (outcome));
    g_value_array_append (array, &value);
    g_value_unset (&value);
  }
  g_value_init (&value, g_value_array_get_type ());
  g_value_take_boxed (&value, array);
  gst_structure_take_value (packets, "packets", &value);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, packets);
}
G_GNUC_END_IGNORE_DEPRECATIONS

void
HostedElement::feedback (const std::vector<PacketOutcome> &outcomes)
{
  set_time ();
  gst_pad_push_event (host->out, event_of (outcomes));
  deliver ();
}

double
HostedElement::estimate_bps () const
{
  guint bps = 0;

  g_object_get (host->element, "estimated-bitrate", &bps, nullptr);
  return bps;
}

} // namespace sim
