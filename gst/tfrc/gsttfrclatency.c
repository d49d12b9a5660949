/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrclatency.h"

#define MOST_PACKETS 1024           /* of a picture that waits */
#define DECODING (20 * GST_MSECOND) /* what a sink leaves the elements between, as its processing-deadline has it */

/* ---- when packets are there ---- */

/* False: no packet. */
static gboolean
read_header (GstBuffer *buffer, guint16 *seq, gboolean *marker)
{
  guint8 header[4];

  if (gst_buffer_extract (buffer, 0, header, sizeof header) < sizeof header)
    return FALSE;
  *seq = GST_READ_UINT16_BE (header + 2);
  *marker = (header[1] & 0x80) != 0;
  return TRUE;
}

static void
note_arrival (GstTfrcLatency *l, GstBuffer *buffer)
{
  GstClockTime now = gst_element_get_current_running_time (l->element);
  gboolean marker;
  guint16 seq;

  if (now == GST_CLOCK_TIME_NONE || !read_header (buffer, &seq, &marker))
    return;
  g_mutex_lock (&l->lock);
  in_order_on_arrival (&l->packets, seq, now);
  g_mutex_unlock (&l->lock);
}

static GstPadProbeReturn
on_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  (void)pad;
  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    note_arrival (user_data, GST_PAD_PROBE_INFO_BUFFER (info));
  else
    for (guint i = 0; i < gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info)); i++)
      note_arrival (user_data, gst_buffer_list_get (GST_PAD_PROBE_INFO_BUFFER_LIST (info), i));
  return GST_PAD_PROBE_OK;
}

/* ---- pictures ---- */

/* By how much the picture at hand has to be moved for a sink to show it. */
static GstClockTime
late_by (GstTfrcLatency *l, GstClockTime pts)
{
  GstClockTime pipeline;

  g_mutex_lock (&l->lock);
  pipeline = l->pipeline;
  g_mutex_unlock (&l->lock);
  return pipeline == GST_CLOCK_TIME_NONE ? 0 : late_picture_move (&l->late, pts, l->ready + DECODING, pipeline);
}

static GstFlowReturn
push_picture (GstTfrcLatency *l)
{
  GstBuffer *first = g_queue_peek_head (&l->picture), *buffer;
  GstClockTime moved = first != NULL ? late_by (l, GST_BUFFER_PTS (first)) : 0;
  GstFlowReturn ret = GST_FLOW_OK;

  while ((buffer = g_queue_pop_head (&l->picture)) != NULL) {
    GstFlowReturn pushed;

    if (moved > 0) {
      buffer = gst_buffer_make_writable (buffer);
      GST_BUFFER_PTS (buffer) += moved;
    }
    pushed = gst_pad_push (l->ghost, buffer);
    ret = ret == GST_FLOW_OK ? pushed : ret;
  }
  return ret;
}

/* The jitter buffer's time of a packet is when it would have come without any wait. */
static void
note_leaving (GstTfrcLatency *l, guint16 seq, GstClockTime pts)
{
  GstClockTime now = gst_element_get_current_running_time (l->element);
  gboolean changed = FALSE;

  if (now == GST_CLOCK_TIME_NONE)
    return;
  g_mutex_lock (&l->lock);
  l->ready = in_order_on_leaving (&l->packets, seq, now);
  changed = playout_delay_on_packet (&l->delay, pts, cc_time_since (l->ready, pts), now);
  g_mutex_unlock (&l->lock);
  if (changed)
    gst_element_post_message (l->element, gst_message_new_latency (GST_OBJECT (l->element)));
}

static gboolean
is_of_picture (GstTfrcLatency *l, GstClockTime pts)
{
  return g_queue_is_empty (&l->picture) || GST_BUFFER_PTS ((GstBuffer *)g_queue_peek_head (&l->picture)) == pts;
}

/* A sender that marks no ends is not waited for, nor one whose picture does not end. */
static gboolean
is_whole (GstTfrcLatency *l, gboolean marker)
{
  return marker || !l->marked || g_queue_get_length (&l->picture) >= MOST_PACKETS;
}

static GstFlowReturn
on_leaving (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstTfrcLatency *l = pad->chaindata;
  GstClockTime pts = GST_BUFFER_PTS (buffer);
  GstFlowReturn before = GST_FLOW_OK, ret;
  gboolean marker;
  guint16 seq;

  if (!l->adaptive || pts == GST_CLOCK_TIME_NONE || !read_header (buffer, &seq, &marker))
    return gst_proxy_pad_chain_default (pad, parent, buffer);
  if (!is_of_picture (l, pts)) {
    before = push_picture (l);
    l->marked = FALSE;
  }
  note_leaving (l, seq, pts);
  g_queue_push_tail (&l->picture, buffer);
  ret = is_whole (l, marker) ? push_picture (l) : GST_FLOW_OK;
  l->marked = l->marked || marker;
  return before == GST_FLOW_OK ? ret : before;
}

static GstFlowReturn
on_list_leaving (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstTfrcLatency *l = pad->chainlistdata;
  GstFlowReturn ret = GST_FLOW_OK;

  if (!l->adaptive)
    return gst_proxy_pad_chain_list_default (pad, parent, list);
  for (guint i = 0; i < gst_buffer_list_length (list) && ret == GST_FLOW_OK; i++)
    ret = on_leaving (pad, parent, gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return ret;
}

static void
drop_picture (GstTfrcLatency *l)
{
  g_queue_clear_full (&l->picture, (GDestroyNotify)gst_buffer_unref);
}

static gboolean
on_event_down (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstTfrcLatency *l = pad->eventdata;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    drop_picture (l);
  else if (GST_EVENT_IS_SERIALIZED (event))
    push_picture (l);
  return gst_pad_event_default (pad, parent, event);
}

/* ---- the latency ---- */

static GstPadProbeReturn
on_event_up (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcLatency *l = user_data;
  GstClockTime latency;

  (void)pad;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_event_parse_latency (GST_PAD_PROBE_INFO_EVENT (info), &latency);
  g_mutex_lock (&l->lock);
  l->pipeline = latency;
  g_mutex_unlock (&l->lock);
  return GST_PAD_PROBE_OK;
}

static void
look (GstElement *element, const gchar *name, GstPadProbeType type, GstPadProbeCallback callback, GstTfrcLatency *l)
{
  GstPad *pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, type, callback, l, NULL);
  gst_object_unref (pad);
}

void
gst_tfrc_latency_init (GstTfrcLatency *l, GstElement *element, GstElement *jitterbuffer, GstPad *ghost)
{
  GstPad *inside = GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (ghost)));

  g_mutex_init (&l->lock);
  g_queue_init (&l->picture);
  l->element = element;
  l->jitterbuffer = jitterbuffer;
  l->ghost = ghost;
  look (jitterbuffer, "sink", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_arrival, l);
  look (jitterbuffer, "src", GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_event_up, l);
  gst_pad_set_chain_function_full (inside, on_leaving, l, NULL);
  gst_pad_set_chain_list_function_full (inside, on_list_leaving, l, NULL);
  gst_pad_set_event_function_full (inside, on_event_down, l, NULL);
  gst_object_unref (inside);
}

void
gst_tfrc_latency_clear (GstTfrcLatency *l)
{
  drop_picture (l);
  g_mutex_clear (&l->lock);
}

void
gst_tfrc_latency_start (GstTfrcLatency *l, gboolean adaptive, guint first, guint longest)
{
  PlayoutDelayParams params;

  playout_delay_params_init (&params);
  params.first = first * CC_MSECOND;
  params.most = MAX (first, longest) * CC_MSECOND;
  drop_picture (l);
  l->marked = FALSE;
  late_picture_init (&l->late);
  g_mutex_lock (&l->lock);
  l->adaptive = adaptive;
  l->pipeline = GST_CLOCK_TIME_NONE;
  in_order_init (&l->packets);
  playout_delay_init (&l->delay, &params);
  g_mutex_unlock (&l->lock);
}

GstClockTime
gst_tfrc_latency_now (GstTfrcLatency *l)
{
  GstClockTime delay;

  g_mutex_lock (&l->lock);
  delay = l->adaptive ? l->delay.delay : GST_CLOCK_TIME_NONE;
  g_mutex_unlock (&l->lock);
  return delay;
}

void
gst_tfrc_latency_answer (GstTfrcLatency *l, GstQuery *query)
{
  GstClockTime delay = gst_tfrc_latency_now (l), least, most;
  gboolean live;
  guint wait;

  if (delay == GST_CLOCK_TIME_NONE)
    return;
  gst_query_parse_latency (query, &live, &least, &most);
  g_object_get (l->jitterbuffer, "latency", &wait, NULL);
  least = cc_time_since (least, wait * GST_MSECOND) + delay;
  gst_query_set_latency (query, live, least, most == GST_CLOCK_TIME_NONE || most > least ? most : least);
}
