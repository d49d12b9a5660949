/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccsenderapplication.h"
#include "ccsenderpackets.h"
#include "paqmqueue.h"
#include "rtcpnack.h"
#include "rtpextension.h"
#include "rtxwire.h"
#include "simtime.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

namespace sim
{

static const unsigned rate_element_bytes = 8; /* with what fills the last word */
/* tfrcsink's */
static const CcDuration status_interval = 20 * CC_MSECOND, rate_interval = 200 * CC_MSECOND,
                        key_unit_interval = 300 * CC_MSECOND;
static const double history_s = 1; /* for how long packets may be sent once more */

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
  if (now < rate_told_at && s.limit == told_limit && s.pause == told_pause && !differs (s.media_Bps * 8, told_bps))
    return;
  rate_told_at = now + rate_interval;
  told_limit = s.limit;
  told_pause = s.pause;
  told_bps = s.media_Bps * 8;
  news.bitrate = told_bps;
  news.wire_bitrate = s.rate_Bps * 8;
  news.rtt_s = s.rtt > 0 ? cc_seconds (s.rtt) : -1;
  news.loss_event_rate = s.p;
  news.queue_delay_s = cc.path.at != CC_TIME_NONE ? cc_seconds (s.queue_delay) : -1;
  news.backlog = s.backlog_bytes;
  news.frame_budget = s.frame_budget_bytes;
  news.pause = s.pause;
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
      rtp_one_byte_profile, nullptr, 0, rtt_extension_id, element, sizeof element, first, sizeof first, &profile);
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
  cc_packet_feedback_on_sent (packet_feedback.get (), media_ssrc, seq, packet.size_bytes, packet.frame, now ());
  rtcp_put_u16 (bytes + 2, seq++);
  rtcp_put_u32 (bytes + 4, packet.captured_at / 1000 * 9 / 100); /* 90 kHz */
  rtcp_put_u32 (bytes + 8, media_ssrc);
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
  cc_packet_feedback_on_sent (packet_feedback.get (), media_ssrc, seq, packet.size_bytes, packet.frame, now ());
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
      !resend_limit_on_request (&resend_limit, number, config.repairs ? RESEND_LIMIT_PLANNED : cc.tfrc.R, now ()))
    return;
  RtpPacket copy = kept->second;
  copy.bytes = rtx_make (std::move (copy.bytes), number);
  packet.size_bytes = copy.bytes.size () + header_bytes (config) - rtp_fixed_bytes;
  if (copy.again_at != CC_TIME_NONE && !cc_sender_may_repeat (&cc, packet.size_bytes, now () - copy.again_at))
    return;
  kept->second.again_at = now ();
  packet.handle = (void *)next_handle;
  packet.captured_at = now ();
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

  if (!(message.type == RTCP_RR && message.size >= rr && rtcp_get_u32 (message.data + 8) == media_ssrc))
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
    cc_sender_on_router_rate (&cc, media_ssrc + 1, path.rate_bps / 8.0, now ());
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

} // namespace sim
