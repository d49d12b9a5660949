/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtcpinject
 * @title: rtcpinject
 *
 * Feedback that some element makes beside rtpsession leaves in rtpsession's own RTCP: encrypted, where that is, under
 * its SSRC, as early as RFC 4585 lets the session. REMB and TMMBR of paqmshaper reach a browser so. Of what comes,
 * feedback messages (RTPFB, PSFB) and APP are taken; reports, descriptions and BYE are the session's business. A newer
 * message about the same takes the place of one that waits.
 *
 * Relayed from A to C over a link of 600 kb/s, which A is told of:
 *
 * <!-- printed: on B, beside vp8-sender, beside vp8-receiver -->
 * |[
 * gst-launch-1.0 rtpbin name=b b.send_rtcp_src_0 ! udpsink host=A port=5005 sync=false async=false
 * udpsrc port=5004 caps=application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96 ! b.recv_rtp_sink_0
 * b. ! s.sink_0 paqmshaper name=s capacity=600000 ! udpsink host=C port=5006 async=false s.rtcp_src ! rtcpinject bin=b
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpinject.h"

#include "rtcpwalk.h"

#include <gst/rtp/gstrtcpbuffer.h>
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_rtcp_inject_debug);
#define GST_CAT_DEFAULT gst_rtcp_inject_debug

#define DEFAULT_MAX_DELAY (100 * GST_MSECOND)
#define OLD (2 * GST_SECOND) /* nobody needs it any more */
#define MOST_PACKETS 31      /* of one compound that is read */

enum { PROP_0, PROP_BIN, PROP_SESSION_ID, PROP_SESSION, PROP_MAX_DELAY, PROP_SENT, PROP_DROPPED };

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtcp"));

G_DEFINE_TYPE_WITH_CODE (GstRtcpInject, gst_rtcp_inject, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_rtcp_inject_debug, "rtcpinject", 0, "Feedback through rtpsession"));
GST_ELEMENT_REGISTER_DEFINE (rtcpinject, "rtcpinject", GST_RANK_NONE, GST_TYPE_RTCP_INJECT);

/* ---- into the session's RTCP ---- */

/* Behind what the session has written, under the SSRC it speaks with; room: of the buffer. Returns the new size. */
static gsize
append (guint8 *compound, gsize size, gsize room, const GstRtcpInjectMessage *message)
{
  if (message->size > room - size)
    return size;
  memcpy (compound + size, message->data, message->size);
  memcpy (compound + size + 4, compound + 4, 4);
  return size + message->size;
}

static gboolean
on_sending_rtcp (GObject *session, GstBuffer *buffer, gboolean early, GstRtcpInject *self)
{
  gsize maxsize, size = gst_buffer_get_sizes (buffer, NULL, &maxsize), before = size;
  GstMapInfo map;
  guint i, left = 0;

  if (size < 8 || !gst_buffer_is_writable (buffer))
    return FALSE;
  g_mutex_lock (&self->lock);
  gst_buffer_set_size (buffer, maxsize);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
    gst_buffer_set_size (buffer, before);
    g_mutex_unlock (&self->lock);
    return FALSE;
  }
  for (i = 0; i < self->n_waiting; i++) {
    gsize longer = append (map.data, size, map.size, &self->waiting[i]);

    if (longer == size)
      self->waiting[left++] = self->waiting[i];
    size = longer;
  }
  gst_buffer_unmap (buffer, &map);
  gst_buffer_set_size (buffer, size);
  self->sent += self->n_waiting - left;
  self->n_waiting = left;
  g_mutex_unlock (&self->lock);
  return size > before;
}

/* ---- which session ---- */

static void
leave_session (GstRtcpInject *self)
{
  GObject *session;
  gulong handler;

  g_mutex_lock (&self->lock);
  session = g_steal_pointer (&self->session);
  handler = self->handler;
  self->handler = 0;
  g_mutex_unlock (&self->lock);
  if (session == NULL)
    return;
  g_signal_handler_disconnect (session, handler);
  g_object_unref (session);
}

static gboolean
has_session (GstRtcpInject *self, GObject *session)
{
  gboolean has;

  g_mutex_lock (&self->lock);
  has = self->session != NULL && (session == NULL || session == self->session);
  g_mutex_unlock (&self->lock);
  return has;
}

/* session: taken. */
static void
join_session (GstRtcpInject *self, GObject *session, gboolean found)
{
  gulong handler;

  if (found && session != NULL && has_session (self, session)) {
    g_object_unref (session);
    return;
  }
  leave_session (self);
  if (session == NULL)
    return;
  if (g_signal_lookup ("on-sending-rtcp", G_OBJECT_TYPE (session)) == 0) {
    g_warning ("rtcpinject: %s is no RTPSession; take rtpsession's internal-session", G_OBJECT_TYPE_NAME (session));
    g_object_unref (session);
    return;
  }
  handler = g_signal_connect_object (session, "on-sending-rtcp", G_CALLBACK (on_sending_rtcp), self, (GConnectFlags)0);
  g_mutex_lock (&self->lock);
  self->session = session;
  self->found = found;
  self->handler = handler;
  g_mutex_unlock (&self->lock);
}

static GstElement *
outermost (GstRtcpInject *self)
{
  GstObject *at = gst_object_ref (GST_OBJECT (self)), *parent;

  while ((parent = gst_object_get_parent (at)) != NULL) {
    gst_object_unref (at);
    at = parent;
  }
  return GST_ELEMENT (at);
}

/* An rtpbin of that name, or the one in a webrtcbin of that name. */
static GstElement *
find_rtpbin (GstRtcpInject *self, const gchar *name)
{
  GstElement *top = outermost (self), *found = NULL, *inner;

  if (GST_IS_BIN (top))
    found = gst_bin_get_by_name (GST_BIN (top), name);
  gst_object_unref (top);
  if (found == NULL || g_signal_lookup ("get-internal-session", G_OBJECT_TYPE (found)) != 0)
    return found;
  inner = GST_IS_BIN (found) ? gst_bin_get_by_name (GST_BIN (found), "rtpbin") : NULL;
  gst_object_unref (found);
  return inner;
}

/* An application may make the bin anew, under the same name: now and then it is looked for again. */
static gboolean
has_to_look (GstRtcpInject *self, GstClockTime now)
{
  return self->session == NULL ||
         (self->found && (!GST_CLOCK_TIME_IS_VALID (self->looked_at) || now - self->looked_at > OLD));
}

static void
find_session (GstRtcpInject *self, GstClockTime now)
{
  GObject *session = NULL;
  GstElement *rtpbin;
  gchar *name;
  guint id;

  g_mutex_lock (&self->lock);
  name = has_to_look (self, now) ? g_strdup (self->bin) : NULL;
  id = self->session_id;
  g_mutex_unlock (&self->lock);
  if (name == NULL)
    return;
  self->looked_at = now;
  rtpbin = find_rtpbin (self, name);
  if (rtpbin != NULL) {
    g_signal_emit_by_name (rtpbin, "get-internal-session", id, &session);
    gst_object_unref (rtpbin);
  }
  GST_DEBUG_OBJECT (self, "session %u of %s: %" GST_PTR_FORMAT, id, name, session);
  g_free (name);
  join_session (self, session, TRUE);
}

/* ---- that there is none ---- */

static void
tell_what_lacks (GstRtcpInject *self)
{
  GstElement *rtpbin;
  gchar *name;
  guint id;

  g_mutex_lock (&self->lock);
  name = g_strdup (self->bin);
  id = self->session_id;
  g_mutex_unlock (&self->lock);
  rtpbin = name != NULL ? find_rtpbin (self, name) : NULL;
  if (name == NULL)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("Nothing says in whose RTCP the feedback is to leave: none does. Set bin to the name of the rtpbin or "
         "webrtcbin, or session to an RTPSession."),
        (NULL));
  else if (rtpbin == NULL)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("There is no rtpbin or webrtcbin %s in the pipeline: no feedback leaves. Set bin to its name, or session to "
         "an RTPSession.",
            name),
        (NULL));
  else
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%s has no session %u: no feedback leaves. Set session-id to the number in the names of the pads that it "
         "receives by.",
            name, id),
        (NULL));
  gst_clear_object (&rtpbin);
  g_free (name);
}

/* It may come later than the first message, but those that wait for so long are of no use any more. */
static void
note_lack (GstRtcpInject *self, GstClockTime now)
{
  if (has_session (self, NULL))
    self->lacks_since = GST_CLOCK_TIME_NONE;
  else if (!GST_CLOCK_TIME_IS_VALID (self->lacks_since))
    self->lacks_since = now;
  else if (!self->told && now - self->lacks_since > OLD) {
    self->told = TRUE;
    tell_what_lacks (self);
  }
}

/* ---- what comes ---- */

/* Type, format, the media's SSRC and the first word of the rest; REMB's rate stands behind that. */
static gboolean
same_matter (const guint8 *a, gsize a_size, const guint8 *b, gsize b_size)
{
  gsize key = MIN (MIN (a_size, b_size), GST_RTCP_INJECT_KEY);

  return key >= 12 && a[0] == b[0] && a[1] == b[1] && memcmp (a + 8, b + 8, key - 8) == 0;
}

static void
put (GstRtcpInject *self, const guint8 *data, gsize size, GstClockTime now)
{
  GstRtcpInjectMessage *slot;
  guint i;

  self->taken++;
  for (i = 0; i < self->n_waiting; i++)
    if (same_matter (self->waiting[i].data, self->waiting[i].size, data, size))
      break;
  if (i == GST_RTCP_INJECT_MOST) {
    self->dropped++;
    return;
  }
  slot = &self->waiting[i];
  slot->size = size;
  slot->at = now;
  memcpy (slot->data, data, size);
  self->n_waiting = MAX (self->n_waiting, i + 1);
}

static void
drop_old (GstRtcpInject *self, GstClockTime now)
{
  guint i, left = 0;

  for (i = 0; i < self->n_waiting; i++)
    if (now - self->waiting[i].at <= OLD)
      self->waiting[left++] = self->waiting[i];
  self->dropped += self->n_waiting - left;
  self->n_waiting = left;
}

static gboolean
is_for_others (guint8 type)
{
  return type == GST_RTCP_TYPE_RTPFB || type == GST_RTCP_TYPE_PSFB || type == GST_RTCP_TYPE_APP;
}

/* Under the lock. Returns how many were taken. */
static guint
take_compound (GstRtcpInject *self, const guint8 *data, gsize size, GstClockTime now)
{
  gsize at = 0, length;
  guint i, n = 0;

  for (i = 0; i < MOST_PACKETS && (length = rtcp_packet_at (data, size, at)) > 0; i++, at += length) {
    const guint8 *packet = data + at;

    if (!is_for_others (packet[1]) || length < 12 || length > GST_RTCP_INJECT_BYTES || (packet[0] & 0x20))
      continue;
    put (self, packet, length, now);
    n++;
  }
  return n;
}

/* RTCP early, where the session's profile and RFC 4585 allow it; else with the next report. */
static void
ask_for_rtcp (GstRtcpInject *self)
{
  GObject *session;
  guint64 max_delay;

  g_mutex_lock (&self->lock);
  session = self->session != NULL ? g_object_ref (self->session) : NULL;
  max_delay = self->max_delay;
  g_mutex_unlock (&self->lock);
  if (session == NULL)
    return;
  g_signal_emit_by_name (session, "send-rtcp", max_delay);
  g_object_unref (session);
}

static GstFlowReturn
gst_rtcp_inject_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpInject *self = GST_RTCP_INJECT (parent);
  GstClockTime now = gst_util_get_timestamp ();
  guint taken = 0;
  GstMapInfo map;

  find_session (self, now);
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_mutex_lock (&self->lock);
    drop_old (self, now);
    taken = take_compound (self, map.data, map.size, now);
    g_mutex_unlock (&self->lock);
    gst_buffer_unmap (buffer, &map);
  }
  gst_buffer_unref (buffer);
  if (taken > 0) {
    note_lack (self, now);
    ask_for_rtcp (self);
  }
  return GST_FLOW_OK;
}

/* No sink in the pipeline's sense: its EOS does not wait for feedback to end. */
static gboolean
gst_rtcp_inject_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* ---- the element ---- */

static void
begin (GstRtcpInject *self)
{
  self->looked_at = self->lacks_since = GST_CLOCK_TIME_NONE;
  self->told = FALSE;
}

static GstStateChangeReturn
gst_rtcp_inject_change_state (GstElement *element, GstStateChange transition)
{
  GstRtcpInject *self = GST_RTCP_INJECT (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    begin (self);
  result = GST_ELEMENT_CLASS (gst_rtcp_inject_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    if (self->found)
      leave_session (self);
    g_mutex_lock (&self->lock);
    self->n_waiting = 0;
    g_mutex_unlock (&self->lock);
  }
  return result;
}

static void
gst_rtcp_inject_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtcpInject *self = GST_RTCP_INJECT (object);

  if (id == PROP_SESSION) {
    join_session (self, g_value_dup_object (value), FALSE);
    return;
  }
  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_BIN:
    g_free (self->bin);
    self->bin = g_value_dup_string (value);
    break;
  case PROP_SESSION_ID:
    self->session_id = g_value_get_uint (value);
    break;
  case PROP_MAX_DELAY:
    self->max_delay = g_value_get_uint64 (value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_rtcp_inject_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtcpInject *self = GST_RTCP_INJECT (object);

  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_BIN:
    g_value_set_string (value, self->bin);
    break;
  case PROP_SESSION_ID:
    g_value_set_uint (value, self->session_id);
    break;
  case PROP_SESSION:
    g_value_set_object (value, self->session);
    break;
  case PROP_MAX_DELAY:
    g_value_set_uint64 (value, self->max_delay);
    break;
  case PROP_SENT:
    g_value_set_uint64 (value, self->sent);
    break;
  case PROP_DROPPED:
    g_value_set_uint64 (value, self->dropped);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_rtcp_inject_dispose (GObject *object)
{
  leave_session (GST_RTCP_INJECT (object));
  G_OBJECT_CLASS (gst_rtcp_inject_parent_class)->dispose (object);
}

static void
gst_rtcp_inject_finalize (GObject *object)
{
  GstRtcpInject *self = GST_RTCP_INJECT (object);

  g_free (self->bin);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_rtcp_inject_parent_class)->finalize (object);
}

#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define FIXED (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_properties (GObjectClass *gobject)
{
  g_object_class_install_property (gobject, PROP_BIN,
      g_param_spec_string ("bin", "Bin", "Name of the rtpbin or webrtcbin, anywhere in the pipeline", NULL, FIXED));
  g_object_class_install_property (gobject, PROP_SESSION_ID,
      g_param_spec_uint ("session-id", "Session", "Which session of that bin", 0, G_MAXUINT, 0, FIXED));
  g_object_class_install_property (gobject, PROP_SESSION,
      g_param_spec_object ("session", "Session object",
          "In place of bin: an RTPSession, such as rtpsession's internal-session (NULL: found by bin)", G_TYPE_OBJECT,
          LIVE));
  g_object_class_install_property (gobject, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-delay", "Maximum delay",
          "The session is asked for RTCP within this, ns; where it may send none, the message goes with the next "
          "report",
          0, 10 * GST_SECOND, DEFAULT_MAX_DELAY, LIVE));
  g_object_class_install_property (
      gobject, PROP_SENT, g_param_spec_uint64 ("sent", "Sent", "Messages that left", 0, G_MAXUINT64, 0, READ_ONLY));
  g_object_class_install_property (gobject, PROP_DROPPED,
      g_param_spec_uint64 ("dropped", "Dropped", "Messages that waited for more than 2 s, or found 32 others waiting",
          0, G_MAXUINT64, 0, READ_ONLY));
}

static void
gst_rtcp_inject_class_init (GstRtcpInjectClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gobject->set_property = gst_rtcp_inject_set_property;
  gobject->get_property = gst_rtcp_inject_get_property;
  gobject->dispose = gst_rtcp_inject_dispose;
  gobject->finalize = gst_rtcp_inject_finalize;
  install_properties (gobject);
  element->change_state = gst_rtcp_inject_change_state;
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_set_static_metadata (element, "RTCP feedback through rtpsession", "Sink/Network/RTP",
      "Takes feedback messages along in the RTCP that rtpbin or webrtcbin sends",
      "GStreamer congestion control developers");
}

static void
gst_rtcp_inject_init (GstRtcpInject *self)
{
  g_mutex_init (&self->lock);
  self->max_delay = DEFAULT_MAX_DELAY;
  begin (self);
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_rtcp_inject_chain);
  gst_pad_set_event_function (self->sinkpad, gst_rtcp_inject_event);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
}
