/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who takes part. Everyone heard is in rtpmembers.h's table, which is made larger as members come; conflicts about our
   own SSRCs are ssrcconflict.h's. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "flowhash.h"
#include "gstccrandom.h"
#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#include <string.h>

#define MAPPED_BYTES 12
#define BYE_LINGER (200 * GST_MSECOND) /* a BYE somebody else made up must not silence us for long */
#define EXPIRY_GAP (100 * GST_MSECOND)
#define EXACT_CAPACITY 4096
#define INTERVALS_OF_SILENCE 5 /* RFC 3550 6.3.5 */

void
gst_rtcp_avpf_members_init (GstRtcpAvpf *self, GstClockTime now)
{
  RtpMembersParams params;

  rtp_members_params_init (&params);
  params.key[0] = gst_cc_random64 ();
  params.key[1] = gst_cc_random64 ();
  params.bye_linger = BYE_LINGER;
  params.max_capacity = self->settings.max_members;
  g_free (self->members_memory);
  self->members_memory = g_malloc (rtp_members_memory (RTP_MEMBERS_MIN));
  rtp_members_init (&self->members, &params, self->members_memory, RTP_MEMBERS_MIN, now);
  ssrc_conflict_init (&self->conflict);
}

void
gst_rtcp_avpf_members_clear (GstRtcpAvpf *self)
{
  g_clear_pointer (&self->members_memory, g_free);
}

/* Before they prove themselves strangers make no table larger, and where they fill it, it becomes a sample, of which
   each stands for many. Up to a quarter of a megabyte is better spent on telling them apart. */
static guint32
wanted_capacity (GstRtcpAvpf *self)
{
  const RtpMembers *m = &self->members;
  guint32 capacity = rtp_members_wanted_capacity (m);
  guint32 candidates = m->lists[RTP_MEMBER_STATE_RTP].count + m->lists[RTP_MEMBER_STATE_RTCP].count;

  if (capacity == 0 && m->capacity < MIN (EXACT_CAPACITY, self->settings.max_members) &&
      rtp_members_in_table (m) + candidates >= m->capacity - m->capacity / 4)
    capacity = 2 * m->capacity;
  return capacity;
}

static void
make_room (GstRtcpAvpf *self)
{
  guint32 capacity = wanted_capacity (self);
  gpointer memory = capacity != 0 ? g_try_malloc (rtp_members_memory (capacity)) : NULL;

  if (memory == NULL)
    return;
  if (rtp_members_grow (&self->members, memory, capacity)) {
    GST_DEBUG_OBJECT (self, "room for %u members", capacity);
    g_free (self->members_memory);
    self->members_memory = memory;
  } else {
    g_free (memory);
  }
}

static const guint64 *
secret_key (void)
{
  static guint64 key[2];
  static gsize made = 0;

  if (g_once_init_enter (&made)) {
    key[0] = gst_cc_random64 ();
    key[1] = gst_cc_random64 ();
    g_once_init_leave (&made, 1);
  }
  return key;
}

/* An IPv4 address is the same one where an IPv6 socket tells it (RFC 4291 2.5.5.2). Keyed: of 2^64 addresses in an IPv6
   network one is soon found that a hash without secret takes for the peer's. */
static guint64
inet_id (GInetAddress *inet)
{
  static const guint8 mapped[MAPPED_BYTES] = {[10] = 0xff, [11] = 0xff};
  const guint8 *bytes = g_inet_address_to_bytes (inet);
  gsize size = g_inet_address_get_native_size (inet);
  gsize skip = size > MAPPED_BYTES && memcmp (bytes, mapped, MAPPED_BYTES) == 0 ? MAPPED_BYTES : 0;

  return MAX (flow_hash (secret_key (), bytes + skip, size - skip), 1);
}

guint64
gst_rtcp_avpf_host_id (GSocketAddress *address)
{
  if (address == NULL || !G_IS_INET_SOCKET_ADDRESS (address))
    return 0;
  return inet_id (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)));
}

void
gst_rtcp_avpf_peer_init (GstRtcpAvpf *self)
{
  const gchar *fixed = self->settings.peer_address;
  GInetAddress *inet = fixed != NULL ? g_inet_address_new_from_string (fixed) : NULL;

  rtp_peer_init (&self->peer, gst_rtcp_avpf_session_kind (self), inet != NULL ? inet_id (inet) : 0);
  rtp_answers_init (&self->answers);
  g_clear_object (&inet);
}

static void
on_verdict (GstRtcpAvpf *self, guint32 ssrc, RtpMemberVerdict verdict, GstClockTime now)
{
  if (verdict == RTP_MEMBER_NEW)
    gst_rtcp_avpf_tell_ssrc (self, GST_RTCP_AVPF_SIGNAL_VALIDATED, ssrc);
  if (verdict == RTP_MEMBER_NEW || verdict == RTP_MEMBER_CANDIDATE)
    make_room (self);
  if (verdict == RTP_MEMBER_NEW || verdict == RTP_MEMBER_BECAME_SENDER || verdict == RTP_MEMBER_LEFT)
    gst_rtcp_avpf_update_members (self, now);
}

/* The address is the source's business here (avpf_source_is_from ()): one that moves is followed within a second. Who
   contributes to a stream counts in a group alone: of two ends neither shares its RTCP with them. */
void
gst_rtcp_avpf_members_on_rtp (GstRtcpAvpf *self, GstRTPBuffer *rtp, GstClockTime now)
{
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  RtpMemberVerdict verdict = rtp_members_on_rtp (&self->members, ssrc, gst_rtp_buffer_get_seq (rtp), 0, now);
  guint i, n = gst_rtp_buffer_get_csrc_count (rtp);

  on_verdict (self, ssrc, verdict, now);
  if (self->peer.kind != RTP_SESSION_GROUP ||
      (verdict != RTP_MEMBER_NEW && verdict != RTP_MEMBER_KNOWN && verdict != RTP_MEMBER_BECAME_SENDER))
    return;
  for (i = 0; i < n; i++) {
    guint32 csrc = gst_rtp_buffer_get_csrc (rtp, (guint8)i);

    if (avpf_local_table_find (&self->locals, csrc) == NULL)
      on_verdict (self, csrc, rtp_members_on_csrc (&self->members, csrc, 0, now), now);
  }
}

static guint64
address_of_speaker (GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address)
{
  const AvpfSource *s = avpf_source_table_find (&self->table, ssrc);

  return s != NULL && avpf_source_is_from (s, address) ? 0 : gst_rtcp_avpf_host_id (address);
}

RtpMemberVerdict
gst_rtcp_avpf_members_on_rtcp (
    GstRtcpAvpf *self, guint32 ssrc, gboolean named, GSocketAddress *address, GstClockTime now)
{
  guint64 id = address_of_speaker (self, ssrc, address);
  RtpMemberVerdict verdict = rtp_members_on_rtcp (&self->members, ssrc, named, id, now);

  on_verdict (self, ssrc, verdict, now);
  return verdict;
}

gboolean
gst_rtcp_avpf_members_on_bye (GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, GstClockTime now)
{
  guint64 id = address_of_speaker (self, ssrc, address);
  RtpMemberVerdict verdict = rtp_members_on_bye (&self->members, ssrc, id, now);

  if (verdict == RTP_MEMBER_CONFLICT)
    return FALSE;
  if (verdict == RTP_MEMBER_LEFT) {
    gst_rtcp_avpf_tell_ssrc (self, GST_RTCP_AVPF_SIGNAL_BYE, ssrc);
    gst_rtcp_avpf_media_on_gone (self, ssrc, now);
  }
  on_verdict (self, ssrc, verdict, now);
  return TRUE;
}

/* Not at once each time: they may be many. */
GstClockTime
gst_rtcp_avpf_members_next (GstRtcpAvpf *self)
{
  return MAX (rtp_members_next_timeout (&self->members), self->expired_at + EXPIRY_GAP);
}

void
gst_rtcp_avpf_members_expire (GstRtcpAvpf *self, GstClockTime now)
{
  RtpMemberEvent event;
  guint32 ssrc;

  self->expired_at = now;
  rtp_members_set_timeouts (&self->members, gst_rtcp_avpf_member_timeout (self), gst_rtcp_avpf_sender_timeout (self));
  while ((event = rtp_members_expire (&self->members, now, &ssrc)) != RTP_MEMBER_EVENT_NONE) {
    if (event != RTP_MEMBER_EVENT_TIMED_OUT)
      continue;
    gst_rtcp_avpf_tell_ssrc (self, GST_RTCP_AVPF_SIGNAL_TIMEOUT, ssrc);
    gst_rtcp_avpf_media_on_gone (self, ssrc, now);
  }
  gst_rtcp_avpf_update_members (self, now);
}

static guint32
fresh_ssrc (GstRtcpAvpf *self)
{
  guint32 ssrc;

  do
    ssrc = gst_cc_random32 ();
  while (avpf_source_table_find (&self->table, ssrc) != NULL || avpf_local_table_find (&self->locals, ssrc) != NULL ||
         rtp_members_state (&self->members, ssrc) != RTP_MEMBER_STATE_FREE);
  return ssrc;
}

gboolean
gst_rtcp_avpf_members_is_own (
    GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, SsrcCname cname, GstClockTime now)
{
  GstClockTime interval = gst_rtcp_avpf_member_timeout (self) / INTERVALS_OF_SILENCE;
  guint32 fresh;

  if (avpf_local_table_find (&self->locals, ssrc) == NULL)
    return FALSE;
  if (ssrc_conflict_on_packet (&self->conflict, gst_rtcp_avpf_host_id (address), cname, interval, now) !=
      SSRC_CONFLICT_CHANGE)
    return TRUE;
  fresh = fresh_ssrc (self);
  GST_INFO_OBJECT (self, "somebody else has SSRC %08x, using %08x", ssrc, fresh);
  gst_rtcp_avpf_tell_ssrc (self, GST_RTCP_AVPF_SIGNAL_COLLISION, ssrc);
  gst_rtcp_avpf_media_on_conflict (self, ssrc, fresh, now);
  gst_rtcp_avpf_update_members (self, now);
  if (self->locals.n_leaving > 0)
    gst_rtcp_avpf_request_feedback (self, now);
  return FALSE;
}
