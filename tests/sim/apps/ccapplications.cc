/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccapplications.h"
#include "ccsenderpackets.h"
#include "paqmqueue.h"
#include "rtcpnack.h"
#include "rtpextension.h"
#include "rtpturns.h"
#include "simtime.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ns3/inet-socket-address.h>
#include <ns3/ipv4-header.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

namespace sim
{

static const unsigned frame_header_bytes = 14; /* in the payload: frame number, its packets, ns of sending */
static const unsigned extension_id = 3;
static const unsigned rate_element_bytes = 8; /* with what fills the last word */
static const uint32_t ssrc = 0x53494d30;
/* tfrcsink's */
static const CcDuration status_interval = 20 * CC_MSECOND, rate_interval = 200 * CC_MSECOND,
                        key_unit_interval = 300 * CC_MSECOND;
/* RFC 4588: payload type and SSRC of packets sent once more, the original's number in front, and for how long. */
static const uint8_t sum_type = 98;
static const double history_s = 1;

/* ---- sender ---- */

static unsigned
header_bytes (const CcSenderConfig &config)
{
  return config.extension ? rtp_header_bytes + (config.ask_rate ? rate_element_bytes : 0) : rtp_fixed_bytes;
}

NS_OBJECT_ENSURE_REGISTERED (CcSenderApplication);

TypeId
CcSenderApplication::GetTypeId ()
{
  static TypeId id =
      TypeId ("sim::CcSenderApplication").SetParent<Application> ().AddConstructor<CcSenderApplication> ();
  return id;
}

void
CcSenderApplication::configure (const CcSenderConfig &c)
{
  config = c;
}

const CcSenderConfig &
CcSenderApplication::configuration () const
{
  return config;
}

const CcSender &
CcSenderApplication::sender () const
{
  return cc;
}

const std::vector<CcSenderRow> &
CcSenderApplication::rows () const
{
  return row_list;
}

void
CcSenderApplication::on_router_rate (uint32_t hop, double rate_Bps)
{
  if (!running)
    return;
  cc_sender_on_router_rate (&cc, hop, rate_Bps, now ());
  run ();
}

CcTime
CcSenderApplication::now () const
{
  return time_now ();
}

CcSenderStatus
CcSenderApplication::status () const
{
  CcSenderStatus status;

  cc_sender_status (&cc, now (), &status);
  return status;
}

bool
CcSenderApplication::take_key_unit_wanted ()
{
  return cc_sender_take_key_unit_wanted (&cc);
}

void
CcSenderApplication::StartApplication ()
{
  config.params.random = cc_pcg32_init (&pcg, config.seed);
  config.params.ecn = config.l4s ? ARRIVAL_ECT_1 : config.ect ? ARRIVAL_ECT_0 : ARRIVAL_NOT_ECT;
  ring.resize (config.ring_packets);
  cc_sender_init (&cc, &config.params, ring.data (), ring.size (), now ());
  CcPacketFeedbackParams feedback_params;
  cc_sender_packet_feedback_params (&cc, &feedback_params);
  packet_feedback = std::make_unique<CcPacketFeedback> ();
  cc_packet_feedback_init (packet_feedback.get (), &feedback_params);
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind ();
  socket->Connect (InetSocketAddress (config.peer, config.port));
  socket->SetRecvCallback (MakeCallback (&CcSenderApplication::on_feedback, this));
  running = true;
  status_at = rate_told_at = now ();
  ResendLimitParams resend_params;
  resend_limit_params_init (&resend_params);
  resend_limit_init (&resend_limit, &resend_params);
  sample ();
  run ();
  if (config.rtp)
    config.rtp->start (this);
  else
    config.source->start (this);
  run ();
}

void
CcSenderApplication::StopApplication ()
{
  running = false;
  if (config.source)
    config.source->stop ();
  if (config.rtp)
    config.rtp->stop ();
  timer.Cancel ();
  sampler.Cancel ();
  /* A closed port would answer what is still told to it, by ICMP. */
  if (config.rtp)
    socket->ShutdownSend ();
  else if (socket)
    socket->Close ();
}

void
CcSenderApplication::push_frame (uint32_t bytes, bool key_unit)
{
  unsigned count = std::max (1u, (bytes + config.payload_bytes - 1) / config.payload_bytes);
  CcPacket packet = {};

  frames_offered++;
  packet.frame = frame_number++;
  packet.captured_at = now ();
  packet.key_unit = key_unit;
  packet.handle = (void *)(uintptr_t)count;
  for (unsigned i = 0; i < count; i++) {
    unsigned chunk = (uint64_t)bytes * (i + 1) / count - (uint64_t)bytes * i / count;
    packet.size_bytes = header_bytes (config) + std::max (chunk, frame_header_bytes);
    packet.frame_end = i + 1 == count;
    push (packet);
  }
  if (!draining)
    run ();
}

void
CcSenderApplication::push (const CcPacket &packet)
{
  if (cc_sender_push (&cc, &packet, now ()))
    return;
  drain ();
  if (cc_sender_push (&cc, &packet, now ()))
    return;
  packets_refused++;
  waiting.erase ((uintptr_t)packet.handle);
}

void
CcSenderApplication::push_packets (std::vector<RtpPacket> packets)
{
  frames_offered++;
  for (RtpPacket &from : packets) {
    CcPacket packet = {};
    packet.handle = (void *)next_handle;
    packet.size_bytes = from.bytes.size () + header_bytes (config) - rtp_fixed_bytes;
    packet.frame = from.frame;
    packet.captured_at = from.captured_s * CC_SECOND;
    packet.frame_end = from.frame_end;
    packet.key_unit = from.key_unit;
    waiting[next_handle++] = std::move (from);
    push (packet);
  }
  run ();
}

void
CcSenderApplication::drain ()
{
  CcPacket packet;
  CcSenderVerdict verdict;

  if (draining)
    return;
  draining = true;
  while ((verdict = cc_sender_pull (&cc, now (), &packet)) != CC_SENDER_WAIT) {
    if (config.rtp && verdict == CC_SENDER_SEND)
      send_rtp (packet);
    else if (verdict == CC_SENDER_SEND)
      send (packet);
    if (config.rtp)
      waiting.erase ((uintptr_t)packet.handle);
    else
      config.source->on_sent ();
  }
  draining = false;
}

void
CcSenderApplication::run ()
{
  CcTime next;

  if (!running)
    return;
  timer.Cancel ();
  if (cc_sender_next_timeout (&cc) <= now ())
    cc_sender_on_timeout (&cc, now ());
  next = config.rtp ? run_media (now ()) : CC_TIME_NONE;
  drain ();
  next = cc_time_min (next, cc_sender_next_timeout (&cc));
  if (next == CC_TIME_NONE)
    return;
  stuck += next <= now ();
  timer =
      Simulator::Schedule (NanoSeconds (next > now () ? next - now () : CC_USECOND), &CcSenderApplication::run, this);
}

/* ---- real media, treated as tfrcsink does ---- */

static bool
differs (double a, double b)
{
  return std::fabs (a - b) > b / 50;
}

void
CcSenderApplication::tell_rate (CcTime now)
{
  CcSenderStatus s = status ();
  RateNews news;

  status_at = now + status_interval;
  if (now < rate_told_at && s.limit == told_limit && !differs (s.media_Bps * 8, told_bps))
    return;
  rate_told_at = now + rate_interval;
  told_limit = s.limit;
  told_bps = s.media_Bps * 8;
  news.bitrate = told_bps;
  news.wire_bitrate = s.rate_Bps * 8;
  news.rtt_s = s.rtt > 0 ? cc_seconds (s.rtt) : -1;
  news.loss_event_rate = s.p;
  news.queue_delay_s = cc.path.at != CC_TIME_NONE ? cc_seconds (s.queue_delay) : -1;
  news.backlog = s.backlog_bytes;
  news.frame_budget = s.frame_budget_bytes;
  news.limit = cc_limit_name (s.limit);
  news.owner = rate_owner_name (s.owner);
  config.rtp->on_rate (news);
}

void
CcSenderApplication::want_key_unit (CcTime now)
{
  CcDuration interval = std::max (key_unit_interval, cc.tfrc.R);

  if (key_unit_at != CC_TIME_NONE && now < key_unit_at + interval) {
    key_unit_due = key_unit_at + interval;
    return;
  }
  key_unit_at = now;
  key_unit_due = CC_TIME_NONE;
  key_units_asked++;
  config.rtp->want_key_unit ();
}

/* Returns when it wants to be called again at the latest. */
CcTime
CcSenderApplication::run_media (CcTime now)
{
  if (cc_sender_take_key_unit_wanted (&cc) || key_unit_due <= now)
    want_key_unit (now);
  if (std::min (status_at, rate_told_at) <= now)
    tell_rate (now);
  return cc_time_min (rate_told_at, key_unit_due);
}

/* Into header bytes behind the fixed ones. */
static void
write_extension (uint8_t *rtp, size_t header, const RtpRttSendts *stamp)
{
  uint8_t element[RTP_EXT_RTT_SENDTS_SIZE], rate[ERF_EXTENSION_SIZE], first[rtp_header_bytes - 16];
  uint16_t profile;

  rtp_ext_rtt_sendts_write (element, stamp);
  size_t size = rtp_ext_put (
      rtp_one_byte_profile, nullptr, 0, extension_id, element, sizeof element, first, sizeof first, &profile);
  memcpy (rtp + 16, first, sizeof first);
  if (header > rtp_header_bytes) {
    erf_extension_write_unset (rate);
    size = rtp_ext_put (profile, first, size, ERF_EXTENSION_ID, rate, sizeof rate, rtp + 16, header - 16, &profile);
  }
  NS_ABORT_MSG_UNLESS (size == header - 16, "the extension does not have the expected size");
  rtp[0] |= 0x10;
  rtcp_put_u16 (rtp + 12, profile);
  rtcp_put_u16 (rtp + 14, size / 4);
}

void
CcSenderApplication::send (const CcPacket &packet)
{
  uint8_t bytes[rtp_header_bytes + frame_header_bytes] = {};
  uint8_t *payload = bytes + header_bytes (config);
  RtpRttSendts stamp;

  bytes[0] = 0x80;
  bytes[1] = 96 | (packet.frame_end ? 0x80 : 0);
  cc_packet_feedback_on_sent (packet_feedback.get (), ssrc, seq, packet.size_bytes, packet.frame, now ());
  rtcp_put_u16 (bytes + 2, seq++);
  rtcp_put_u32 (bytes + 4, packet.captured_at / 1000 * 9 / 100); /* 90 kHz */
  rtcp_put_u32 (bytes + 8, ssrc);
  if (config.extension) {
    cc_sender_stamp (&cc, now (), &stamp);
    write_extension (bytes, rtp_header_bytes, &stamp);
  }
  rtcp_put_u32 (payload, packet.frame);
  rtcp_put_u16 (payload + 4, (uintptr_t)packet.handle);
  rtcp_put_u32 (payload + 6, now () >> 32);
  rtcp_put_u32 (payload + 10, now ());
  size_t size = payload + frame_header_bytes - bytes;
  Ptr<Packet> out = Create<Packet> (bytes, size);
  out->AddPaddingAtEnd (packet.size_bytes - size);
  if (frame_sent_at.size () <= packet.frame)
    frame_sent_at.resize (packet.frame + 1, -1);
  if (frame_sent_at[packet.frame] < 0)
    frame_sent_at[packet.frame] = seconds_now ();
  packets_sent++;
  socket->SetIpTos (cc_sender_next_ecn (&cc));
  socket->Send (out);
}

/* Numbered anew, so that what was given up before sending leaves no gap. The payloader's packets have no extension. */
void
CcSenderApplication::send_rtp (const CcPacket &packet)
{
  RtpPacket &from = waiting.at ((uintptr_t)packet.handle);
  std::vector<uint8_t> bytes (from.bytes.begin (), from.bytes.begin () + rtp_fixed_bytes);
  RtpRttSendts stamp;

  NS_ABORT_MSG_IF (from.bytes[0] & 0x1f, "RTP packets with CSRC or extension");
  rtcp_put_u16 (&bytes[2], packet.resent ? resent_seq++ : seq);
  bytes.resize (header_bytes (config));
  if (config.extension) {
    cc_sender_stamp (&cc, now (), &stamp);
    write_extension (bytes.data (), bytes.size (), &stamp);
  }
  bytes.insert (bytes.end (), from.bytes.begin () + rtp_fixed_bytes, from.bytes.end ());
  packets_sent++;
  Ptr<Packet> out = Create<Packet> (bytes.data (), bytes.size ());
  if (config.ask_rate) {
    ErfTag tag;
    tag.rtt_s = cc_seconds (cc.tfrc.R);
    out->AddPacketTag (tag);
  }
  socket->SetIpTos (cc_sender_next_ecn (&cc));
  socket->Send (out);
  if (packet.resent)
    return;
  cc_packet_feedback_on_sent (packet_feedback.get (), ssrc, seq, packet.size_bytes, packet.frame, now ());
  resend_limit_on_sent (&resend_limit, seq);
  send_sums (packet, from);
  history[seq++] = std::move (from);
  while (history.size () > RESEND_LIMIT_WINDOW)
    history.erase (history.begin ());
}

/* As tfrcsink makes them, over packets as the payloader left them but for their number. */
void
CcSenderApplication::send_sums (const CcPacket &packet, const RtpPacket &sent)
{
  RtpPacket carrier = sent;
  CcPacket out = {};

  for (std::vector<uint8_t> &sum : sum_source.on_sent (sent.bytes, seq, packet, cc, now ())) {
    carrier.bytes.resize (rtp_fixed_bytes);
    carrier.bytes[1] = sum_type;
    rtcp_put_u32 (&carrier.bytes[8], rtx_ssrc);
    carrier.bytes.insert (carrier.bytes.end (), sum.begin (), sum.end ());
    out.handle = (void *)next_handle;
    out.size_bytes = carrier.bytes.size () + header_bytes (config) - rtp_fixed_bytes;
    out.captured_at = now ();
    out.resent = out.repair = true;
    waiting[next_handle++] = carrier;
    sums++;
    push (out);
  }
  cc_sender_set_redundancy (&cc, sum_source.redundancy ());
}

/* As rtprtxsend makes it of what it kept. */
void
CcSenderApplication::resend (uint16_t number)
{
  auto kept = history.find (number);
  CcPacket packet = {};

  if (kept == history.end () || kept->second.captured_s < seconds_now () - history_s ||
      !resend_limit_on_request (&resend_limit, number, cc.tfrc.R, now ()))
    return;
  RtpPacket copy = kept->second;
  copy.bytes = rtx_make (std::move (copy.bytes), number);
  packet.handle = (void *)next_handle;
  packet.size_bytes = copy.bytes.size () + header_bytes (config) - rtp_fixed_bytes;
  packet.captured_at = copy.captured_s * CC_SECOND;
  packet.frame = copy.frame;
  packet.resent = true;
  waiting[next_handle++] = std::move (copy);
  resent++;
  push (packet);
}

void
CcSenderApplication::on_nack (const uint8_t *fci, size_t size)
{
  uint16_t numbers[NACK_REQUEST_MAX_MISSING];
  size_t n;

  if (!rtcp_nack_parse (fci, size, numbers, NACK_REQUEST_MAX_MISSING, &n))
    return;
  for (size_t i = 0; i < n; i++)
    resend (numbers[i]);
}

void
CcSenderApplication::on_feedback (Ptr<Socket> from)
{
  Ptr<Packet> packet;
  uint8_t bytes[1500];

  while ((packet = from->Recv ())) {
    size_t size = packet->CopyData (bytes, sizeof bytes);
    feedback_packets++;
    feedback_bytes += size + udp_ip_bytes;
    if (running)
      parse_rtcp (bytes, size);
  }
  run ();
}

void
CcSenderApplication::parse_rtcp (const uint8_t *data, size_t size)
{
  each_rtcp_message (data, size, [this] (const RtcpMessage &message) {
    on_report (message);
    on_packet_reports (message);
    on_path (message);
    if (config.rtp && message.is (RTCP_FB_RTPFB, RTCP_FB_FMT_NACK))
      on_nack (message.fci (), message.fci_size ());
    if (config.rtp && message.is (RTCP_FB_PSFB, rtcp_pli_format))
      want_key_unit (now ());
  });
}

/* For the circuit breaker alone: the rate follows the finer reports. */
void
CcSenderApplication::on_report (const RtcpMessage &message)
{
  static const size_t rr = 32;
  CircuitReport report = {};

  if (!(message.type == RTCP_RR && message.size >= rr && rtcp_get_u32 (message.data + 8) == ssrc))
    return;
  report.fraction_lost = message.data[12] / 256.0;
  report.packets = std::max<int32_t> (rtcp_get_u32 (message.data + 16) - reported_seq, 0);
  report.Tr = cc.tfrc.R;
  reported_seq = rtcp_get_u32 (message.data + 16);
  cc_sender_on_report_block (&cc, &report, now ());
}

void
CcSenderApplication::on_packet_reports (const RtcpMessage &message)
{
  TfrcReport report;
  RtcpCcfbReader ccfb;
  RtcpTwccReader twcc;

  if (message.is (RTCP_FB_RTPFB, RTCP_FB_FMT_CCFB) && rtcp_ccfb_open (&ccfb, message.data + 8, message.size - 8))
    cc_sender_on_ccfb (&cc, packet_feedback.get (), &ccfb, now ());
  if (message.is (RTCP_FB_RTPFB, RTCP_FB_FMT_TWCC) && rtcp_twcc_open (&twcc, message.fci (), message.fci_size ()))
    cc_sender_on_twcc (&cc, packet_feedback.get (), &twcc, now ());
  if (message.is (RTCP_FB_RTPFB, RTCP_FB_FMT_TFRC) &&
      rtcp_fb_tfrc_parse (message.fci (), message.fci_size (), &report)) {
    report_at.push_back (seconds_now ());
    cc_sender_on_tfrc_report (&cc, &report, now ());
  }
}

void
CcSenderApplication::on_path (const RtcpMessage &message)
{
  RtcpPath path;
  RtcpRepair wanted;
  PathReport seen = {};

  if (message.is (RTCP_FB_PSFB, RTCP_FB_FMT_AFB) && rtcp_repair_parse (message.fci (), message.fci_size (), &wanted))
    sum_source.on_request (wanted, now ());
  if (!message.is (RTCP_FB_PSFB, RTCP_FB_FMT_AFB) || !rtcp_fb_path_parse (message.fci (), message.fci_size (), &path))
    return;
  if (path.kind != RTCP_PATH_END_TO_END) {
    cc_sender_on_router_rate (&cc, ssrc + 1, path.rate_bps / 8.0, now ());
    return;
  }
  seen.rate_Bps = path.rate_bps / 8.0;
  seen.capacity_Bps = path.capacity_bps / 8.0;
  seen.queue_delay = path.queue_delay;
  seen.owner = path.owner;
  seen.ecn = path.ecn;
  seen.loss = path.loss;
  seen.excused = path.excused;
  cc_sender_on_path_report (&cc, &seen, now ());
}

void
CcSenderApplication::sample ()
{
  CcSenderStatus s = status ();

  row_list.push_back ({seconds_now (), s.rate_Bps * 8, s.media_Bps * 8, cc_seconds (s.rtt), s.p,
      cc_seconds (s.queue_delay), cc_seconds (s.backlog_delay), s.limit, s.owner});
  sampler = Simulator::Schedule (Seconds (config.sample_s), &CcSenderApplication::sample, this);
}

/* ---- receiver ---- */

NS_OBJECT_ENSURE_REGISTERED (CcReceiverApplication);

TypeId
CcReceiverApplication::GetTypeId ()
{
  static TypeId id =
      TypeId ("sim::CcReceiverApplication").SetParent<Application> ().AddConstructor<CcReceiverApplication> ();
  return id;
}

void
CcReceiverApplication::configure (const CcReceiverConfig &c)
{
  config = c;
}

const CcReceiver &
CcReceiverApplication::receiver () const
{
  return cc;
}

CcDuration
CcReceiverApplication::report_interval () const
{
  return avpf_timing_interval (&avpf);
}

const std::vector<FrameArrival> &
CcReceiverApplication::frames () const
{
  return frame_list;
}

CcTime
CcReceiverApplication::now () const
{
  uint64_t t = time_now ();

  return t + (int64_t)(t * config.clock_drift_ppm * 1e-6) + cc_duration (config.clock_offset_s);
}

void
CcReceiverApplication::StartApplication ()
{
  AvpfTimingParams params;

  cc_receiver_init (&cc, &config.params);
  start_media ();
  arrival_history_init (&history, 0);
  avpf_timing_params_init (&params);
  params.random = cc_pcg32_init (&pcg, config.seed);
  params.rtcp_bw_Bps = config.min_rtcp_Bps;
  params.T_rr_interval = cc_duration (config.trr_interval_s);
  avpf_timing_init (&avpf, &params, now ());
  avpf_timing_set_members (&avpf, 2, 1, false, now ());
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), config.port));
  socket->SetIpRecvTos (true);
  socket->SetRecvCallback (MakeCallback (&CcReceiverApplication::on_packet, this));
  running = true;
}

void
CcReceiverApplication::StopApplication ()
{
  running = false;
  timer.Cancel ();
  if (socket)
    socket->Close ();
}

static ArrivalEcn
ecn_of (Ptr<const Packet> packet)
{
  SocketIpTosTag tag;

  return packet->PeekPacketTag (tag) ? (ArrivalEcn)(tag.GetTos () & 3) : ARRIVAL_NOT_ECT;
}

/* Any RTP packet; header: bytes in front of the payload. */
static bool
parse_rtp (const uint8_t *bytes, size_t size, CcArrival *arrival, size_t *header)
{
  size_t words, element_size;

  *header = rtp_fixed_bytes + 4 * (bytes[0] & 15);
  arrival->seq = rtcp_get_u16 (bytes + 2);
  arrival->marker = bytes[1] & 0x80;
  arrival->rtp_timestamp = rtcp_get_u32 (bytes + 4);
  if (!(bytes[0] & 0x10))
    return *header <= size;
  if (*header + 4 > size)
    return false;
  const uint8_t *extension = bytes + *header;
  words = rtcp_get_u16 (extension + 2);
  *header += 4 + 4 * words;
  if (*header > size)
    return false;
  const uint8_t *element =
      rtp_ext_find (rtcp_get_u16 (extension), extension + 4, 4 * words, extension_id, &element_size);
  arrival->has_stamp = element && rtp_ext_rtt_sendts_parse (element, element_size, &arrival->stamp);
  return true;
}

/* The payload, or NULL where it is not one of our packets. */
static const uint8_t *
parse_packet (const uint8_t *bytes, size_t size, CcArrival *arrival)
{
  bool extended = size > 0 && bytes[0] & 0x10;
  size_t header = extended ? rtp_header_bytes : rtp_fixed_bytes;

  if (size < header + frame_header_bytes || bytes[0] >> 6 != 2)
    return nullptr;
  arrival->seq = rtcp_get_u16 (bytes + 2);
  arrival->marker = bytes[1] & 0x80;
  arrival->rtp_timestamp = rtcp_get_u32 (bytes + 4);
  if (extended) {
    size_t element_size;
    const uint8_t *element = rtp_ext_find (
        rtcp_get_u16 (bytes + 12), bytes + 16, 4 * rtcp_get_u16 (bytes + 14), extension_id, &element_size);
    arrival->has_stamp = element && rtp_ext_rtt_sendts_parse (element, element_size, &arrival->stamp);
  }
  return bytes + header;
}

/* What all packets have in common. Returns whether feedback is wanted. */
bool
CcReceiverApplication::feed (CcArrival *arrival, Ptr<const Packet> packet)
{
  heard = true;
  fed++;
  packets++;
  bytes_total += packet->GetSize ();
  arrival->size_bytes = packet->GetSize ();
  arrival->arrived_at = now ();
  arrival->ecn = ecn_of (packet);
  marks += arrival->ecn == ARRIVAL_CE;
  arrival_history_on_packet (&history, arrival->seq, arrival->ecn, arrival->arrived_at);
  return cc_receiver_on_packet (&cc, arrival);
}

bool
CcReceiverApplication::on_model_packet (Ptr<Packet> packet)
{
  uint8_t bytes[rtp_header_bytes + frame_header_bytes];
  CcArrival arrival = {};
  const uint8_t *payload = parse_packet (bytes, packet->CopyData (bytes, sizeof bytes), &arrival);

  if (!payload)
    return false;
  uint64_t sent_at = (uint64_t)rtcp_get_u32 (payload + 6) << 32 | rtcp_get_u32 (payload + 10);
  transit.add (seconds_now (), seconds_now () - sent_at * 1e-9);
  count_frame (rtcp_get_u32 (payload), rtcp_get_u16 (payload + 4), arrival.rtp_timestamp / 90000.0);
  rtp_reception_on_packet (&reception, arrival.seq, arrival.rtp_timestamp, now ());
  return feed (&arrival, packet);
}

static size_t
frame_feedback (uint8_t *at, unsigned format, unsigned type, size_t fci_size)
{
  return put_rtcp_feedback (at, type, format, ssrc + 1, type == RTCP_FB_PSFB ? 0 : ssrc, fci_size);
}

/* ---- real media: what rtcpavpf does about key units ---- */

bool
CcReceiverApplication::on_rtp (Ptr<Packet> packet)
{
  std::vector<uint8_t> bytes (packet->GetSize ());
  CcArrival arrival = {};
  size_t header;

  packet->CopyData (bytes.data (), bytes.size ());
  if (bytes.size () < rtp_fixed_bytes || !parse_rtp (bytes.data (), bytes.size (), &arrival, &header))
    return false;
  if (rtcp_get_u32 (&bytes[8]) == rtx_ssrc) {
    packets++;
    bytes_total += bytes.size ();
    on_beside (bytes.data (), header, bytes.size ());
    return false;
  }
  std::copy_n (bytes.begin (), rtp_fixed_bytes, media_header);
  follow_routers (packet);
  bool wanted = feed (&arrival, packet);
  follow_stream (arrival, bytes.data () + header, bytes.size () - header);
  if (config.repair.planned)
    follow_plan (bytes, arrival.seq);
  config.sink->on_packet (bytes.data (), bytes.size ());
  play_mended ();
  return wanted;
}

/* What P-AQM routers let the flow have, as the header extension would tell it. */
void
CcReceiverApplication::follow_routers (Ptr<const Packet> packet)
{
  ErfTag tag;
  ErfExtension value;

  if (!packet->PeekPacketTag (tag) || tag.rate_Bps <= 0)
    return;
  value = {true, tag.rate_Bps, tag.hop};
  bool urgent = explicit_rate_on_packet (&explicit_rate, &value, packets, now ());
  if (explicit_rate.at == now ())
    cc_receiver_on_explicit_rate (&cc, explicit_rate.rate_Bps, now ());
  if (urgent)
    want_feedback ();
}

size_t
CcReceiverApplication::write_explicit_rate (uint8_t *at)
{
  double rate_Bps = config.sink ? explicit_rate_current (&explicit_rate, now ()) : 0;
  RtcpPath path = {};

  if (rate_Bps <= 0)
    return 0;
  path.kind = RTCP_PATH_ERF;
  path.hop = explicit_rate.hop;
  path.rate_bps = rate_Bps * 8;
  explicit_rate_told (&explicit_rate, now ());
  return frame_feedback (at, RTCP_FB_FMT_AFB, RTCP_FB_PSFB, rtcp_fb_path_write (at + 12, RTCP_FB_PATH_SIZE, &path));
}

void
CcReceiverApplication::set_rtt (CcDuration rtt)
{
  key_request_set_rtt (&key, rtt);
  nack_request_set_rtt (&nack, rtt);
}

void
CcReceiverApplication::follow_stream (const CcArrival &arrival, const uint8_t *payload, size_t size)
{
  RtpReceptionVerdict verdict =
      rtp_reception_on_packet (&reception, arrival.seq, arrival.rtp_timestamp, arrival.arrived_at);
  bool newer = verdict == RTP_RECEPTION_NEWER || verdict == RTP_RECEPTION_RESTART;
  uint32_t highest = rtp_reception_highest (&reception);

  if (arrival.has_stamp && arrival.stamp.rtt > 0)
    set_rtt (arrival.stamp.rtt);
  if (newer && rtp_key_unit_starts (config.codec, payload, size))
    key_request_on_key_unit (&key, highest);
  if (asks ())
    nack_request_on_packet (&nack, highest + (int16_t)(arrival.seq - (uint16_t)highest), now ());
  else if (newer && reception.loss && config.codec != RTP_CODEC_INTRA)
    key_request_on_loss (&key, reception.lost_seq);
}

void
CcReceiverApplication::follow_plan (const std::vector<uint8_t> &rtp, uint16_t seq)
{
  uint32_t highest = rtp_reception_highest (&reception);

  StreamPath path = {key.rtt, cc_receiver_queue_stands (&cc, now ())};

  repair.on_packet (rtp.data (), rtp.size (), highest + (int16_t)(seq - (uint16_t)highest), path, &nack, now ());
  config.sink->set_latency (repair.wait_s ());
}

bool
CcReceiverApplication::asks () const
{
  return config.nack_latency_s > 0 || config.repair.planned;
}

/* What mends the stream: paid for by its rate, as the participant counts it. */
void
CcReceiverApplication::on_beside (const uint8_t *rtp, size_t header, size_t size)
{
  if (config.repair.planned)
    cc_receiver_on_beside (&cc, size);
  if ((rtp[1] & 0x7f) != sum_type) {
    on_resent (rtp, header, size);
  } else {
    repair.on_sum (rtp + header, size - header, now ());
  }
  play_mended ();
}

/* Nobody need be asked for it any more. */
void
CcReceiverApplication::play_mended ()
{
  uint32_t highest = rtp_reception_highest (&reception);

  for (std::vector<uint8_t> packet; !(packet = repair.take_mended ()).empty (); mended++) {
    uint16_t number = rtcp_get_u16 (&packet[2]);
    nack_request_on_packet (&nack, highest + (int16_t)(number - (uint16_t)highest), now ());
    config.sink->on_packet (packet.data (), packet.size ());
  }
}

/* RFC 4588: the original's number stands in front of its payload. As rtprtxreceive restores it. */
void
CcReceiverApplication::on_resent (const uint8_t *rtp, size_t header, size_t size)
{
  if (!asks () || size < header + rtx_osn_bytes)
    return;
  std::vector<uint8_t> original = rtx_restore (rtp, header, size, media_header);
  uint32_t highest = rtp_reception_highest (&reception);
  uint16_t osn = rtcp_get_u16 (rtp + header);

  restored++;
  if (config.repair.planned)
    repair.on_restored (original.data (), original.size (), nack_request_missing (&nack, osn), now ());
  nack_request_on_packet (&nack, highest + (int16_t)(osn - (uint16_t)highest), now ());
  config.sink->on_packet (original.data (), original.size ());
}

/* What asking again did not mend, a key unit has to. */
void
CcReceiverApplication::check_nack ()
{
  uint16_t due[NACK_REQUEST_MAX_MISSING];

  if (!asks () || nack_request_next_timeout (&nack) > now ())
    return;
  nack_request_set_rtcp_delay (&nack, avpf.allow_early ? avpf_timing_dither_max (&avpf) / 2 : avpf.tn - now ());
  if (nack_request_take_due (&nack, due, NACK_REQUEST_MAX_MISSING, now ()) > 0 && !nack_pending) {
    nack_pending = true;
    want_feedback ();
  }
  uint64_t failed = nack.given_up + nack.hopeless;
  if (failed > nack_failed && config.codec != RTP_CODEC_INTRA)
    key_request_on_loss (
        &key, nack.n_missing > 0 ? nack.missing[0].seq - 1 : rtp_reception_highest (&reception) - KEY_REQUEST_MARGIN);
  nack_failed = failed;
}

void
CcReceiverApplication::check_key_request ()
{
  if (key_pending || key_request_next_timeout (&key) > now ())
    return;
  key_pending = true;
  want_feedback ();
}

/* Returns when it wants to be called again at the latest. */
CcTime
CcReceiverApplication::run_media ()
{
  if (!config.sink)
    return CC_TIME_NONE;
  check_nack ();
  check_key_request ();
  CcTime next = key_pending ? CC_TIME_NONE : key_request_next_timeout (&key);
  return nack_pending ? next : cc_time_min (next, nack_request_next_timeout (&nack));
}

void
CcReceiverApplication::start_media ()
{
  KeyRequestParams key_params;

  rtp_reception_init (&reception, 90000);
  if (!config.sink)
    return;
  key_request_params_init (&key_params);
  key_params.repeat = rtp_codec_tells_key_units (config.codec);
  key_request_init (&key, &key_params);
  NackRequestParams nack_params;
  nack_request_params_init (&nack_params);
  nack_params.latency = cc_duration (config.nack_latency_s);
  nack_request_init (&nack, &nack_params);
  repair.start (config.repair);
  explicit_rate_init (&explicit_rate);
  config.sink->key_unit_wanted = [this] () {
    key_request_want (&key, false);
    check_key_request ();
  };
}

void
CcReceiverApplication::on_packet (Ptr<Socket> from)
{
  Ptr<Packet> packet;
  Address sender;
  bool wanted = false;

  while ((packet = from->RecvFrom (sender))) {
    peer = sender;
    wanted |= config.sink ? on_rtp (packet) : on_model_packet (packet);
  }
  if (wanted)
    want_report ();
  run ();
}

void
CcReceiverApplication::count_frame (uint32_t number, unsigned count, double captured_s)
{
  static const size_t remembered = 64;
  auto frame = std::find_if (
      open_frames.begin (), open_frames.end (), [number] (const FrameArrival &f) { return f.number == number; });

  if (frame == open_frames.end ()) {
    if (open_frames.size () == remembered)
      open_frames.erase (open_frames.begin ());
    open_frames.push_back ({number, captured_s, 0, 0});
    frame = open_frames.end () - 1;
  }
  if (++frame->packets < count)
    return;
  frame->completed_s = seconds_now ();
  frame_list.push_back (*frame);
  open_frames.erase (frame);
}

void
CcReceiverApplication::want_feedback ()
{
  if (config.timing == FeedbackTiming::at_once)
    send_feedback (false);
  else
    avpf_timing_request_feedback (&avpf, CC_SECOND, now ());
}

/* Early packets are the requests' while packets are lost; regular ones come all the time. */
void
CcReceiverApplication::want_report ()
{
  if (config.repair.planned && repair.requests_come_first ())
    avpf_timing_store_feedback (&avpf);
  else
    want_feedback ();
}

void
CcReceiverApplication::set_rtcp_bandwidth ()
{
  double span = seconds_now () - bandwidth_from_s;

  if (span < 0.5)
    return;
  double receive_Bps = (bytes_total + packets * (double)udp_ip_bytes - bandwidth_from_bytes) / span;
  double rtcp_Bps = std::max (receive_Bps * config.rtcp_fraction, config.min_rtcp_Bps);
  /* who has agreed to repair needs little of its half */
  avpf_timing_set_bandwidth (&avpf, config.repair.planned ? rtp_turns_beside_little_Bps (rtcp_Bps) : rtcp_Bps);
  bandwidth_from_s = seconds_now ();
  bandwidth_from_bytes = bytes_total + packets * udp_ip_bytes;
}

void
CcReceiverApplication::run ()
{
  if (!running || !heard)
    return;
  timer.Cancel ();
  if (cc_receiver_next_timeout (&cc) <= now () && cc_receiver_on_timeout (&cc, now ()))
    want_report ();
  CcTime next = cc_time_min (cc_receiver_next_timeout (&cc), run_media ());
  if (config.timing == FeedbackTiming::avpf) {
    set_rtcp_bandwidth ();
    if (avpf_timing_next_timeout (&avpf) <= now ()) {
      AvpfVerdict verdict = avpf_timing_on_timeout (&avpf, now ());
      uint64_t before = feedback_bytes;
      if (verdict != AVPF_NOTHING && send_feedback (verdict == AVPF_SEND_REGULAR || !config.reduced_size))
        avpf_timing_on_sent (&avpf, verdict, feedback_bytes - before, now ());
    }
    next = cc_time_min (next, avpf_timing_next_timeout (&avpf));
  }
  if (next == CC_TIME_NONE)
    return;
  timer =
      Simulator::Schedule (NanoSeconds (next > now () ? next - now () : CC_USECOND), &CcReceiverApplication::run, this);
}

/* A receiver report with one block and an SDES with a CNAME of ten characters, as in front of every compound packet. */
size_t
CcReceiverApplication::write_report (uint8_t *at)
{
  static const size_t rr = 32;
  RtpReceptionReport report = {};

  rtp_reception_report (&reception, now (), &report);
  put_rtcp_header (at, RTCP_RR, 1, rr, ssrc + 1);
  rtcp_put_u32 (at + 8, ssrc);
  rtcp_put_u32 (at + 12, (uint32_t)report.fraction_lost << 24 | ((uint32_t)report.cumulative_lost & 0xffffff));
  rtcp_put_u32 (at + 16, report.highest_seq);
  return rr + put_rtcp_cname (at + rr, ssrc + 1, "sim@sim.ns");
}

static size_t
write_tfrc (uint8_t *at, const CcReport &report, bool path_report)
{
  size_t size = rtcp_fb_tfrc_write (at + 12, RTCP_FB_TFRC_SIZE, &report.tfrc);
  RtcpPath path = {};

  size = frame_feedback (at, RTCP_FB_FMT_TFRC, RTCP_FB_RTPFB, size);
  if (!path_report)
    return size;
  path.kind = RTCP_PATH_END_TO_END;
  path.rate_bps = report.path.rate_Bps * 8;
  path.capacity_bps = report.path.capacity_Bps * 8;
  path.queue_delay = report.path.queue_delay;
  path.owner = report.path.owner;
  path.ecn = report.path.ecn;
  path.loss = report.path.loss;
  path.excused = report.path.excused;
  at += size;
  return size +
         frame_feedback (at, RTCP_FB_FMT_AFB, RTCP_FB_PSFB, rtcp_fb_path_write (at + 12, RTCP_FB_PATH_SIZE, &path));
}

/* The body begins where the media SSRC stands in other messages. */
static size_t
write_ccfb (uint8_t *at, size_t capacity, ArrivalHistory *history, CcTime now)
{
  uint8_t body[1200];
  RtcpCcfbWriter writer;
  ArrivalRange range;
  size_t size;

  if (!arrival_history_range (history, &range))
    return 0;
  rtcp_ccfb_begin (&writer, body, std::min (capacity - 8, sizeof body), now);
  rtcp_ccfb_add (&writer, ssrc, history);
  size = rtcp_ccfb_end (&writer, (now / CC_SECOND << 16) + (now % CC_SECOND << 16) / CC_SECOND);
  frame_feedback (at, RTCP_FB_FMT_CCFB, RTCP_FB_RTPFB, size - 4);
  memcpy (at + 8, body, size);
  return 8 + size;
}

/* What the receiver has to say, whatever its kind, as rtcpavpf does: nothing where nothing has come since. */
size_t
CcReceiverApplication::write_feedback (uint8_t *at, size_t capacity)
{
  CcReport report;

  if (fed == fed_in_feedback || !cc_receiver_report (&cc, now (), &report))
    return 0;
  fed_in_feedback = fed;
  if (config.kind == FeedbackKind::tfrc)
    return write_tfrc (at, report, config.path_report);
  if (config.kind == FeedbackKind::ccfb)
    return write_ccfb (at, capacity, &history, now ());
  size_t size = rtcp_twcc_write (at + 12, capacity - 12, &history, fb_pkt_count);
  if (size == 0)
    return 0;
  fb_pkt_count++;
  return frame_feedback (at, RTCP_FB_FMT_TWCC, RTCP_FB_RTPFB, size);
}

/* A picture loss indication, where one is due. */
size_t
CcReceiverApplication::write_key_request (uint8_t *at)
{
  if (!config.sink || key_request_next_timeout (&key) > now ())
    return 0;
  key_request_on_sent (&key, now ());
  key_pending = false;
  key_units_asked++;
  return put_rtcp_feedback (at, RTCP_FB_PSFB, rtcp_pli_format, ssrc + 1, ssrc, 0);
}

size_t
CcReceiverApplication::write_nack (uint8_t *at)
{
  static const size_t capacity = 400;
  uint16_t due[NACK_REQUEST_MAX_MISSING];
  size_t taken = 0, n;

  nack_pending = false;
  if (!config.sink || !asks ())
    return 0;
  n = nack_request_take_due (&nack, due, NACK_REQUEST_MAX_MISSING, now ());
  if (n == 0)
    return 0;
  size_t size = rtcp_nack_write (at + 12, capacity, due, n, &taken);
  if (config.repair.planned)
    repair.on_asked (nack, due, taken, now ());
  nack_request_on_sent (&nack, due, taken, now ());
  nacks += taken;
  return frame_feedback (at, RTCP_FB_FMT_NACK, RTCP_FB_RTPFB, size);
}

size_t
CcReceiverApplication::write_repair (uint8_t *at)
{
  size_t size = config.sink && config.repair.planned ? repair.write_request (at + 12, RTCP_REPAIR_SIZE_MAX, now ()) : 0;

  return size > 0 ? frame_feedback (at, RTCP_FB_FMT_AFB, RTCP_FB_PSFB, size) : 0;
}

bool
CcReceiverApplication::send_feedback (bool compound)
{
  uint8_t bytes[1200] = {};
  size_t size = compound ? write_report (bytes) : 0;

  size += write_nack (bytes + size);
  size += write_key_request (bytes + size);
  size += write_explicit_rate (bytes + size);
  size += write_repair (bytes + size);
  /* what is not due would keep the next request waiting */
  if (compound || cc.told || !config.repair.planned || !repair.requests_come_first ())
    size += write_feedback (bytes + size, sizeof bytes - size);
  if (size == 0)
    return false;
  feedback_packets++;
  feedback_bytes += size + udp_ip_bytes;
  socket->SendTo (Create<Packet> (bytes, size), 0, peer);
  return true;
}

} // namespace sim
