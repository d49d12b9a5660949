/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two ends of a controlled flow as ns-3 applications: shells around CcSender and CcReceiver as the elements are.
   Packets carry real RTP headers with the rtt-sendts extension and real RTCP feedback; payloads are zeros, or an
   RtpSource's.

   The receiver's clock runs apart from the sender's (offset and drift in the configuration): nothing may depend on it.
 */
#ifndef SIM_CC_APPLICATIONS_H
#define SIM_CC_APPLICATIONS_H

#include "arrivalhistory.h"
#include "avpftiming.h"
#include "ccreceiver.h"
#include "ccsender.h"
#include "explicitrate.h"
#include "keyrequest.h"
#include "mediasource.h"
#include "nackrequest.h"
#include "resendlimit.h"
#include "rtpkeyunit.h"
#include "rtpmedia.h"
#include "rtpreception.h"
#include "rtpwire.h"
#include "rtxwire.h"
#include "series.h"
#include "streamrepair.h"
#include <map>
#include <memory>
#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/ipv4-address.h>
#include <ns3/socket.h>
#include <vector>

namespace sim
{

const unsigned rtp_header_bytes = rtp_fixed_bytes + 4 + 8; /* with the one-byte form of the extension */

struct CcSenderConfig {
  CcSenderParams params; /* cc_sender_params_init () first */
  std::shared_ptr<MediaSource> source;
  std::shared_ptr<RtpSource> rtp; /* in its place: real packets, treated as tfrcsink does */
  ns3::Ipv4Address peer;
  uint16_t port = 5004;
  unsigned payload_bytes = 1200; /* largest RTP payload */
  unsigned ring_packets = 4096;
  bool extension = true; /* burst control needs none: no report is wanted */
  bool ask_rate = false; /* of P-AQM routers (ErfTag), with the bytes of the header extension; real packets only */
  bool ect = false;      /* packets may be marked; a mark counts as a loss (RFC 5348 5.2) */
  bool l4s = false;      /* they may at once: ECT(1) instead (RFC 9331) */
  double sample_s = 0.1; /* spacing of rows () */
  uint64_t seed = 1;
};

/* One row of the sender's state, taken every sample_s. Rates bit/s, spans s. */
struct CcSenderRow {
  double at_s, rate_bps, media_bps, rtt, p, queue_delay, backlog_delay;
  CcLimit limit;
  RateOwner owner;
};

class CcSenderApplication : public ns3::Application, public RtpCarrier
{
public:
  static ns3::TypeId GetTypeId ();
  void configure (const CcSenderConfig &config);

  /* For sources. bytes: the encoded frame. Split into packets of even size. */
  void push_frame (uint32_t bytes, bool key_unit);
  void push_packets (std::vector<RtpPacket> packets) override;
  CcSenderStatus status () const;
  CcTime now () const; /* sender's clock */
  bool take_key_unit_wanted ();
  void on_router_rate (uint32_t hop, double rate_Bps); /* an explicit rate that came by another way than RTCP */
  const CcSenderConfig &configuration () const;

  const CcSender &sender () const;
  const std::vector<CcSenderRow> &rows () const;
  std::vector<double> frame_sent_at; /* when the first packet of each frame left, s */
  std::vector<double> report_at;     /* when each TFRC report came, s */
  uint64_t frames_offered = 0, packets_sent = 0, packets_refused = 0, feedback_packets = 0, feedback_bytes = 0,
           stuck = 0, key_units_asked = 0, resent = 0, sums = 0;

private:
  void StartApplication () override;
  void StopApplication () override;
  void on_feedback (ns3::Ptr<ns3::Socket> socket);
  void parse_rtcp (const uint8_t *data, size_t size);
  void on_report (const RtcpMessage &message);
  void on_packet_reports (const RtcpMessage &message);
  void on_path (const RtcpMessage &message);
  void run ();
  void drain ();
  void push (const CcPacket &packet);
  void send (const CcPacket &packet);
  void send_rtp (const CcPacket &packet);
  void sample ();
  CcTime run_media (CcTime now);
  void tell_rate (CcTime now);
  void want_key_unit (CcTime now);
  void resend (uint16_t seq);
  void on_nack (const uint8_t *fci, size_t size);
  void send_sums (const CcPacket &packet, const RtpPacket &sent);

  CcSenderConfig config;
  uint32_t reported_seq = 0; /* of the last report block */
  CcSender cc;
  std::unique_ptr<CcPacketFeedback> packet_feedback;
  CcPcg32 pcg;
  std::vector<CcPacket> ring;
  ns3::Ptr<ns3::Socket> socket;
  ns3::EventId timer, sampler;
  std::vector<CcSenderRow> row_list;
  std::map<uintptr_t, RtpPacket> waiting; /* real ones, by their handle in cc */
  std::map<uint16_t, RtpPacket> history;  /* those that left, by their number */
  ResendLimit resend_limit;
  SumSource sum_source;
  uintptr_t next_handle = 0;
  CcTime status_at = 0, rate_told_at = CC_TIME_NONE, key_unit_at = CC_TIME_NONE, key_unit_due = CC_TIME_NONE;
  double told_bps = 0;
  CcLimit told_limit = CC_LIMIT_START;
  uint16_t seq = 0, resent_seq = 0;
  uint32_t frame_number = 0;
  bool running = false, draining = false;
};

enum class FeedbackTiming {
  at_once, /* whenever the receiver wants it: the letter of RFC 5348 */
  avpf     /* when RFC 4585 allows it */
};

/* What it tells. Transport-wide numbers are the RTP sequence numbers, as there is one stream. */
enum class FeedbackKind {
  tfrc, /* what a receiver of ours does */
  ccfb, /* RFC 8888, and nothing else */
  twcc
};

struct CcReceiverConfig {
  CcReceiverParams params;       /* cc_receiver_params_init () first */
  std::shared_ptr<RtpSink> sink; /* gets real packets; key units are asked for as rtcpavpf does */
  RtpCodec codec = RTP_CODEC_UNKNOWN;
  double nack_latency_s = 0; /* lost packets are asked for again while they can come so late; 0: never */
  RepairSpec repair;         /* planned: in its place, real media only */
  uint16_t port = 5004;
  FeedbackTiming timing = FeedbackTiming::at_once;
  FeedbackKind kind = FeedbackKind::tfrc;
  bool path_report = false; /* append the path block (mode low-delay) */
  bool reduced_size = true; /* early packets without RR and SDES, for avpf */
  /* For avpf, as rtpturns.c has them: T_rr_interval, and of the receive rate, of 500 kb/s at least. */
  double trr_interval_s = 1, rtcp_fraction = 0.05, min_rtcp_Bps = 3125;
  double clock_offset_s = 1234.5, clock_drift_ppm = 0;
  uint64_t seed = 2;
};

struct FrameArrival {
  uint32_t number;
  double captured_s, completed_s;
  unsigned packets;
};

class CcReceiverApplication : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  void configure (const CcReceiverConfig &config);
  const CcReceiver &receiver () const;
  CcDuration report_interval () const;              /* Td of its reports, for avpf */
  const std::vector<FrameArrival> &frames () const; /* whole frames, in order of completion */
  SampleSeries transit;                             /* one-way delay of each packet, s, in simulated time */
  uint64_t packets = 0, bytes_total = 0;            /* of RTP packets */
  uint64_t marks = 0;                               /* packets with CE */
  uint64_t feedback_packets = 0, feedback_bytes = 0;
  uint64_t key_units_asked = 0, nacks = 0, restored = 0, mended = 0; /* nacks: packets asked for; mended: by sums */

private:
  void StartApplication () override;
  void StopApplication () override;
  CcTime now () const;
  void on_packet (ns3::Ptr<ns3::Socket> socket);
  bool on_model_packet (ns3::Ptr<ns3::Packet> packet);
  bool on_rtp (ns3::Ptr<ns3::Packet> packet);
  bool feed (CcArrival *arrival, ns3::Ptr<const ns3::Packet> packet);
  void follow_stream (const CcArrival &arrival, const uint8_t *payload, size_t size);
  void on_resent (const uint8_t *rtp, size_t header, size_t size);
  void on_beside (const uint8_t *rtp, size_t header, size_t size);
  void play_mended ();
  void follow_plan (const std::vector<uint8_t> &rtp, uint16_t seq);
  bool asks () const;
  void set_rtt (CcDuration rtt);
  CcTime run_media ();
  void follow_routers (ns3::Ptr<const ns3::Packet> packet);
  size_t write_explicit_rate (uint8_t *at);
  void check_nack ();
  size_t write_nack (uint8_t *at);
  size_t write_repair (uint8_t *at);
  void check_key_request ();
  void start_media ();
  void count_frame (uint32_t number, unsigned count, double captured_s);
  void run ();
  void want_feedback ();
  void want_report ();
  void set_rtcp_bandwidth ();
  bool send_feedback (bool compound);
  size_t write_report (uint8_t *at);
  size_t write_key_request (uint8_t *at);
  size_t write_feedback (uint8_t *at, size_t capacity);

  CcReceiverConfig config;
  CcReceiver cc;
  ArrivalHistory history;
  uint8_t fb_pkt_count = 0;
  CcPcg32 pcg;
  AvpfTiming avpf;
  RtpReception reception;
  KeyRequest key;
  ExplicitRate explicit_rate;
  NackRequest nack;
  StreamRepair repair;
  uint64_t nack_failed = 0;
  uint8_t media_header[12] = {};                  /* of the last packet that was none sent again */
  bool key_pending = false, nack_pending = false; /* their turn in RTCP has been asked for */
  ns3::Ptr<ns3::Socket> socket;
  ns3::Address peer;
  ns3::EventId timer;
  std::vector<FrameArrival> frame_list, open_frames;
  double bandwidth_from_s = 0;
  uint64_t bandwidth_from_bytes = 0;
  uint64_t fed = 0, fed_in_feedback = 0; /* packets that count; as of the last feedback on them */
  bool heard = false, running = false;
};

} // namespace sim
#endif
