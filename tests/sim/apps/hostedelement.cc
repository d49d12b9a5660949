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

/* What the element does on its own thread, or while it is called. */
struct HostedElement::Host {
  GstTestClock *clock = nullptr;
  GstElement *element = nullptr;
  GstPad *in = nullptr, *out = nullptr; /* ours: packets go in through `in` and come out at `out` */
  std::mutex lock;                      /* of the next ones */
  std::vector<GstBuffer *> left;        /* packets */
  std::vector<GstStructure *> said;     /* of upstream events */

  static GstFlowReturn take_packet (GstPad *pad, GstObject *parent, GstBuffer *buffer);
  static gboolean take_event (GstPad *pad, GstObject *parent, GstEvent *event);
  GstPad *make_pad (const char *name, GstPadDirection direction, const char *peer_name);
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

HostedElement::HostedElement (const HostedElementSpec &s, const HostedElementUser &u)
    : spec (s), user (u), host (new Host)
{
  host->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (now_ns ()));
  hosted_clock_set (now_ns ());
  /* Whatever asks for the system clock while the element comes to life gets the one that only we move. */
  GstClock *system = gst_system_clock_obtain ();
  gst_system_clock_set_default (GST_CLOCK (host->clock));
  create ();
  connect ();
  start ();
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

static void
set_max_delay (GstElement *element, double s)
{
  if (s > 0 && g_object_class_find_property (G_OBJECT_GET_CLASS (element), "max-delay"))
    g_object_set (element, "max-delay", (guint64)(s * GST_SECOND), nullptr);
}

static void
set_weight (GstElement *element, double weight)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "path-weight"))
    g_object_set (element, "path-weight", weight, nullptr);
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
  set_max_delay (host->element, spec.max_delay_s);
  set_weight (host->element, spec.weight);
}

GstFlowReturn
HostedElement::Host::take_packet (GstPad *pad, GstObject *, GstBuffer *buffer)
{
  Host *host = static_cast<Host *> (gst_pad_get_element_private (pad));
  std::lock_guard<std::mutex> guard (host->lock);

  host->left.push_back (buffer);
  return GST_FLOW_OK;
}

gboolean
HostedElement::Host::take_event (GstPad *pad, GstObject *, GstEvent *event)
{
  Host *host = static_cast<Host *> (gst_pad_get_element_private (pad));
  const GstStructure *structure = gst_event_get_structure (event);

  if (structure && pad == host->in) {
    std::lock_guard<std::mutex> guard (host->lock);
    host->said.push_back (gst_structure_copy (structure));
  }
  gst_event_unref (event);
  return TRUE;
}

GstPad *
HostedElement::Host::make_pad (const char *name, GstPadDirection direction, const char *peer_name)
{
  GstPad *pad = gst_pad_new (name, direction), *peer = gst_element_get_static_pad (element, peer_name);

  NS_ABORT_MSG_UNLESS (peer, "the hosted element has no pad " << peer_name);
  gst_pad_set_element_private (pad, this);
  gst_pad_set_event_function (pad, take_event);
  if (direction == GST_PAD_SINK)
    gst_pad_set_chain_function (pad, take_packet);
  gst_pad_set_active (pad, TRUE);
  GstPadLinkReturn linked = direction == GST_PAD_SRC ? gst_pad_link (pad, peer) : gst_pad_link (peer, pad);
  NS_ABORT_MSG_UNLESS (linked == GST_PAD_LINK_OK, "the hosted element takes no RTP");
  gst_object_unref (peer);
  return pad;
}

void
HostedElement::connect ()
{
  host->in = host->make_pad ("in", GST_PAD_SRC, "sink");
  host->out = host->make_pad ("out", GST_PAD_SINK, "src");
}

/* Going up, an element starts its task before its sink pad takes events upstream: whether the task's first one got
   through would be chance. */
void
HostedElement::start ()
{
  GstPad *sink = gst_element_get_static_pad (host->element, "sink");

  gst_pad_set_active (sink, TRUE);
  gst_object_unref (sink);
  gst_element_set_state (host->element, GST_STATE_PLAYING);
  rest ();
}

/* Each event by itself: the task may pass it on. */
void
HostedElement::begin_stream ()
{
  GstCaps *caps = gst_caps_from_string ("application/x-rtp,media=video,clock-rate=90000");
  GstSegment segment;

  if (!spec.encoding_name.empty ())
    gst_caps_set_simple (caps, "encoding-name", G_TYPE_STRING, spec.encoding_name.c_str (), nullptr);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (GstEvent *event :
      {gst_event_new_stream_start ("hosted"), gst_event_new_caps (caps), gst_event_new_segment (&segment)}) {
    rest ();
    gst_pad_push_event (host->in, event);
  }
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
  gst_test_clock_crank (host->clock);
  gst_element_set_state (host->element, GST_STATE_NULL);
  for (GstBuffer *buffer : host->left)
    gst_buffer_unref (buffer);
  for (GstStructure *structure : host->said)
    gst_structure_free (structure);
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

/* Waits until the element's task sleeps. Returns what the element's clock will show when it wants to be woken. */
uint64_t
HostedElement::rest ()
{
  GList *pending = nullptr;

  NS_ABORT_MSG_UNLESS (gst_test_clock_timed_wait_for_multiple_pending_ids (host->clock, 1, patience_ms, &pending),
      spec.factory << " does not come to rest");
  uint64_t at = gst_clock_id_get_time (pending->data);
  g_list_free_full (pending, (GDestroyNotify)gst_clock_id_unref);
  return at;
}

/* Hands on what it has done before it came to rest. */
void
HostedElement::settle ()
{
  next_wake.Cancel ();
  uint64_t at = std::max (rest (), now_ns ());
  next_wake = ns3::Simulator::Schedule (ns3::NanoSeconds (at - now_ns ()), &HostedElement::wake, this);
  deliver ();
  tell_rate ();
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
    user.on_packet (std::move (bytes));
  }
}

static void
read_time (const GstStructure *structure, const char *name, double *seconds)
{
  guint64 ns;

  if (gst_structure_get_uint64 (structure, name, &ns) && ns != GST_CLOCK_TIME_NONE)
    *seconds = ns * 1e-9;
}

static RateNews
news_of (const GstStructure *structure)
{
  RateNews news;
  guint bitrate = 0, wire_bitrate = 0;

  gst_structure_get_uint (structure, "bitrate", &bitrate);
  gst_structure_get_uint (structure, "wire-bitrate", &wire_bitrate);
  gst_structure_get_uint (structure, "backlog", &news.backlog);
  gst_structure_get_uint (structure, "frame-budget", &news.frame_budget);
  gst_structure_get_double (structure, "loss-event-rate", &news.loss_event_rate);
  read_time (structure, "rtt", &news.rtt_s);
  read_time (structure, "queue-delay", &news.queue_delay_s);
  news.bitrate = bitrate;
  news.wire_bitrate = wire_bitrate;
  if (const char *limit = gst_structure_get_string (structure, "limit"))
    news.limit = g_intern_string (limit);
  if (const char *owner = gst_structure_get_string (structure, "owner"))
    news.owner = g_intern_string (owner);
  gboolean pause;
  news.pause = gst_structure_get_boolean (structure, "pause", &pause) && pause;
  return news;
}

/* The rate events where there are some, the property where that is all that changed. */
void
HostedElement::tell_rate ()
{
  std::vector<GstStructure *> said;
  double bps = estimate_bps ();
  RateNews news;
  {
    std::lock_guard<std::mutex> guard (host->lock);
    said.swap (host->said);
  }
  for (GstStructure *structure : said) {
    if (gst_structure_has_name (structure, "GstForceKeyUnit"))
      user.on_key_unit ();
    if (gst_structure_has_name (structure, "GstCongestionRate")) {
      sends_events = true;
      user.on_rate (news_of (structure));
    }
    gst_structure_free (structure);
  }
  if (bps == told_bps)
    return;
  told_bps = news.bitrate = news.wire_bitrate = bps;
  if (!sends_events)
    user.on_rate (news);
}

void
HostedElement::push (const std::vector<uint8_t> &rtp_packet)
{
  GstBuffer *buffer = gst_buffer_new_memdup (rtp_packet.data (), rtp_packet.size ());

  set_time ();
  GST_BUFFER_PTS (buffer) = now_ns () - hosted_epoch_ns;
  GstFlowReturn flow = gst_pad_push (host->in, buffer);
  NS_ABORT_MSG_UNLESS (flow == GST_FLOW_OK, spec.factory << " refused a packet: " << gst_flow_get_name (flow));
  settle ();
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
  settle ();
}

double
HostedElement::estimate_bps () const
{
  guint bps = 0;

  g_object_get (host->element, "estimated-bitrate", &bps, nullptr);
  return bps;
}

} // namespace sim
