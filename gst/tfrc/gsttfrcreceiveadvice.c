/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcreceiveadvice.h"

#include <gio/gio.h>
#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (tfrcsrc_debug);
#define GST_CAT_DEFAULT tfrcsrc_debug

#define SILENCE_S 5
/* A sender that stops and another that begins overlap for less, and no stray packets come so often. */
#define CONTEST_S 3
#define CONTEST_PACKETS 5 /* a second, of both */
#define FEWEST_PACKETS 30 /* until their type is judged */

/* RFC 3551 6, table 4 and 5: types that mean one encoding, of those still met. */
static const struct {
  guint8 type;
  gchar name[8];
} fixed_types[] = {{0, "PCMU"}, {3, "GSM"}, {8, "PCMA"}, {9, "G722"}, {14, "MPA"}, {26, "JPEG"}, {31, "H261"},
    {32, "MPV"}, {33, "MP2T"}, {34, "H263"}};

void
gst_tfrc_receive_advice_init (GstTfrcReceiveAdvice *a, GstElement *element, GstElement *udpsrc, GstElement *rtcpavpf,
    const GstTfrcRestore *restore)
{
  memset (a, 0, sizeof *a);
  a->element = element;
  a->udpsrc = udpsrc;
  a->rtcpavpf = rtcpavpf;
  a->restore = restore;
  g_mutex_init (&a->lock);
}

void
gst_tfrc_receive_advice_finalize (GstTfrcReceiveAdvice *a)
{
  g_free (a->encoding_name);
  g_free (a->senders[0]);
  g_free (a->senders[1]);
  g_mutex_clear (&a->lock);
}

/* ---- what is said to arrive, and what is behind ---- */

static const gchar *
encoding_name_of (const GstCaps *caps)
{
  return caps != NULL && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps)
             ? gst_structure_get_string (gst_caps_get_structure (caps, 0), "encoding-name")
             : NULL;
}

static gboolean
is_sound (const GstCaps *caps)
{
  return encoding_name_of (caps) != NULL &&
         g_strcmp0 (gst_structure_get_string (gst_caps_get_structure (caps, 0), "media"), "audio") == 0;
}

/* FALSE: a depayloader, and nothing that passes on whatever comes. */
static gboolean
takes_others (const GstCaps *taken, const GstCaps *caps)
{
  GstCaps *others = gst_caps_copy (caps);
  gboolean takes;

  gst_caps_set_simple (others, "encoding-name", G_TYPE_STRING, "X-OTHERS", "payload", G_TYPE_INT, 96, NULL);
  takes = gst_caps_can_intersect (taken, others);
  gst_caps_unref (others);
  return takes;
}

/* What alone keeps caps from being taken; the encoding where more than one thing does. */
static const gchar *
differs_in (const GstCaps *taken, const GstCaps *caps)
{
  static const gchar *const fields[] = {"clock-rate", "media", "encoding-name"};
  gboolean takes = FALSE;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (fields) && !takes; i++) {
    GstCaps *without = gst_caps_copy (caps);

    gst_structure_remove_field (gst_caps_get_structure (without, 0), fields[i]);
    takes = gst_caps_can_intersect (taken, without);
    gst_caps_unref (without);
  }
  return fields[i - 1];
}

/* As one types it; of a list the first. */
static gchar *
value_in (const GstCaps *caps, const gchar *field)
{
  const GValue *value = gst_structure_get_value (gst_caps_get_structure (caps, 0), field);

  if (value != NULL && GST_VALUE_HOLDS_LIST (value) && gst_value_list_get_size (value) > 0)
    value = gst_value_list_get_value (value, 0);
  return value != NULL ? gst_value_serialize (value) : g_strdup ("something else");
}

static void
tell_peer_takes (GstElement *element, GstPad *src_pad, const GstCaps *taken, const GstCaps *caps)
{
  const gchar *field = differs_in (taken, caps);
  gchar *ours = value_in (caps, field), *theirs = value_in (taken, field);
  GstPad *peer = gst_pad_get_peer (src_pad);
  GstObject *behind = peer != NULL ? gst_pad_get_parent (peer) : NULL;

  GST_ELEMENT_WARNING (element, STREAM, FORMAT,
      ("%s=%s is set, but %s behind takes %s. Set %s (or caps) and the depayloader to what the sender's payloader "
       "makes.",
          field, ours, behind != NULL ? GST_OBJECT_NAME (behind) : "what is", theirs, field),
      ("it takes %" GST_PTR_FORMAT, taken));
  gst_clear_object (&behind);
  gst_clear_object (&peer);
  g_free (theirs);
  g_free (ours);
}

/* Whether what is behind takes this encoding alone. Where it takes no such caps the first packet would end the
   pipeline: not-negotiated. */
static gboolean
check_peer (GstTfrcReceiveAdvice *a, GstPad *src_pad, GstCaps *caps)
{
  GstCaps *taken = gst_pad_is_linked (src_pad) ? gst_pad_peer_query_caps (src_pad, NULL) : NULL;
  gboolean known = taken != NULL && encoding_name_of (caps) != NULL;
  gboolean insists = known && !takes_others (taken, caps);

  if (known && !gst_caps_is_empty (taken) && !gst_caps_can_intersect (taken, caps))
    tell_peer_takes (a->element, src_pad, taken, caps);
  gst_clear_caps (&taken);
  return insists;
}

/* ---- what arrives ---- */

/* With the lock. Nothing will be held back any more. */
static gboolean
is_done (const GstTfrcReceiveAdvice *a)
{
  return a->judge.verdict == RTP_PAYLOAD_AS_SAID || (a->judge.verdict == RTP_PAYLOAD_WRONG && !a->depayloads);
}

/* With the lock. FALSE: it is held back. */
static gboolean
look_at (GstTfrcReceiveAdvice *a, GstRTPBuffer *rtp)
{
  guint type = gst_rtp_buffer_get_payload_type (rtp);

  if (a->restore->is_rtx[type])
    return TRUE;
  a->types[type]++;
  return rtp_payload_judge_add (&a->judge, gst_rtp_buffer_get_payload (rtp), gst_rtp_buffer_get_payload_len (rtp),
             gst_rtp_buffer_get_marker (rtp), gst_rtp_buffer_get_timestamp (rtp)) ||
         !a->depayloads;
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstTfrcReceiveAdvice *a = user;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstPadProbeReturn ret = GST_PAD_PROBE_OK;

  (void)pad;
  if (!gst_rtp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ, &rtp))
    return ret;
  g_mutex_lock (&a->lock);
  if (!look_at (a, &rtp)) {
    ret = GST_PAD_PROBE_DROP;
  } else if (is_done (a)) {
    a->watching = FALSE;
    ret = GST_PAD_PROBE_REMOVE;
  }
  g_mutex_unlock (&a->lock);
  gst_rtp_buffer_unmap (&rtp);
  return ret;
}

/* With the lock. -1: too few packets to say. */
static gint
most_frequent_type (const GstTfrcReceiveAdvice *a)
{
  guint sum = 0, i;
  gint most = 0;

  for (i = 0; i < G_N_ELEMENTS (a->types); i++) {
    sum += a->types[i];
    if (a->types[i] > a->types[most])
      most = (gint)i;
  }
  return sum >= FEWEST_PACKETS ? most : -1;
}

/* What it looks like, where that is another encoding than what was said; "": nothing known. NULL: as said. */
static const gchar *
other_encoding (const GstTfrcReceiveAdvice *a, gint type)
{
  const gchar *guess;
  guint i;

  if (a->encoding_name == NULL)
    return NULL;
  if (a->judge.verdict == RTP_PAYLOAD_WRONG) {
    guess = rtp_payload_format_name (rtp_payload_tally_guess (&a->judge.tally));
    return guess != NULL ? guess : "";
  }
  for (i = 0; i < G_N_ELEMENTS (fixed_types); i++)
    if (fixed_types[i].type == type && !g_str_equal (fixed_types[i].name, a->encoding_name))
      return fixed_types[i].name;
  return NULL;
}

typedef struct {
  gint type, wanted;       /* payload types; wanted -1: any would do */
  const gchar *looks_like; /* NULL: as said */
  gchar *said;
} PayloadMistake;

/* With the lock. */
static gboolean
find_payload_mistake (GstTfrcReceiveAdvice *a, PayloadMistake *m)
{
  m->type = most_frequent_type (a);
  if (a->told_payload || m->type < 0)
    return FALSE;
  m->wanted = a->payload == m->type ? -1 : a->payload;
  m->looks_like = other_encoding (a, m->type);
  a->told_payload = m->wanted >= 0 || m->looks_like != NULL;
  m->said = a->told_payload ? g_strdup (a->encoding_name) : NULL;
  return a->told_payload;
}

static void
tell_payload_mistake (GstTfrcReceiveAdvice *a, const PayloadMistake *m)
{
  if (m->looks_like != NULL)
    GST_ELEMENT_WARNING (a->element, STREAM, WRONG_TYPE,
        ("What arrives is not %s%s%s. Set encoding-name (or caps) and the depayloader behind to what the sender's "
         "payloader makes%s.",
            m->said, m->looks_like[0] != 0 ? ", but looks like " : "", m->looks_like,
            m->looks_like[0] == 0 ? "; if it is encrypted, set srtp-key" : ""),
        ("payload type %d", m->type));
  else
    GST_ELEMENT_WARNING (a->element, STREAM, WRONG_TYPE,
        ("Packets of payload type %d arrive, and only %d is taken. Set payload=%d (in caps likewise), or pt=%d at the "
         "sender's payloader.",
            m->type, m->wanted, m->type, m->wanted),
        (NULL));
}

/* ---- nothing, or too many ---- */

typedef struct {
  guint64 packets, refused, bad; /* RTP; of it, what is not played; neither RTP nor RTCP */
  guint64 unopened, replayed;    /* not of the key; opened before */
} Arrived;

static Arrived
arrived_so_far (GstTfrcReceiveAdvice *a)
{
  guint64 strangers = 0, unproven = 0;
  GstStructure *stats;
  Arrived so_far = {0};

  g_object_get (a->element, "stats", &stats, NULL);
  gst_structure_get (stats, "packets", G_TYPE_UINT64, &so_far.packets, "bad-packets", G_TYPE_UINT64, &so_far.bad,
      "srtp-refused", G_TYPE_UINT64, &so_far.unopened, "srtp-replayed", G_TYPE_UINT64, &so_far.replayed, "strangers",
      G_TYPE_UINT64, &strangers, "unproven", G_TYPE_UINT64, &unproven, NULL);
  so_far.refused = MIN (so_far.packets, strangers + unproven); /* strangers' RTCP is in it */
  gst_structure_free (stats);
  return so_far;
}

/* With the lock. */
static gboolean
is_silent (GstTfrcReceiveAdvice *a, const Arrived *so_far)
{
  /* what stops later is the network's or the sender's doing; what cannot be opened is told of already */
  if (a->told_silence || so_far->packets > so_far->refused || so_far->unopened > 0)
    return FALSE;
  a->told_silence = ++a->silent_s >= SILENCE_S;
  return a->told_silence;
}

/* With the lock. What has opened once does not any more: RTCP of who starts again with other numbers may, so media
   alone counts. */
static gboolean
is_locked_out (GstTfrcReceiveAdvice *a, const Arrived *so_far)
{
  guint64 turned_away = so_far->unopened + so_far->replayed;

  if (so_far->packets != a->packets || so_far->packets == 0) {
    a->turned_away = turned_away;
    a->locked_s = 0;
    return FALSE;
  }
  if (a->told_locked || ++a->locked_s < SILENCE_S || turned_away - a->turned_away < FEWEST_PACKETS)
    return FALSE;
  a->told_locked = TRUE;
  return TRUE;
}

static void
tell_locked_out (GstTfrcReceiveAdvice *a)
{
  gint port;

  g_object_get (a->element, "port", &port, NULL);
  GST_ELEMENT_WARNING (a->element, STREAM, DECRYPT,
      ("Packets arrive on UDP port %d, and none opens with the key any more. A sender that starts again with the same "
       "srtp-key needs another SSRC: leave the payloader's ssrc to chance. One with another srtp-key wants that set "
       "here, too, in NULL or READY.",
          port),
      (NULL));
}

static void
tell_silence (GstTfrcReceiveAdvice *a, const Arrived *so_far, const gchar *peer)
{
  gint port;

  g_object_get (a->element, "port", &port, NULL);
  if (so_far->packets > 0 && peer != NULL)
    GST_ELEMENT_WARNING (a->element, RESOURCE, READ,
        ("Packets arrive on UDP port %d, but none from peer-address=%s in %d s. Set peer-address to the sender's "
         "address, or leave it unset.",
            port, peer, SILENCE_S),
        (NULL));
  else if (so_far->bad > 0)
    GST_ELEMENT_WARNING (a->element, RESOURCE, READ,
        ("What arrives on UDP port %d is no RTP. Send with a payloader and tfrcsink, and see that nobody else sends to "
         "this port.",
            port),
        (NULL));
  else
    GST_ELEMENT_WARNING (a->element, RESOURCE, READ,
        ("No packet has arrived on UDP port %d in %d s. Start the sender, see that its host and port lead here, that "
         "address is one the packets come in by, and that a firewall lets UDP in. Waiting goes on.",
            port, SILENCE_S),
        (NULL));
}

static GstPadProbeReturn
on_sender (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (GST_PAD_PROBE_INFO_BUFFER (info));
  GstTfrcReceiveAdvice *a = user;
  GstPadProbeReturn ret = GST_PAD_PROBE_OK;
  gchar *name;

  (void)pad;
  if (meta == NULL || !G_IS_INET_SOCKET_ADDRESS (meta->addr))
    return ret;
  name = g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (meta->addr));
  g_mutex_lock (&a->lock);
  if (a->senders[0] == NULL)
    a->senders[0] = g_steal_pointer (&name);
  else if (a->senders[1] == NULL && !g_str_equal (a->senders[0], name))
    a->senders[1] = g_steal_pointer (&name);
  if (a->contested_s == 0 || a->told_contest) {
    a->listening = FALSE;
    ret = GST_PAD_PROBE_REMOVE;
  }
  g_mutex_unlock (&a->lock);
  g_free (name);
  return ret;
}

/* With the lock. Whether a second sender has kept trying while the first is played. */
static gboolean
is_contested (GstTfrcReceiveAdvice *a, const Arrived *so_far)
{
  guint64 refused = so_far->refused - MIN (so_far->refused, a->refused);
  guint64 packets = so_far->packets - MIN (so_far->packets, a->packets);
  gboolean both = refused >= CONTEST_PACKETS && packets >= refused + CONTEST_PACKETS;

  a->packets = so_far->packets;
  a->refused = so_far->refused;
  a->contested_s = both ? a->contested_s + 1 : 0;
  if (a->told_contest || a->contested_s < CONTEST_S)
    return FALSE;
  a->told_contest = TRUE;
  return TRUE;
}

static void
tell_contest (GstTfrcReceiveAdvice *a, const gchar *one, const gchar *other)
{
  gint port;

  g_object_get (a->element, "port", &port, NULL);
  GST_ELEMENT_WARNING (a->element, RESOURCE, BUSY,
      ("Two senders%s%s%s%s send to UDP port %d: one is played, the other's packets are dropped. Stop one, give it a "
       "receiver with a port of its own, or name the right one's host by peer-address.",
          one != NULL && other != NULL ? ", " : "", one != NULL && other != NULL ? one : "",
          one != NULL && other != NULL ? " and " : "", one != NULL && other != NULL ? other : "", port),
      (NULL));
}

/* ---- once a second ---- */

/* Not with the lock. A probe ends by itself: it has to be in the thread that pushes. */
static void
add_probe (GstElement *element, GstPadProbeCallback callback, GstTfrcReceiveAdvice *a)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, a, NULL);
  gst_object_unref (pad);
}

static void
look (GstTfrcReceiveAdvice *a)
{
  Arrived so_far = arrived_so_far (a);
  gboolean silent, locked, contested, mistaken, listen;
  PayloadMistake mistake = {0};
  gchar *peer, *senders[2] = {NULL, NULL};

  g_object_get (a->rtcpavpf, "peer-address", &peer, NULL);
  g_mutex_lock (&a->lock);
  silent = is_silent (a, &so_far);
  locked = is_locked_out (a, &so_far);
  contested = is_contested (a, &so_far) && peer == NULL; /* with it strangers are dropped as is wanted */
  mistaken = find_payload_mistake (a, &mistake);
  listen = a->contested_s > 0 && !a->told_contest && !a->listening;
  if (listen)
    a->listening = TRUE;
  if (contested || a->contested_s == 0) {
    senders[0] = g_steal_pointer (&a->senders[0]);
    senders[1] = g_steal_pointer (&a->senders[1]);
  }
  g_mutex_unlock (&a->lock);

  if (listen)
    add_probe (a->udpsrc, on_sender, a);
  if (silent)
    tell_silence (a, &so_far, peer);
  if (locked)
    tell_locked_out (a);
  if (contested)
    tell_contest (a, senders[0], senders[1]);
  if (mistaken)
    tell_payload_mistake (a, &mistake);
  g_free (senders[0]);
  g_free (senders[1]);
  g_free (mistake.said);
  g_free (peer);
}

/* What the clock's thread has: it lets go of it some time after the timer was taken back, and must not keep the element
   until then. */
typedef struct {
  GWeakRef element;
  GstTfrcReceiveAdvice *advice; /* valid with the element */
} Watch;

static gboolean
on_second (GstClock *clock, GstClockTime time, GstClockID id, gpointer user)
{
  Watch *watch = user;
  GstElement *element = g_weak_ref_get (&watch->element);
  GstTfrcReceiveAdvice *a = watch->advice;
  gboolean runs;

  (void)clock, (void)time;
  if (element == NULL)
    return FALSE;
  g_mutex_lock (&a->lock);
  runs = a->timer == id;
  g_mutex_unlock (&a->lock);
  if (runs)
    look (a);
  gst_object_unref (element);
  return runs;
}

void
gst_tfrc_receive_advice_prepare (GstTfrcReceiveAdvice *a, GstPad *src_pad)
{
  GstCaps *caps;
  gint payload = -1;
  gboolean watches, depayloads;

  g_object_get (a->udpsrc, "caps", &caps, NULL);
  if (caps != NULL && !gst_caps_is_any (caps) && !gst_caps_is_empty (caps))
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload", &payload);
  depayloads = check_peer (a, src_pad, caps);
  g_mutex_lock (&a->lock);
  g_free (a->encoding_name);
  a->encoding_name = encoding_name_of (caps) != NULL ? g_ascii_strup (encoding_name_of (caps), -1) : NULL;
  a->payload = payload;
  rtp_payload_judge_init (&a->judge, a->encoding_name, is_sound (caps));
  a->depayloads = depayloads && !is_sound (caps);
  memset (a->types, 0, sizeof a->types);
  a->silent_s = a->contested_s = a->locked_s = 0;
  a->packets = a->refused = a->turned_away = 0;
  a->told_silence = a->told_contest = a->told_payload = a->told_locked = FALSE;
  g_clear_pointer (&a->senders[0], g_free);
  g_clear_pointer (&a->senders[1], g_free);
  watches = a->watching;
  a->watching = TRUE;
  g_mutex_unlock (&a->lock);
  if (!watches)
    add_probe (a->rtcpavpf, on_packet, a);
  gst_clear_caps (&caps);
}

static void
release (gpointer user)
{
  Watch *watch = user;

  g_weak_ref_clear (&watch->element);
  g_free (watch);
}

void
gst_tfrc_receive_advice_play (GstTfrcReceiveAdvice *a)
{
  GstClock *clock = gst_system_clock_obtain ();
  GstClockID timer = gst_clock_new_periodic_id (clock, gst_clock_get_time (clock) + GST_SECOND, GST_SECOND);
  Watch *watch = g_new0 (Watch, 1);

  g_mutex_lock (&a->lock);
  a->timer = timer;
  g_mutex_unlock (&a->lock);
  g_weak_ref_init (&watch->element, a->element);
  watch->advice = a;
  gst_clock_id_wait_async (timer, on_second, watch, release);
  gst_object_unref (clock);
}

void
gst_tfrc_receive_advice_pause (GstTfrcReceiveAdvice *a)
{
  GstClockID timer;

  g_mutex_lock (&a->lock);
  timer = g_steal_pointer (&a->timer);
  g_mutex_unlock (&a->lock);
  if (timer == NULL)
    return;
  gst_clock_id_unschedule (timer);
  gst_clock_id_unref (timer);
}
