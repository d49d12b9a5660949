/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hostedsender.h"
#include "ns3compat.h"
#include "rtpextension.h"
#include "rtpwire.h"
#include "simtime.h"
#include <algorithm>
#include <ns3/abort.h>
#include <ns3/inet-socket-address.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

namespace sim
{

static const unsigned extension_bytes = 8, extension_id = 1;
static const size_t remembered_packets = 8192;
static const size_t twcc_capacity = 1200;
static const double rtcp_fraction = 0.05, least_session_bps = 64000; /* rtpsession's */
static const uint32_t receiver_ssrc = 0x53494d31;

/* ---- sender ---- */

NS_OBJECT_ENSURE_REGISTERED (HostedSenderApplication);

TypeId
HostedSenderApplication::GetTypeId ()
{
  static TypeId id =
      TypeId ("sim::HostedSenderApplication").SetParent<Application> ().AddConstructor<HostedSenderApplication> ();
  return id;
}

void
HostedSenderApplication::configure (const HostedSenderConfig &c)
{
  config = c;
}

double
HostedSenderApplication::estimate_bps () const
{
  return told_bps;
}

uint64_t
HostedSenderApplication::wakes () const
{
  return element ? element->wakes : past_wakes;
}

void
HostedSenderApplication::StartApplication ()
{
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind ();
  socket->Connect (InetSocketAddress (config.peer, config.port));
  socket->SetRecvCallback (MakeCallback (&HostedSenderApplication::on_rtcp, this));
  running = true;
  HostedElementUser user = {[this] (std::vector<uint8_t> rtp) { send (std::move (rtp)); },
      [this] (const RateNews &news) { on_rate (news); }, [this] () { config.source->want_key_unit (); }};
  element = std::make_unique<HostedElement> (config.element, user);
  config.source->start (this);
}

void
HostedSenderApplication::StopApplication ()
{
  if (!running)
    return;
  running = false;
  config.source->stop ();
  past_wakes = element->wakes;
  element.reset ();
  socket->Close ();
}

/* A copy with room for the transport-wide number. */
static std::vector<uint8_t>
with_extension (const std::vector<uint8_t> &rtp)
{
  uint8_t number[RTP_EXT_TWCC_SIZE] = {}, block[extension_bytes - 4];
  uint16_t profile;

  NS_ABORT_MSG_IF (rtp.size () < rtp_fixed_bytes || rtp[0] != 0x80, "an RTP packet of plain header was expected");
  size_t size = rtp_ext_put (
      rtp_one_byte_profile, nullptr, 0, extension_id, number, sizeof number, block, sizeof block, &profile);
  NS_ABORT_MSG_UNLESS (size == sizeof block, "the extension does not have the expected size");
  std::vector<uint8_t> out (rtp.size () + extension_bytes);
  auto end = std::copy_n (rtp.begin (), rtp_fixed_bytes, out.begin ());
  out[0] |= 0x10;
  for (unsigned byte : {profile / 256u, profile % 256u, 0u, (unsigned)sizeof block / 4})
    *end++ = byte;
  end = std::copy_n (block, sizeof block, end);
  std::copy (rtp.begin () + rtp_fixed_bytes, rtp.end (), end);
  return out;
}

static uint32_t
timestamp_of (const std::vector<uint8_t> &rtp)
{
  return rtcp_get_u32 (rtp.data () + 4);
}

void
HostedSenderApplication::push_packets (std::vector<RtpPacket> packets)
{
  for (const RtpPacket &packet : packets) {
    if (!running)
      return;
    if (waiting.empty () || waiting.back ().timestamp != timestamp_of (packet.bytes))
      waiting.push_back ({timestamp_of (packet.bytes), seconds_now ()});
    if (config.resends)
      keeper.keep (packet.bytes);
    element->push (with_extension (packet.bytes));
  }
}

void
HostedSenderApplication::resend (const RtcpMessage &nack)
{
  for (const std::vector<uint8_t> &rtp : keeper.answer (nack))
    element->push (with_extension (rtp));
}

/* Pictures leave in order, but not all of them need to. */
void
HostedSenderApplication::note_wait (uint32_t timestamp)
{
  while (waiting.size () > 1 && waiting.front ().timestamp != timestamp)
    waiting.pop_front ();
  pacing.add (seconds_now (), seconds_now () - waiting.front ().pushed_s);
}

/* The number goes behind the element's first byte (id and length). */
void
HostedSenderApplication::send (std::vector<uint8_t> rtp)
{
  if (!running)
    return;
  if (rtcp_get_u32 (&rtp[8]) != rtx_ssrc)
    note_wait (timestamp_of (rtp));
  rtcp_put_u16 (rtp.data () + rtp_fixed_bytes + 5, next_seq++);
  uint32_t payload = rtp.size () - rtp_fixed_bytes - extension_bytes;
  sent.push_back ({HostedElement::now_ns (), payload, (uint8_t)(rtp[1] & 0x7f)});
  if (sent.size () > remembered_packets)
    sent.pop_front ();
  packets_sent++;
  payload_bytes_sent += payload;
  bytes_sent += rtp.size () + udp_ip_bytes;
  socket->Send (Create<Packet> (rtp.data (), rtp.size ()));
}

void
HostedSenderApplication::on_rtcp (Ptr<Socket> from)
{
  Ptr<Packet> packet;
  uint8_t bytes[1500];

  while ((packet = from->Recv ()) && running) {
    size_t size = packet->CopyData (bytes, sizeof bytes);
    feedback_packets++;
    feedback_bytes += size + udp_ip_bytes;
    parse_rtcp (bytes, size);
  }
}

void
HostedSenderApplication::parse_rtcp (const uint8_t *data, size_t size)
{
  each_rtcp_message (data, size, [this] (const RtcpMessage &message) {
    RtcpTwccReader reader;
    if (message.is (RTCP_FB_RTPFB, RTCP_FB_FMT_TWCC) && rtcp_twcc_open (&reader, message.fci (), message.fci_size ()))
      on_twcc (reader);
    if (message.is (RTCP_FB_RTPFB, RTCP_FB_FMT_NACK))
      resend (message);
    if (message.is (RTCP_FB_PSFB, rtcp_pli_format)) {
      key_units_asked++;
      config.source->want_key_unit ();
    }
  });
}

PacketOutcome
HostedSenderApplication::outcome_of (uint16_t seq, bool packet_lost, uint64_t arrived_ns) const
{
  uint16_t back = next_seq - seq; /* 1: the last one sent */
  PacketOutcome outcome = {};

  outcome.seq = seq;
  outcome.lost = packet_lost;
  outcome.arrived_ns = arrived_ns;
  outcome.known = back >= 1 && back <= sent.size ();
  if (outcome.known) {
    const Sent &packet = sent[sent.size () - back];
    outcome.sent_ns = packet.at_ns;
    outcome.bytes = packet.payload_bytes;
    outcome.payload_type = packet.payload_type;
  }
  return outcome;
}

/* What lies between this message and the one before it is lost; where a message is missing nothing is concluded. */
void
HostedSenderApplication::add_gap (const RtcpTwccReader &reader, std::vector<PacketOutcome> &list)
{
  int8_t jump = reader.fb_pkt_count - expected_count;
  int16_t gap = reader.base_seq - expected_seq;

  if (heard && (jump < 0 || (jump == 0 && gap < 0)))
    return;
  for (uint16_t i = 0; heard && jump == 0 && i < gap; i++)
    list.push_back (outcome_of (expected_seq + i, true, 0));
  heard = true;
  expected_seq = reader.base_seq + reader.status_count;
  expected_count = reader.fb_pkt_count + 1;
}

void
HostedSenderApplication::on_twcc (RtcpTwccReader &reader)
{
  std::vector<PacketOutcome> list;
  RtcpTwccStatus status;

  add_gap (reader, list);
  while (rtcp_twcc_next (&reader, &status))
    list.push_back (
        outcome_of (status.seq, !status.received, reader.reference * (uint64_t)RTCP_TWCC_REFERENCE + status.at));
  outcomes += list.size ();
  for (const PacketOutcome &outcome : list)
    lost += outcome.lost;
  element->feedback (list);
}

/* An element that tells the property alone means RTP payload by it. */
void
HostedSenderApplication::on_rate (RateNews news)
{
  if (news.bitrate != told_bps)
    estimate.add (seconds_now (), news.bitrate);
  told_bps = news.bitrate;
  if (news.wire_bitrate == news.bitrate && payload_bytes_sent)
    news.wire_bitrate *= (double)bytes_sent / payload_bytes_sent;
  config.source->on_rate (news);
}

/* ---- receiver ---- */

NS_OBJECT_ENSURE_REGISTERED (TwccReceiverApplication);

TypeId
TwccReceiverApplication::GetTypeId ()
{
  static TypeId id =
      TypeId ("sim::TwccReceiverApplication").SetParent<Application> ().AddConstructor<TwccReceiverApplication> ();
  return id;
}

void
TwccReceiverApplication::configure (const TwccReceiverConfig &c)
{
  config = c;
}

uint64_t
TwccReceiverApplication::now_ns () const
{
  uint64_t t = time_now ();

  return t + (int64_t)(t * config.clock_drift_ppm * 1e-6) + cc_duration (config.clock_offset_s);
}

void
TwccReceiverApplication::StartApplication ()
{
  arrival_history_init (&history, 0);
  random = cc_pcg32_init (&pcg, config.seed);
  socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), config.port));
  socket->SetRecvCallback (MakeCallback (&TwccReceiverApplication::on_packet, this));
  config.sink->key_unit_wanted = [this] () {
    key_unit_wanted = true;
    schedule ();
  };
  asker.start (config.nack_latency_s);
  running = true;
}

void
TwccReceiverApplication::StopApplication ()
{
  running = false;
  timer.Cancel ();
  request_timer.Cancel ();
  if (socket)
    socket->Close ();
}

/* The transport-wide number of one of our packets. */
static bool
read_number (const uint8_t *rtp, size_t size, uint16_t *number)
{
  size_t found;

  if (size < rtp_fixed_bytes + extension_bytes || rtp[0] >> 6 != 2 || !(rtp[0] & 0x10))
    return false;
  const uint8_t *element = rtp_ext_find (rtcp_get_u16 (rtp + 12), rtp + 16, extension_bytes - 4, extension_id, &found);
  return element && rtp_ext_twcc_parse (element, found, number);
}

void
TwccReceiverApplication::on_packet (Ptr<Socket> from)
{
  Ptr<Packet> packet;
  uint8_t bytes[2048];
  uint16_t number;

  while ((packet = from->RecvFrom (peer)) && running) {
    size_t size = packet->CopyData (bytes, sizeof bytes);
    if (!read_number (bytes, size, &number))
      continue;
    packets++;
    bytes_total += size;
    received.add (seconds_now (), size + udp_ip_bytes);
    arrival_history_on_packet (&history, number, ARRIVAL_NOT_ECT, now_ns ());
    if (bytes[1] & 0x80)
      make_message ();
    play (bytes, size);
  }
}

void
TwccReceiverApplication::play (const uint8_t *rtp, size_t size)
{
  if (rtcp_get_u32 (rtp + 8) == rtx_ssrc) {
    std::vector<uint8_t> original = asker.restore (rtp, rtp_fixed_bytes + extension_bytes, size, now_ns ());
    if (!original.empty ())
      config.sink->on_packet (original.data (), original.size ());
  } else {
    asker.on_packet (rtp, now_ns ());
    config.sink->on_packet (rtp, size);
  }
  check_requests ();
}

/* At once, or when something is due: then its turn in RTCP decides. */
void
TwccReceiverApplication::check_requests ()
{
  CcTime next = asker.next_timeout ();

  request_timer.Cancel ();
  if (!running || next == CC_TIME_NONE)
    return;
  if (next <= now_ns ())
    schedule ();
  else
    request_timer =
        Simulator::Schedule (NanoSeconds (next - now_ns ()), &TwccReceiverApplication::check_requests, this);
}

/* With the last packet of a picture, whenever it will be sent. */
void
TwccReceiverApplication::make_message ()
{
  uint8_t at[twcc_capacity] = {};
  size_t size = rtcp_twcc_write (at + 12, sizeof at - 12, &history, fb_pkt_count);

  if (size == 0)
    return;
  fb_pkt_count++;
  size = put_rtcp_feedback (at, RTCP_FB_RTPFB, RTCP_FB_FMT_TWCC, receiver_ssrc, asker.media_ssrc (), size);
  messages.emplace_back (at, at + size);
  schedule ();
}

void
TwccReceiverApplication::schedule ()
{
  if (running && packets > 0 && !is_pending (timer))
    timer = Simulator::Schedule (
        Seconds (std::max (allowed_s - seconds_now (), 0.0)), &TwccReceiverApplication::send_all, this);
}

/* RFC 3550 6.3.1 for two members, without the minimum: RFC 4585 3.4 d. */
double
TwccReceiverApplication::interval_s ()
{
  double now_s = seconds_now (), span_s = std::clamp (now_s, 0.1, 1.0);
  double bps = std::max (received.mean_bps (now_s - span_s, now_s), least_session_bps);
  double deterministic = 2 * 8 * mean_rtcp_bytes / (rtcp_fraction * bps);

  return deterministic * cc_random_uniform (&random, 0.5, 1.5) / (2.71828 - 1.5);
}

/* A receiver report without blocks and an SDES with a CNAME of 20 characters: what precedes the feedback. */
static std::vector<uint8_t>
report ()
{
  static const size_t rr = 8;
  std::vector<uint8_t> out (64);

  put_rtcp_header (out.data (), RTCP_RR, 0, rr, receiver_ssrc);
  out.resize (rr + put_rtcp_cname (out.data () + rr, receiver_ssrc, std::string (20, 'x')));
  return out;
}

static std::vector<uint8_t>
picture_loss (uint32_t media_ssrc)
{
  std::vector<uint8_t> out (12);

  put_rtcp_feedback (out.data (), RTCP_FB_PSFB, rtcp_pli_format, receiver_ssrc, media_ssrc, 0);
  return out;
}

std::vector<uint8_t>
TwccReceiverApplication::requests ()
{
  std::vector<uint8_t> out (12 + 400);
  size_t size = asker.write (out.data () + 12, out.size () - 12, now_ns ());

  out.resize (size > 0 ? put_rtcp_feedback (
                             out.data (), RTCP_FB_RTPFB, RTCP_FB_FMT_NACK, receiver_ssrc, asker.media_ssrc (), size)
                       : 0);
  return out;
}

static void
append (std::vector<uint8_t> &to, const std::vector<uint8_t> &what)
{
  to.insert (to.end (), what.begin (), what.end ());
}

void
TwccReceiverApplication::send_all ()
{
  std::vector<uint8_t> first = report ();

  append (first, requests ());
  if (key_unit_wanted)
    append (first, picture_loss (asker.media_ssrc ()));
  key_unit_wanted = false;
  report_at.add (seconds_now (), messages.size ());
  send_packet (first);
  for (const std::vector<uint8_t> &message : messages)
    send_packet (message);
  messages.clear ();
  allowed_s = seconds_now () + interval_s ();
  check_requests ();
}

void
TwccReceiverApplication::send_packet (const std::vector<uint8_t> &rtcp)
{
  uint32_t bytes = rtcp.size () + udp_ip_bytes;

  feedback_packets++;
  feedback_bytes += bytes;
  mean_rtcp_bytes += (bytes - mean_rtcp_bytes) / 16;
  socket->SendTo (Create<Packet> (rtcp.data (), rtcp.size ()), 0, peer);
}

} // namespace sim
