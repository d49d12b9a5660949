/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpfagent.h"
#include "rtcpnack.h"
#include "simtime.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ns3/inet-socket-address.h>
#include <ns3/ipv4.h>
#include <ns3/loopback-net-device.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

namespace sim
{

static const unsigned clock_rate = 90000;
static const unsigned packet_capacity = 1500;

RtpSettings
avpf_agent_settings (double session_bps, RtpSessionKind kind)
{
  RtpSettings settings;

  rtp_settings_init (&settings);
  settings.turns.session_bps = session_bps;
  settings.turns.T_rr_interval = 0;
  settings.attendance.kind = kind;
  settings.multicast = kind == RTP_SESSION_GROUP;
  settings.max_feedback_delay = CC_SECOND;
  settings.feedback = RTP_FEEDBACK_NACK;
  settings.auto_pli = false;
  settings.nack_latency = 100 * CC_SECOND; /* longer than any report interval here */
  settings.nack_interval = 2 * settings.nack_latency;
  return settings;
}

/* ---- the host of a participant ---- */

NS_OBJECT_ENSURE_REGISTERED (AvpfAgent);

TypeId
AvpfAgent::GetTypeId ()
{
  static TypeId id = TypeId ("sim::AvpfAgent").SetParent<Application> ();
  return id;
}

AvpfAgent::AvpfAgent () : core (new RtpParticipant ())
{
}

AvpfAgent::~AvpfAgent ()
{
  if (core->params.memory.put)
    rtp_participant_clear (core.get ());
}

void
AvpfAgent::configure (const AvpfAgentConfig &c)
{
  config = c;
  snprintf (config.settings.cname, sizeof config.settings.cname, "a%04x", config.ssrc & 0xffff);
}

const AvpfTiming &
AvpfAgent::timing () const
{
  return core->locals.locals[0].timing;
}

uint64_t
AvpfAgent::rtcp_bytes () const
{
  return core->stats.rtcp_bytes_sent;
}

CcTime
AvpfAgent::now () const
{
  return time_now ();
}

static void *
get_memory (void *, size_t size)
{
  return malloc (size);
}

static void
put_memory (void *, void *memory)
{
  free (memory);
}

void
AvpfAgent::tell (void *self, const RtpEvent *event)
{
  if (event->type == RTP_EVENT_FEEDBACK)
    static_cast<AvpfAgent *> (self)->on_feedback (event->feedback);
}

void
AvpfAgent::begin_core ()
{
  RtpParticipantParams params = {};
  RtpStreamInfo stream = {};

  random = cc_pcg32_init (&pcgs[0], config.seed);
  params.random = cc_pcg32_init (&pcgs[1], config.seed + ((uint64_t)1 << 32));
  params.secrets = cc_pcg32_init (&pcgs[2], config.seed + ((uint64_t)2 << 32));
  params.memory = {get_memory, put_memory, nullptr};
  params.events = {tell, this};
  NS_ABORT_UNLESS (rtp_participant_init (core.get (), &params, &config.settings, now ()));
  stream.clock_rate = clock_rate;
  rtp_participant_set_stream (core.get (), &stream);
}

/* Where the media goes the RTCP goes, too, and from one port. */
void
AvpfAgent::open_sockets ()
{
  in = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  in->Bind (InetSocketAddress (Ipv4Address::GetAny (), config.port));
  in->SetRecvCallback (MakeCallback (&AvpfAgent::on_packet, this));
  for (unsigned i = 0; config.destination.IsMulticast () && i < GetNode ()->GetNDevices (); i++)
    if (!DynamicCast<LoopbackNetDevice> (GetNode ()->GetDevice (i)))
      out.push_back (open_socket (GetNode ()->GetDevice (i)));
}

Ptr<Socket>
AvpfAgent::open_socket (Ptr<NetDevice> device)
{
  Ptr<Socket> socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());

  socket->Bind ();
  socket->BindToNetDevice (device);
  return socket;
}

void
AvpfAgent::StartApplication ()
{
  begin_core ();
  open_sockets ();
  running = true;
  if (config.media_bps > 0) {
    media_from_s = cc_seconds (now ()) + cc_random_uniform (&random, 0, config.packet_bytes * 8 / config.media_bps);
    schedule_rtp ();
  }
}

void
AvpfAgent::StopApplication ()
{
  running = false;
  timer.Cancel ();
  media_timer.Cancel ();
  for (const Ptr<Socket> &socket : out)
    socket->Close ();
  if (in)
    in->Close ();
}

void
AvpfAgent::send (const uint8_t *bytes, size_t size, size_t padded_size)
{
  InetSocketAddress to (config.destination, config.port);

  for (const Ptr<Socket> &socket : out.empty () ? std::vector<Ptr<Socket>>{in} : out) {
    Ptr<Packet> packet = Create<Packet> (bytes, size);
    packet->AddPaddingAtEnd (padded_size - size);
    socket->SendTo (packet, 0, to);
  }
}

/* ---- media ---- */

void
AvpfAgent::write_payload (uint16_t, uint8_t *, size_t)
{
}

void
AvpfAgent::send_rtp ()
{
  uint8_t bytes[packet_capacity] = {0x80, 96};
  const size_t head = rtp_fixed_bytes + 16;
  size_t size = std::max<size_t> (config.packet_bytes - udp_ip_bytes, head);
  ::RtpPacket packet;

  NS_ABORT_UNLESS (size <= sizeof bytes);
  rtcp_put_u16 (bytes + 2, seq);
  rtcp_put_u32 (bytes + 4, cc_seconds (now ()) * clock_rate);
  rtcp_put_u32 (bytes + 8, config.ssrc);
  write_payload (seq++, bytes + rtp_fixed_bytes, head - rtp_fixed_bytes);
  send (bytes, head, size);
  rtp_packets++;
  if (rtp_packet_parse (&packet, bytes, size))
    rtp_participant_on_sent (core.get (), &packet, clock_rate, false, now (), now ());
  after_call ();
  schedule_rtp ();
}

void
AvpfAgent::schedule_rtp ()
{
  double intervals = rtp_packets + cc_random_uniform (&random, 0, config.jitter);
  double at_s = media_from_s + intervals * config.packet_bytes * 8 / config.media_bps;

  media_timer = Simulator::Schedule (Seconds (at_s) - Simulator::Now (), &AvpfAgent::send_rtp, this);
}

/* ---- what comes ---- */

static RtpAddress
address_of (const Address &from)
{
  InetSocketAddress address = InetSocketAddress::ConvertFrom (from);
  RtpAddress read = {};

  read.family = RTP_ADDRESS_IPV4;
  address.GetIpv4 ().Serialize (read.bytes);
  read.port = address.GetPort ();
  return read;
}

void
AvpfAgent::on_packet (Ptr<Socket> socket)
{
  uint8_t bytes[packet_capacity];
  Ptr<Packet> packet;
  Address from;

  while ((packet = socket->RecvFrom (from))) {
    size_t size = packet->CopyData (bytes, sizeof bytes);
    RtpAddress address = address_of (from);
    if (size >= 8 && bytes[1] >= 192 && bytes[1] < 224) /* RFC 5761 4 */
      rtp_participant_on_rtcp (core.get (), bytes, size, &address, now (), now ());
    else
      on_rtp (bytes, size, address);
    after_call ();
  }
}

void
AvpfAgent::on_rtp (const uint8_t *bytes, size_t size, const RtpAddress &from)
{
  ::RtpPacket packet;

  if (!rtp_packet_parse (&packet, bytes, size))
    return;
  const RtpSource *source = rtp_sources_find (&core->sources, packet.ssrc);
  bool known = source && source->reception.valid;
  uint32_t before = known ? rtp_reception_highest (&source->reception) : 0;
  bool played = rtp_participant_on_rtp (core.get (), &packet, &from, ARRIVAL_NOT_ECT, now (), now ());

  source = rtp_sources_find (&core->sources, packet.ssrc);
  if (!played || !source || !source->reception.valid)
    return;
  uint32_t highest = rtp_reception_highest (&source->reception);
  if (!known || highest > before)
    on_media (packet, known ? before : highest - 1, highest);
}

/* ---- what leaves, and when ---- */

void
AvpfAgent::want_packet (uint32_t ssrc, uint16_t number)
{
  RtpWantedPacket wanted = {};

  wanted.has_ssrc = true;
  wanted.ssrc = ssrc;
  wanted.seq = number;
  wanted.deadline = CC_TIME_NONE;
  rtp_participant_want_packet (core.get (), &wanted, now ());
}

void
AvpfAgent::say (unsigned format, uint32_t ssrc, const uint8_t *fci, size_t size)
{
  RtpAppFeedback feedback = {RTCP_FB_PSFB, format, ssrc, fci, size, config.settings.max_feedback_delay};

  rtp_participant_withdraw_feedback (core.get (), RTCP_FB_PSFB, format, ssrc, now ());
  if (size > 0)
    rtp_participant_queue_feedback (core.get (), &feedback, now ());
}

void
AvpfAgent::on_change ()
{
}

void
AvpfAgent::send_rtcp (const RtpOutgoing &packet)
{
  if (packet.size == 0 || packet.withheld)
    return;
  send (packet.bytes, packet.size, packet.size);
  each_rtcp_message (packet.bytes, packet.size, [this] (const RtcpMessage &m) {
    if ((m.type == RTCP_FB_RTPFB || m.type == RTCP_FB_PSFB) && m.size >= 12)
      on_said (m);
  });
}

void
AvpfAgent::run ()
{
  RtpOutgoing packet;

  planned = CC_TIME_NONE;
  do {
    rtp_participant_run (core.get (), now (), &packet);
    send_rtcp (packet);
  } while (packet.size > 0);
  core->wake_at = core->turns.wake_at = CC_TIME_NONE;
  wake_before (rtp_participant_next_timeout (core.get (), now ()));
  on_change ();
}

void
AvpfAgent::wake_before (CcTime when)
{
  if (!running || when >= planned)
    return;
  timer.Cancel ();
  planned = when;
  timer = Simulator::Schedule (NanoSeconds (cc_time_since (when, now ())), &AvpfAgent::run, this);
}

void
AvpfAgent::after_call ()
{
  on_change ();
  wake_before (cc_time_min (core->wake_at, core->turns.wake_at));
  core->wake_at = core->turns.wake_at = CC_TIME_NONE;
}

/* ---- NACK ---- */

NS_OBJECT_ENSURE_REGISTERED (NackAgent);

TypeId
NackAgent::GetTypeId ()
{
  static TypeId id = TypeId ("sim::NackAgent").SetParent<AvpfAgent> ().AddConstructor<NackAgent> ();
  return id;
}

unsigned
NackAgent::count (Outcome outcome) const
{
  return std::count_if (losses.begin (), losses.end (), [=] (const Loss &l) { return l.outcome == outcome; });
}

double
NackAgent::mean_waiting_s () const
{
  double sum = 0;

  for (const Loss &loss : losses)
    if (loss.outcome == sent)
      sum += loss.settled_s - loss.detected_s;
  return sum / std::max (1u, count (sent));
}

void
NackAgent::settle (Loss &loss, Outcome outcome)
{
  loss.outcome = outcome;
  loss.settled_s = cc_seconds (now ());
}

void
NackAgent::forget_settled ()
{
  auto settled = [this] (size_t index) { return losses[index].outcome != pending; };

  waiting.erase (std::remove_if (waiting.begin (), waiting.end (), settled), waiting.end ());
}

void
NackAgent::on_media (const ::RtpPacket &packet, uint32_t before, uint32_t number)
{
  for (uint32_t lost = before + 1; lost < number; lost++) {
    losses.push_back ({packet.ssrc, (uint16_t)lost, pending, cc_seconds (now ()), 0});
    waiting.push_back (losses.size () - 1);
    want_packet (packet.ssrc, lost);
  }
}

/* As the participant sees it. */
NackAgent::Outcome
NackAgent::outcome_of (const Loss &loss) const
{
  const RtpSource *source = rtp_sources_find (&core->sources, loss.ssrc);

  for (unsigned i = 0; source && source->nack && i < source->nack->n_missing; i++) {
    const NackMissing &missing = source->nack->missing[i];
    if ((uint16_t)missing.seq == loss.seq)
      return missing.too_late ? discarded : missing.others > 0 ? suppressed : pending;
  }
  return discarded;
}

void
NackAgent::on_change ()
{
  for (size_t index : waiting) {
    Outcome outcome = outcome_of (losses[index]);
    if (outcome != pending)
      settle (losses[index], outcome);
  }
  forget_settled ();
}

void
NackAgent::on_said (const RtcpMessage &message)
{
  uint16_t seqs[1024];
  size_t n;

  if (!message.is (RTCP_FB_RTPFB, RTCP_FB_FMT_NACK) ||
      !rtcp_nack_parse (message.fci (), message.fci_size (), seqs, 1024, &n))
    return;
  for (size_t index : waiting) {
    Loss &loss = losses[index];
    bool named = std::find (seqs, seqs + n, loss.seq) != seqs + n;
    if (named && loss.ssrc == rtcp_get_u32 (message.data + 8))
      settle (loss, sent);
  }
  forget_settled ();
}

void
NackAgent::on_feedback (const RtpFeedbackMessage &message)
{
  uint16_t seqs[1024];
  size_t n;

  if (message.type != RTCP_FB_RTPFB || message.fmt != RTCP_FB_FMT_NACK || message.media != config.ssrc ||
      !rtcp_nack_parse (message.fci, message.size, seqs, 1024, &n))
    return;
  for (size_t i = 0; i < n; i++) {
    double &at = sent_at[seqs[i]];
    if (at >= 0)
      report_delay_s.push_back (cc_seconds (now ()) - at);
    at = -1;
  }
}

void
NackAgent::write_payload (uint16_t number, uint8_t *, size_t)
{
  sent_at[number] = cc_seconds (now ());
}

} // namespace sim
