/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiving end of a controlled flow as an ns-3 application: a shell around CcReceiver as the element is, with real
   RTCP feedback.

   Its clock runs apart from the sender's (offset and drift in the configuration): nothing may depend on it. */
#ifndef SIM_CC_RECEIVER_APPLICATION_H
#define SIM_CC_RECEIVER_APPLICATION_H

#include "arrivalhistory.h"
#include "avpftiming.h"
#include "ccreceiver.h"
#include "ccwire.h"
#include "explicitrate.h"
#include "keyrequest.h"
#include "nackrequest.h"
#include "rtpkeyunit.h"
#include "rtpmedia.h"
#include "rtpreception.h"
#include "series.h"
#include "streamrepair.h"
#include <memory>
#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/socket.h>
#include <vector>

namespace sim
{

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
  void follow_stream (const CcArrival &arrival, const std::vector<uint8_t> &rtp, size_t header);
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
