/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "syncpipeline.h"
#include <gst/gst.h>
#include <ns3/abort.h>

namespace sim
{

struct SyncPipeline::Private {
  SyncPipeline *owner;
  std::string description;
  GstElement *pipeline, *bin;
  GstPad *head, *tail; /* ours, linked to the bin's ghost pads; tail NULL: the chain ends in a sink */
  GstBus *bus;
  GstCaps *out_caps = nullptr;
  bool begun = false;
};

/* Takes the message; NULL: none. */
static void
stop_at_error (const std::string &description, GstMessage *message)
{
  GError *error = nullptr;
  gchar *debug = nullptr;

  if (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, &debug);
    NS_ABORT_MSG (description << ": " << error->message << " (" << (debug ? debug : "") << ")");
  }
  g_clear_pointer (&message, gst_message_unref);
}

static GstFlowReturn
on_tail_buffer (GstPad *pad, GstObject *, GstBuffer *buffer)
{
  auto *p = (SyncPipeline::Private *)gst_pad_get_element_private (pad);

  if (p->owner->on_buffer)
    p->owner->on_buffer (buffer, p->out_caps);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
on_tail_event (GstPad *pad, GstObject *, GstEvent *event)
{
  auto *p = (SyncPipeline::Private *)gst_pad_get_element_private (pad);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_caps_replace (&p->out_caps, caps);
  }
  gst_event_unref (event);
  return TRUE;
}

static gboolean
on_head_event (GstPad *pad, GstObject *, GstEvent *event)
{
  auto *p = (SyncPipeline::Private *)gst_pad_get_element_private (pad);

  if (p->owner->on_upstream)
    p->owner->on_upstream (event);
  gst_event_unref (event);
  return TRUE;
}

/* Without a template a pad that has caps takes no others: what follows a change of caps would be refused. */
static GstStaticPadTemplate head_template =
    GST_STATIC_PAD_TEMPLATE ("head", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate tail_template =
    GST_STATIC_PAD_TEMPLATE ("tail", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static GstPad *
connect (SyncPipeline::Private *p, const char *name, GstPadDirection direction)
{
  GstPad *ghost = gst_element_get_static_pad (p->bin, direction == GST_PAD_SRC ? "sink" : "src");

  if (!ghost)
    return nullptr;
  GstPad *pad = gst_pad_new_from_static_template (direction == GST_PAD_SRC ? &head_template : &tail_template, name);
  gst_pad_set_element_private (pad, p);
  if (direction == GST_PAD_SRC) {
    gst_pad_set_event_function (pad, on_head_event);
  } else {
    gst_pad_set_chain_function (pad, on_tail_buffer);
    gst_pad_set_event_function (pad, on_tail_event);
  }
  gst_pad_set_active (pad, TRUE);
  GstPadLinkReturn linked = direction == GST_PAD_SRC ? gst_pad_link (pad, ghost) : gst_pad_link (ghost, pad);
  NS_ABORT_MSG_UNLESS (linked == GST_PAD_LINK_OK, "cannot link " << p->description);
  gst_object_unref (ghost);
  return pad;
}

SyncPipeline::SyncPipeline (const std::string &description, const std::string &caps) : p (new Private)
{
  GError *error = nullptr;

  gst_init (nullptr, nullptr);
  p->owner = this;
  p->description = description;
  p->bin = gst_parse_bin_from_description (description.c_str (), TRUE, &error);
  NS_ABORT_MSG_IF (error, "pipeline " << description << ": " << error->message);
  p->pipeline = gst_pipeline_new (nullptr);
  p->bus = gst_element_get_bus (p->pipeline);
  gst_bin_add (GST_BIN (p->pipeline), p->bin);
  p->head = connect (p, "head", GST_PAD_SRC);
  NS_ABORT_MSG_UNLESS (p->head, "nothing can be pushed into " << description);
  p->tail = connect (p, "tail", GST_PAD_SINK);
  gst_element_set_state (p->pipeline, GST_STATE_PLAYING);
  check ();
  if (caps.empty ())
    return;
  GstCaps *parsed = gst_caps_from_string (caps.c_str ());
  NS_ABORT_MSG_UNLESS (parsed, "no caps: " << caps);
  set_caps (parsed);
  gst_caps_unref (parsed);
}

SyncPipeline::~SyncPipeline ()
{
  gst_element_set_state (p->pipeline, GST_STATE_NULL);
  for (GstPad *pad : {p->head, p->tail})
    if (pad) {
      gst_pad_set_active (pad, FALSE);
      gst_object_unref (pad);
    }
  gst_clear_caps (&p->out_caps);
  gst_object_unref (p->bus);
  gst_object_unref (p->pipeline);
  delete p;
}

void
SyncPipeline::set_caps (GstCaps *caps)
{
  GstSegment segment;

  if (!p->begun)
    gst_pad_push_event (p->head, gst_event_new_stream_start ("simulated"));
  gst_pad_push_event (p->head, gst_event_new_caps (caps));
  if (!p->begun) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_push_event (p->head, gst_event_new_segment (&segment));
  }
  p->begun = true;
  check ();
}

bool
SyncPipeline::push (GstBuffer *buffer)
{
  GstFlowReturn flow = gst_pad_push (p->head, buffer);

  check ();
  return flow == GST_FLOW_OK;
}

void
SyncPipeline::push_event (GstEvent *event)
{
  gst_pad_push_event (p->head, event);
}

void
SyncPipeline::end ()
{
  push_event (gst_event_new_eos ());
  if (p->tail)
    check ();
  else /* a muxer ends in a thread of its own */
    stop_at_error (p->description, gst_bus_timed_pop_filtered (p->bus, GST_CLOCK_TIME_NONE,
                                       (GstMessageType)(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
}

void
SyncPipeline::send_upstream (GstEvent *event)
{
  gst_pad_push_event (p->tail, event);
  check ();
}

GstElement *
SyncPipeline::find (const char *name)
{
  return gst_bin_get_by_name (GST_BIN (p->pipeline), name);
}

void
SyncPipeline::check ()
{
  stop_at_error (p->description, gst_bus_pop_filtered (p->bus, GST_MESSAGE_ERROR));
}

} // namespace sim
