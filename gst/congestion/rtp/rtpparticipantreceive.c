/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP that arrives: whose it is, whether it is believed, and what of it each part wants to know. */
#include "rtpparticipantprivate.h"

#include "rtcpbytes.h"
#include "rtpextension.h"

#define PROBATION (2 * CC_SECOND)
#define ALIVE (500 * CC_MSECOND)
#define ONE_BYTE_IDS 14
#define USUAL_STAMP_ID 9

/* One packet on its way through. */
typedef struct {
  const RtpPacket *packet;
  const RtpAddress *from;
  ArrivalEcn ecn;
  CcTime arrived_at, now;
} Arriving;

RtpSource *
rtp_participant_source_of (RtpParticipant *p, uint32_t ssrc, const RtpAddress *address, CcTime now)
{
  RtpSource *known = rtp_sources_find (&p->sources, ssrc);
  RtpSourceParams params = {.clock_rate = p->stream.clock_rate};

  if (known != NULL)
    return known;
  cc_receiver_params_init (&params.cc);
  params.host = rtp_attendance_host (&p->attendance, address);
  params.cc.overhead_bytes = rtp_address_overhead_bytes (address) + p->settings.rtp_overhead_bytes;
  key_request_params_init (&params.key);
  params.key.min_interval = p->settings.pli_interval;
  params.key.repeat = rtp_codec_tells_key_units (p->stream.codec);
  rtp_participant_wake_before (p, now + CC_SECOND);
  return rtp_sources_add (&p->sources, ssrc, &params, now);
}

/* ---- header extensions ---- */

static bool
parse_stamp (const RtpPacket *packet, unsigned id, RtpRttSendts *stamp)
{
  size_t size;
  const uint8_t *element = rtp_packet_element (packet, id, &size);

  return element != NULL && rtp_ext_rtt_sendts_parse (element, size, stamp);
}

/* The id the host knows, else the usual one, else whichever element has the right size. */
static bool
read_stamp (RtpParticipant *p, const RtpPacket *packet, RtpRttSendts *stamp)
{
  unsigned id = p->found_stamp_id != 0 ? p->found_stamp_id : USUAL_STAMP_ID;

  if (!packet->has_extension)
    return false;
  if (p->stream.stamp_id != 0)
    return parse_stamp (packet, p->stream.stamp_id, stamp);
  if (parse_stamp (packet, id, stamp)) {
    p->found_stamp_id = id;
    return true;
  }
  for (id = 1; id <= ONE_BYTE_IDS && p->found_stamp_id == 0; id++)
    if (parse_stamp (packet, id, stamp)) {
      p->found_stamp_id = id;
      return true;
    }
  return false;
}

/* What routers let the flow have, where its packets say so. */
static void
read_explicit_rate (RtpParticipant *p, RtpSource *s, const Arriving *a)
{
  const uint8_t *element;
  ErfExtension value;
  size_t size;

  if (s->retransmits)
    return;
  element = rtp_packet_element (a->packet, p->stream.rate_id, &size);
  if (element != NULL && erf_extension_parse (element, size, &value))
    rtp_participant_note_explicit_rate (p, s, &value, rtp_source_extend (s, a->packet->seq), a->now);
}

/* The number of the packet among all of the transport (TWCC), where it has one. */
static void
read_transport_number (RtpParticipant *p, const Arriving *a)
{
  const uint8_t *element;
  size_t size;

  if (!rtp_participant_may_send (p, RTP_FEEDBACK_TWCC))
    return;
  element = rtp_packet_element (a->packet, p->stream.twcc_id, &size);
  if (element != NULL && size >= 2)
    rtp_participant_note_transport_arrival (p, rtcp_get_u16 (element), a->arrived_at);
}

/* ---- one source's packet ---- */

static void
on_first_valid (RtpParticipant *p, RtpSource *s)
{
  s->valid = true;
  rtp_events_tell_ssrc (&p->params.events, RTP_EVENT_SOURCE, s->ssrc);
  if (s->first_is_key)
    rtp_participant_on_key_unit (p, s, rtp_reception_highest (&s->reception) - 1);
}

static void
set_rtt (RtpSource *s, CcDuration rtt)
{
  key_request_set_rtt (&s->key, rtt);
  if (s->nack != NULL)
    nack_request_set_rtt (s->nack, rtt);
}

static bool
feed_controller (RtpParticipant *p, RtpSource *s, const Arriving *a)
{
  CcArrival arrival = {.seq = a->packet->seq,
      .rtp_timestamp = a->packet->timestamp,
      .marker = a->packet->marker,
      .size_bytes = (uint32_t)a->packet->size,
      .ecn = a->ecn,
      .arrived_at = a->arrived_at};

  arrival.has_stamp = read_stamp (p, a->packet, &arrival.stamp);
  if (arrival.has_stamp) {
    s->stamped++;
    if (arrival.stamp.rtt != 0)
      set_rtt (s, arrival.stamp.rtt);
  }
  return cc_receiver_on_packet (&s->cc, &arrival);
}

/* The source's packets are passed on from here on; what came before is missing. */
static void
join (RtpParticipant *p, RtpSource *s)
{
  s->joined = true;
  s->joined_seq = rtp_reception_highest (&s->reception);
  s->has_parameter_sets = false;
  if (rtp_participant_auto_pli_for (p, s) && rtp_codec_tells_key_units (p->stream.codec))
    key_request_want (&s->key, false);
}

/* In a packet that is passed on: one that nobody gets to see answers no request. */
static void
look_for_key_unit (RtpParticipant *p, RtpSource *s, const RtpPacket *packet, RtpReceptionVerdict verdict)
{
  RtpCodec codec = p->stream.codec;

  if (rtp_key_unit_has_parameter_sets (codec, packet->payload, packet->payload_bytes))
    s->has_parameter_sets = true;
  if (!rtp_key_unit_starts (codec, packet->payload, packet->payload_bytes))
    return;
  if (verdict == RTP_RECEPTION_PROBATION)
    s->first_is_key = true;
  else if (verdict == RTP_RECEPTION_NEWER || verdict == RTP_RECEPTION_RESTART)
    rtp_participant_on_key_unit (p, s, rtp_reception_highest (&s->reception));
}

static void
on_restart (RtpParticipant *p, RtpSource *s)
{
  rtp_events_tell_ssrc (&p->params.events, RTP_EVENT_RESTARTED, s->ssrc);
  s->key.has_key = s->joined = false;
  if (s->nack != NULL)
    nack_request_restart (s->nack);
}

/* RFC 3550 A.1: packets of a source on probation, and those far off its sequence, are not believed. The first ones of a
   call are let through all the same; beside a source that is alive they are a stranger's until they prove otherwise.
   What brings a packet that is missed needs no other proof: such sources are silent for long. */
static bool
is_believed (const RtpParticipant *p, RtpReceptionVerdict verdict, CcTime now)
{
  if (verdict == RTP_RECEPTION_PROBATION)
    return !rtp_sources_is_alive (&p->sources, ALIVE, now);
  return verdict != RTP_RECEPTION_JUMP;
}

/* What mends a flow is paid for by its rate. */
static void
note_beside (RtpParticipant *p, const RtpSource *s, const Arriving *a)
{
  RtpSource *flow = rtp_repair_carries (&p->repair, s->ssrc) ? rtp_sources_find (&p->sources, p->repair.media) : NULL;

  if (flow != NULL)
    cc_receiver_on_beside (&flow->cc, (uint32_t)a->packet->size);
}

/* RFC 4588 4: what is sent again says in front what it was. True: it is missed here. */
static bool
look_for_retransmission (RtpParticipant *p, RtpSource *s, const Arriving *a)
{
  s->payload_type = a->packet->payload_type;
  s->retransmits = p->settings.retransmissions[s->payload_type] || rtp_repair_carries (&p->repair, s->ssrc);
  rtp_participant_on_repair_heard (p, s->ssrc, a->now);
  note_beside (p, s, a);
  if (rtp_participant_fec_carries (p, s->ssrc, s->payload_type)) {
    rtp_participant_on_sum (p, a->packet, a->now);
    return false;
  }
  return s->retransmits && a->packet->payload_bytes >= 2 &&
         rtp_participant_note_restored (p, s, rtcp_get_u16 (a->packet->payload), a->now);
}

/* A packet that counts: neither the first one of a source nor a copy. */
static void
on_packet_of (RtpParticipant *p, RtpSource *s, const Arriving *a)
{
  s->last_rtp = a->now;
  key_request_set_silent (&s->key, false);
  s->bytes += a->packet->size;
  p->received_bytes += a->packet->size + s->cc.params.overhead_bytes;
  rtp_participant_note_arrival (p, s, a->packet->seq, a->ecn, a->arrived_at);
  read_explicit_rate (p, s, a);
  /* what mends the flow is none of its loss */
  if (!rtp_repair_carries (&p->repair, s->ssrc) && feed_controller (p, s, a))
    rtp_participant_request_flow_report (p, a->now);
  /* what is done about a gap is planned with it in view */
  rtp_participant_repair_on_packet (p, s, a->packet, a->now);
  rtp_participant_note_packet (p, s, a->packet->seq, a->now);
  rtp_participant_fec_on_packet (p, s, a->packet, a->now);
  if (s->reception.loss && rtp_participant_auto_pli_for (p, s) && !rtp_participant_mends_by_nack (p, s))
    key_request_on_loss (&s->key, s->reception.lost_seq);
  rtp_participant_check_source (p, s, a->now);
  rtp_participant_wake_before (p, cc_time_min (rtp_source_next_timeout (s), rtp_participant_packet_report_due_at (p)));
}

/* Two packets of noise may well have the same SSRC (0) and, by chance, numbers in sequence: a stream goes on at once
   and with the same payload type. */
static void
check_probation (RtpSource *s, const Arriving *a)
{
  if (s->reception.valid || s->packets == 0 ||
      (s->payload_type == a->packet->payload_type && a->now < s->last_heard + PROBATION))
    return;
  rtp_reception_init (&s->reception, s->reception.clock_rate);
}

/* Whoever plays one stream gets one SSRC's packets, and what brings them once more. */
static bool
is_played (RtpParticipant *p, const RtpSource *s, CcTime now)
{
  /* a second copy, or one that nobody misses any more */
  if (rtp_repair_carries (&p->repair, s->ssrc))
    return false;
  if (!p->settings.single_stream || s->retransmits || !s->valid ||
      rtp_peer_is_stream (&p->attendance.peer, s->ssrc, now))
    return true;
  p->stats.unproven++;
  return false;
}

/* True: to be passed on. */
static bool
on_rtp_of (RtpParticipant *p, RtpSource *s, const Arriving *a)
{
  RtpReceptionVerdict verdict;
  bool missed, believed, played;

  check_probation (s, a);
  verdict = rtp_reception_on_packet (&s->reception, a->packet->seq, a->packet->timestamp, a->arrived_at);
  s->last_heard = a->now;
  s->packets++;
  missed = look_for_retransmission (p, s, a);
  if (verdict == RTP_RECEPTION_PROBATION)
    s->first_is_key = false;
  if (verdict == RTP_RECEPTION_RESTART)
    on_restart (p, s);
  if (s->reception.valid && s->last_rtp == CC_TIME_NONE)
    on_first_valid (p, s);
  believed = missed || is_believed (p, verdict, a->now);
  played = believed && (missed || is_played (p, s, a->now));
  if (played && !s->joined)
    join (p, s);
  if (played)
    look_for_key_unit (p, s, a->packet, verdict);
  else if (believed)
    s->joined = false;
  if (believed && verdict != RTP_RECEPTION_PROBATION && verdict != RTP_RECEPTION_DUPLICATE)
    on_packet_of (p, s, a);
  p->stats.unproven += !believed;
  return played;
}

/* ---- whose packet it is ---- */

/* RFC 3550 8.2: another one's SSRC is that of whoever has it already. A stream that moved is followed once the old
   address is silent; where there is a peer, rtppeer.h has decided. */
static bool
is_impostor (const RtpParticipant *p, const RtpSource *s, const Arriving *a)
{
  const RtpPeer *peer = &p->attendance.peer;

  if (peer->kind == RTP_SESSION_UNICAST && peer->state != RTP_PEER_NOBODY)
    return false;
  return rtp_source_present (s) && !rtp_address_same_host (&s->address, a->from) && s->last_rtp != CC_TIME_NONE &&
         a->now < s->last_rtp + ALIVE;
}

/* False: a stranger's. Another participant in the peer's place begins anew: nobody of before is counted or told. */
static bool
is_of_peer (RtpParticipant *p, const Arriving *a, uint64_t host)
{
  uint64_t newcomers = p->attendance.peer.newcomers;

  if (!rtp_attendance_on_rtp (&p->attendance, host, a->packet, a->now))
    return false;
  if (p->attendance.peer.newcomers == newcomers)
    return true;
  rtp_sources_keep_host (&p->sources, host);
  rtp_media_on_newcomer (&p->media, a->now);
  rtp_participant_check_media (p, a->now);
  rtp_participant_check_members (p, a->now);
  return true;
}

/* NULL: not to be listened to. */
static RtpSource *
admit (RtpParticipant *p, const Arriving *a, uint64_t host, bool *ours)
{
  RtpSource *s;

  *ours = rtp_participant_is_own (p, a->packet->ssrc, host, SSRC_CNAME_NONE, a->now);
  s = *ours ? NULL : rtp_participant_source_of (p, a->packet->ssrc, a->from, a->now);
  *ours = *ours || (s != NULL && is_impostor (p, s, a));
  return s;
}

/* True: to be passed on. */
static bool
on_rtp_from (RtpParticipant *p, const Arriving *a)
{
  uint64_t host = rtp_attendance_host (&p->attendance, a->from);
  bool ours, keep;
  RtpSource *s;

  rtp_answers_on_received (&p->attendance.answers, host,
      (uint32_t)a->packet->size + rtp_address_overhead_bytes (a->from) + p->settings.rtp_overhead_bytes, a->now);
  if (!is_of_peer (p, a, host))
    return false;
  s = admit (p, a, host, &ours);
  if (ours) {
    p->stats.looped++;
    return false;
  }
  read_transport_number (p, a);
  rtp_attendance_count_rtp (&p->attendance, &p->locals, a->packet, a->now);
  rtp_media_on_heard (&p->media, a->packet->ssrc, a->now);
  rtp_participant_check_members (p, a->now);
  if (s == NULL)
    return false;
  if (s->bye_at != CC_TIME_NONE && !rtp_source_on_rtp_after_bye (s))
    return true;
  keep = on_rtp_of (p, s, a);
  if (rtp_source_present (s) && s->last_rtp == a->now && a->from->family != RTP_ADDRESS_UNKNOWN)
    s->address = *a->from;
  return keep;
}

bool
rtp_participant_on_rtp (
    RtpParticipant *p, const RtpPacket *packet, const RtpAddress *from, ArrivalEcn ecn, CcTime arrived_at, CcTime now)
{
  Arriving arriving = {.packet = packet, .from = from, .ecn = ecn, .arrived_at = arrived_at, .now = now};

  p->stats.packets++;
  return on_rtp_from (p, &arriving);
}
