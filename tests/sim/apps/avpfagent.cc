/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpfagent.h"
#include "rtcpnack.h"
#include "simtime.h"
#include <algorithm>
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
static const unsigned max_blocks = 31, report_capacity = 28 + 24 * max_blocks + 16, rtcp_capacity = 1400;

/* ---- the participant ---- */

NS_OBJECT_ENSURE_REGISTERED (AvpfAgent);

TypeId
AvpfAgent::GetTypeId ()
{
  static TypeId id = TypeId ("sim::AvpfAgent").SetParent<Application> ();
  return id;
}

void
AvpfAgent::configure (const AvpfAgentConfig &c)
{
  config = c;
}

const AvpfTiming &
AvpfAgent::timing () const
{
  return avpf;
}

CcTime
AvpfAgent::now () const
{
  return time_now ();
}

Ptr<Socket>
AvpfAgent::open_socket (Ptr<NetDevice> device)
{
  Ptr<Socket> socket = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());

  socket->Bind ();
  if (device)
    socket->BindToNetDevice (device);
  socket->Connect (InetSocketAddress (config.destination, config.port));
  return socket;
}

void
AvpfAgent::open_sockets ()
{
  in = Socket::CreateSocket (GetNode (), UdpSocketFactory::GetTypeId ());
  in->Bind (InetSocketAddress (Ipv4Address::GetAny (), config.port));
  in->SetRecvCallback (MakeCallback (&AvpfAgent::on_packet, this));
  if (!config.destination.IsMulticast ()) {
    out.push_back (open_socket (nullptr));
    return;
  }
  for (unsigned i = 0; i < GetNode ()->GetNDevices (); i++)
    if (!DynamicCast<LoopbackNetDevice> (GetNode ()->GetDevice (i)))
      out.push_back (open_socket (GetNode ()->GetDevice (i)));
}

void
AvpfAgent::StartApplication ()
{
  random = cc_pcg32_init (&pcg, config.seed);
  config.timing.random = random;
  avpf_timing_init (&avpf, &config.timing, now ());
  open_sockets ();
  running = true;
  if (config.media_bps > 0) {
    media_from_s = cc_seconds (now ()) + cc_random_uniform (&random, 0, config.packet_bytes * 8 / config.media_bps);
    schedule_rtp ();
  }
  reschedule ();
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
  for (const Ptr<Socket> &socket : out) {
    Ptr<Packet> packet = Create<Packet> (bytes, size);
    packet->AddPaddingAtEnd (padded_size - size);
    socket->Send (packet);
  }
}

void
AvpfAgent::write_payload (uint16_t, uint8_t *, size_t)
{
}

void
AvpfAgent::send_rtp ()
{
  uint8_t bytes[rtp_fixed_bytes + 16] = {0x80, 96};
  size_t size = std::max<size_t> (config.packet_bytes - udp_ip_bytes, sizeof bytes);

  rtcp_put_u16 (bytes + 2, seq);
  rtcp_put_u32 (bytes + 4, cc_seconds (now ()) * clock_rate);
  rtcp_put_u32 (bytes + 8, config.ssrc);
  write_payload (seq++, bytes + rtp_fixed_bytes, sizeof bytes - rtp_fixed_bytes);
  send (bytes, sizeof bytes, size);
  rtp_packets++;
  if (rtp_packets == 1)
    set_members ();
  schedule_rtp ();
}

void
AvpfAgent::schedule_rtp ()
{
  double intervals = rtp_packets + cc_random_uniform (&random, 0, config.jitter);
  double at_s = media_from_s + intervals * config.packet_bytes * 8 / config.media_bps;

  media_timer = Simulator::Schedule (Seconds (at_s) - Simulator::Now (), &AvpfAgent::send_rtp, this);
}

static void
write_block (uint8_t *at, uint32_t ssrc, const RtpReceptionReport *report)
{
  rtcp_put_u32 (at, ssrc);
  rtcp_put_u32 (at + 4, (uint32_t)report->fraction_lost << 24 | (report->cumulative_lost & 0xffffff));
  rtcp_put_u32 (at + 8, report->highest_seq);
  rtcp_put_u32 (at + 12, report->jitter);
  rtcp_put_u32 (at + 16, report->lsr);
  rtcp_put_u32 (at + 20, report->dlsr);
}

/* SR or RR with a block for each sender heard, and SDES. */
size_t
AvpfAgent::write_report (uint8_t *at)
{
  size_t size = avpf.we_sent ? 28 : 8;
  unsigned blocks = 0;
  RtpReceptionReport report;

  std::memset (at, 0, size);
  if (avpf.we_sent) {
    uint64_t t = now ();
    rtcp_put_u32 (at + 8, t / CC_SECOND);
    rtcp_put_u32 (at + 12, (t % CC_SECOND << 32) / CC_SECOND);
    rtcp_put_u32 (at + 16, cc_seconds (t) * clock_rate);
    rtcp_put_u32 (at + 20, rtp_packets);
    rtcp_put_u32 (at + 24, rtp_packets * (config.packet_bytes - udp_ip_bytes - rtp_fixed_bytes));
  }
  for (auto &source : sources)
    if (blocks < max_blocks && rtp_reception_report (&source.second.reception, now (), &report)) {
      write_block (at + size, source.first, &report);
      size += 24;
      blocks++;
    }
  put_rtcp_header (at, avpf.we_sent ? RTCP_SR : RTCP_RR, blocks, size, config.ssrc);
  return size + put_rtcp_cname (at + size, config.ssrc, "agent");
}

size_t
AvpfAgent::write_message (uint8_t *at, unsigned type, unsigned format, uint32_t media_ssrc, size_t fci_size) const
{
  return put_rtcp_feedback (at, type, format, config.ssrc, media_ssrc, fci_size);
}

void
AvpfAgent::send_rtcp (AvpfVerdict verdict)
{
  static_assert (report_capacity < rtcp_capacity, "a report leaves no place for feedback");
  uint8_t bytes[rtcp_capacity];
  size_t size = config.reduced_size && verdict == AVPF_SEND_EARLY ? 0 : write_report (bytes);

  size += write_feedback (bytes + size, sizeof bytes - size);
  send (bytes, size, size);
  rtcp_packets++;
  rtcp_bytes += size + udp_ip_bytes;
  avpf_timing_on_sent (&avpf, verdict, size + udp_ip_bytes, now ());
}

void
AvpfAgent::set_members ()
{
  bool we_sent = rtp_packets > 0;

  avpf_timing_set_members (&avpf, 1 + sources.size (), senders + we_sent, we_sent, now ());
  reschedule ();
}

AvpfAgent::Source &
AvpfAgent::heard (uint32_t ssrc, bool sends)
{
  bool is_new = sources.find (ssrc) == sources.end ();
  Source &source = sources[ssrc];
  bool begins = sends && !source.sends;

  if (is_new)
    rtp_reception_init (&source.reception, clock_rate);
  source.sends |= sends;
  senders += begins;
  if (is_new || begins)
    set_members ();
  return source;
}

void
AvpfAgent::on_packet (Ptr<Socket> socket)
{
  Ptr<Packet> packet;
  uint8_t bytes[rtcp_capacity];

  while ((packet = socket->Recv ())) {
    size_t size = packet->CopyData (bytes, sizeof bytes);
    bool is_rtcp = size >= 8 && bytes[1] >= RTCP_SR && bytes[1] < 224;
    if (is_rtcp)
      on_rtcp (bytes, size);
    else if (size >= rtp_fixed_bytes)
      on_rtp (bytes, size);
  }
}

void
AvpfAgent::on_rtp (const uint8_t *bytes, size_t size)
{
  uint32_t ssrc = rtcp_get_u32 (bytes + 8);
  Source &source = heard (ssrc, true);
  bool valid = source.reception.valid;
  uint32_t before = rtp_reception_highest (&source.reception);
  RtpReceptionVerdict verdict =
      rtp_reception_on_packet (&source.reception, rtcp_get_u16 (bytes + 2), rtcp_get_u32 (bytes + 4), now ());

  if (verdict == RTP_RECEPTION_NEWER && source.reception.valid) {
    uint32_t seq = rtp_reception_highest (&source.reception);
    on_media (ssrc, valid ? before : seq - 1, seq, bytes + rtp_fixed_bytes, size - rtp_fixed_bytes);
  }
}

void
AvpfAgent::on_sender_report (const RtcpMessage &message)
{
  RtpReception *reception = &heard (rtcp_get_u32 (message.data + 4), true).reception;
  uint64_t ntp = (uint64_t)rtcp_get_u32 (message.data + 8) << 32 | rtcp_get_u32 (message.data + 12);

  rtp_reception_on_sender_report (reception, ntp, now ());
}

void
AvpfAgent::on_rtcp (const uint8_t *bytes, size_t size)
{
  heard (rtcp_get_u32 (bytes + 4), bytes[1] == RTCP_SR);
  avpf_timing_on_received (&avpf, size + udp_ip_bytes);
  each_rtcp_message (bytes, size, [this] (const RtcpMessage &m) {
    if (m.type == RTCP_SR && m.size >= 28)
      on_sender_report (m);
    if ((m.type == RTCP_FB_RTPFB || m.type == RTCP_FB_PSFB) && m.size >= 12)
      on_feedback (m.type, m.format, rtcp_get_u32 (m.data + 8), m.fci (), m.fci_size ());
  });
  reschedule ();
}

bool
AvpfAgent::request_feedback ()
{
  CcDuration max_delay = config.timing.avpf ? cc_duration (config.max_feedback_delay_s) : CC_TIME_NONE;
  bool accepted = avpf_timing_request_feedback (&avpf, max_delay, now ());

  reschedule ();
  return accepted;
}

void
AvpfAgent::cancel_feedback ()
{
  avpf_timing_cancel_feedback (&avpf);
  reschedule ();
}

void
AvpfAgent::run ()
{
  planned = CC_TIME_NONE;
  AvpfVerdict verdict = avpf_timing_on_timeout (&avpf, now ());
  if (verdict != AVPF_NOTHING)
    send_rtcp (verdict);
  reschedule ();
}

void
AvpfAgent::reschedule ()
{
  CcTime next = avpf_timing_next_timeout (&avpf);

  if (!running || next == planned)
    return;
  timer.Cancel ();
  planned = next;
  if (next != CC_TIME_NONE)
    timer = Simulator::Schedule (NanoSeconds (cc_time_since (next, now ())), &AvpfAgent::run, this);
}

/* ---- NACK ---- */

NS_OBJECT_ENSURE_REGISTERED (NackAgent);

TypeId
NackAgent::GetTypeId ()
{
  static TypeId id = TypeId ("sim::NackAgent").SetParent<AvpfAgent> ().AddConstructor<NackAgent> ();
  return id;
}

NackAgent::NackAgent ()
{
  FbRetentionParams params;

  fb_retention_params_init (&params);
  fb_retention_init (&retention, &params);
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

/* Packets between the two are lost: a gap in the numbers is a loss at once. */
void
NackAgent::on_media (uint32_t ssrc, uint32_t before, uint32_t seq, const uint8_t *, size_t)
{
  size_t first = waiting.size ();

  for (uint32_t lost = before + 1; lost < seq; lost++) {
    FbItem item = fb_item_nack (ssrc, lost);
    losses.push_back ({ssrc, (uint16_t)lost, pending, cc_seconds (now ()), 0});
    if (fb_retention_suppress (&retention, &item, now ()))
      settle (losses.back (), suppressed);
    else
      waiting.push_back (losses.size () - 1);
  }
  if (waiting.size () == first || request_feedback ())
    return;
  for (; waiting.size () > first; waiting.pop_back ())
    settle (losses[waiting.back ()], discarded);
}

/* RFC 4585 3.5.2 (5); true where something was left out. */
bool
NackAgent::suppress_pending ()
{
  size_t before = waiting.size ();
  auto covered = [this] (size_t index) {
    Loss &loss = losses[index];
    FbItem item = fb_item_nack (loss.ssrc, loss.seq);
    if (!fb_retention_covers (&retention, &item, now ()))
      return false;
    fb_retention_suppress (&retention, &item, now ());
    settle (loss, suppressed);
    return true;
  };

  waiting.erase (std::remove_if (waiting.begin (), waiting.end (), covered), waiting.end ());
  return waiting.size () < before;
}

void
NackAgent::on_reported (const uint16_t *seqs, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double &at = sent_at[seqs[i]];
    if (at >= 0)
      report_delay_s.push_back (cc_seconds (now ()) - at);
    at = -1;
  }
}

void
NackAgent::on_feedback (unsigned type, unsigned format, uint32_t media_ssrc, const uint8_t *fci, size_t size)
{
  uint16_t seqs[1024];
  size_t n;

  if (type != RTCP_FB_RTPFB || format != RTCP_FB_FMT_NACK || !rtcp_nack_parse (fci, size, seqs, 1024, &n))
    return;
  if (media_ssrc == config.ssrc) {
    on_reported (seqs, n);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    FbItem item = fb_item_nack (media_ssrc, seqs[i]);
    fb_retention_on_received (&retention, &item, now ());
  }
  if (suppress_pending () && waiting.empty ())
    cancel_feedback ();
}

size_t
NackAgent::write_nack (uint8_t *at, size_t capacity, uint32_t ssrc)
{
  std::vector<uint16_t> seqs;
  size_t taken, fci;

  if (capacity < 12 + RTCP_NACK_ENTRY_SIZE)
    return 0;
  for (size_t index : waiting)
    if (losses[index].ssrc == ssrc)
      seqs.push_back (losses[index].seq);
  fci = rtcp_nack_write (at + 12, capacity - 12, seqs.data (), seqs.size (), &taken);
  for (size_t index : waiting) {
    Loss &loss = losses[index];
    if (loss.ssrc != ssrc || taken == 0)
      continue;
    FbItem item = fb_item_nack (ssrc, loss.seq);
    fb_retention_on_sent (&retention, &item);
    settle (loss, sent);
    taken--;
  }
  return fci ? write_message (at, RTCP_FB_RTPFB, RTCP_FB_FMT_NACK, ssrc, fci) : 0;
}

/* What does not fit any more is discarded: that takes more than 300 losses spread wide. */
size_t
NackAgent::write_feedback (uint8_t *at, size_t capacity)
{
  size_t size = 0;

  for (size_t index : waiting)
    if (losses[index].outcome == pending)
      size += write_nack (at + size, capacity - size, losses[index].ssrc);
  for (size_t index : waiting)
    if (losses[index].outcome == pending)
      settle (losses[index], discarded);
  waiting.clear ();
  return size;
}

void
NackAgent::write_payload (uint16_t seq, uint8_t *, size_t)
{
  sent_at[seq] = cc_seconds (now ());
}

} // namespace sim
