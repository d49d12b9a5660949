/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccreceiverapplication.h"
#include "paqmqueue.h"
#include "rtcpnack.h"
#include "rtpextension.h"
#include "rtpturns.h"
#include "rtxwire.h"
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
      rtp_ext_find (rtcp_get_u16 (extension), extension + 4, 4 * words, rtt_extension_id, &element_size);
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
        rtcp_get_u16 (bytes + 12), bytes + 16, 4 * rtcp_get_u16 (bytes + 14), rtt_extension_id, &element_size);
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
  return put_rtcp_feedback (at, type, format, media_ssrc + 1, type == RTCP_FB_PSFB ? 0 : media_ssrc, fci_size);
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
  follow_stream (arrival, bytes, header);
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
CcReceiverApplication::follow_stream (const CcArrival &arrival, const std::vector<uint8_t> &rtp, size_t header)
{
  RtpReceptionVerdict verdict =
      rtp_reception_on_packet (&reception, arrival.seq, arrival.rtp_timestamp, arrival.arrived_at);
  bool newer = verdict == RTP_RECEPTION_NEWER || verdict == RTP_RECEPTION_RESTART;
  uint32_t highest = rtp_reception_highest (&reception);

  if (arrival.has_stamp && arrival.stamp.rtt > 0)
    set_rtt (arrival.stamp.rtt);
  if (newer && rtp_key_unit_starts (config.codec, rtp.data () + header, rtp.size () - header))
    key_request_on_key_unit (&key, highest);
  if (config.repair.planned)
    follow_plan (rtp, arrival.seq);
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
  put_rtcp_header (at, RTCP_RR, 1, rr, media_ssrc + 1);
  rtcp_put_u32 (at + 8, media_ssrc);
  rtcp_put_u32 (at + 12, (uint32_t)report.fraction_lost << 24 | ((uint32_t)report.cumulative_lost & 0xffffff));
  rtcp_put_u32 (at + 16, report.highest_seq);
  return rr + put_rtcp_cname (at + rr, media_ssrc + 1, "sim@sim.ns");
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
  rtcp_ccfb_add (&writer, media_ssrc, history);
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
  return put_rtcp_feedback (at, RTCP_FB_PSFB, rtcp_pli_format, media_ssrc + 1, media_ssrc, 0);
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
