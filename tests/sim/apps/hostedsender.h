/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real media under a congestion controller that lives in a GStreamer element, in simulated time, and the receiver that
   tells it of every packet: what rtpbin puts around such an element, as ns-3 applications.

   The sender gives each packet the header extension of transport-wide numbers (one byte form, 8 bytes a packet), which
   its element gets already in place and which is filled in when the packet leaves, and makes of each feedback message
   the event rtpsession 1.22 makes of it: sizes of RTP payload, times of leaving, packets between two messages in a row
   lost. The rate goes to the source as webrtcsink hands it to an encoder: the whole estimate, nothing taken off.

   The receiver reports as rtpsession 1.22 does: a message with each last packet of a picture, at once or as soon as the
   time between two RTCP packets is over that 5 % of what it receives allow; each message is a packet, and a receiver
   report goes before them. Picture loss indications and requests for lost packets (rtxends.h) leave in the same way;
   what is sent again passes the element, as behind webrtcsink's rtprtxsend. */
#ifndef SIM_HOSTED_SENDER_H
#define SIM_HOSTED_SENDER_H

#include "arrivalhistory.h"
#include "ccrandom.h"
#include "hostedelement.h"
#include "rtcptwcc.h"
#include "rtpmedia.h"
#include "rtxends.h"
#include "series.h"
#include <deque>
#include <memory>
#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/ipv4-address.h>
#include <ns3/socket.h>

namespace sim
{

struct HostedSenderConfig {
  HostedElementSpec element;
  std::shared_ptr<RtpSource> source;
  ns3::Ipv4Address peer;
  uint16_t port = 5004;
  bool resends = false; /* what is asked for */
};

class HostedSenderApplication : public ns3::Application, public RtpCarrier
{
public:
  static ns3::TypeId GetTypeId ();
  void configure (const HostedSenderConfig &config);
  void push_packets (std::vector<RtpPacket> packets) override;
  double estimate_bps () const;
  uint64_t wakes () const; /* of the element's task */

  SampleSeries estimate; /* bit/s, at each change */
  SampleSeries pacing;   /* s, of each packet from push to leaving */
  uint64_t packets_sent = 0, bytes_sent = 0, payload_bytes_sent = 0, feedback_packets = 0, feedback_bytes = 0,
           outcomes = 0, lost = 0, key_units_asked = 0;

private:
  struct Sent {
    uint64_t at_ns;
    uint32_t payload_bytes;
    uint8_t payload_type;
  };
  struct Waiting {
    uint32_t timestamp;
    double pushed_s;
  };
  void StartApplication () override;
  void StopApplication () override;
  void note_wait (uint32_t timestamp);
  void send (std::vector<uint8_t> rtp);
  void on_rtcp (ns3::Ptr<ns3::Socket> from);
  void parse_rtcp (const uint8_t *data, size_t size);
  void on_twcc (RtcpTwccReader &reader);
  void resend (const RtcpMessage &nack);
  void add_gap (const RtcpTwccReader &reader, std::vector<PacketOutcome> &list);
  PacketOutcome outcome_of (uint16_t seq, bool lost, uint64_t arrived_ns) const;
  void on_rate (RateNews news);

  HostedSenderConfig config;
  std::unique_ptr<HostedElement> element;
  ns3::Ptr<ns3::Socket> socket;
  std::deque<Waiting> waiting; /* pictures of which no later one has begun to leave */
  RtxKeeper keeper;
  std::deque<Sent> sent; /* the last ones, up to number next_seq - 1 */
  uint16_t next_seq = 0, expected_seq = 0;
  uint8_t expected_count = 0;
  bool heard = false, running = false;
  double told_bps = 0;
  uint64_t past_wakes = 0;
};

struct TwccReceiverConfig {
  std::shared_ptr<RtpSink> sink;
  uint16_t port = 5004;
  double clock_offset_s = 1234.5, clock_drift_ppm = 0;
  uint64_t seed = 2;
  double nack_latency_s = 0; /* lost packets are asked for while they can come so late; 0: never */
};

class TwccReceiverApplication : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  void configure (const TwccReceiverConfig &config);
  uint64_t packets = 0, bytes_total = 0, feedback_packets = 0, feedback_bytes = 0;
  SampleSeries report_at; /* when messages left: how many at once */

private:
  void StartApplication () override;
  void StopApplication () override;
  uint64_t now_ns () const;
  void on_packet (ns3::Ptr<ns3::Socket> from);
  void play (const uint8_t *rtp, size_t size);
  void check_requests ();
  std::vector<uint8_t> requests ();
  void make_message ();
  void schedule ();
  double interval_s ();
  void send_all ();
  void send_packet (const std::vector<uint8_t> &rtcp);

  TwccReceiverConfig config;
  ArrivalHistory history;
  CcPcg32 pcg;
  CcRandom random;
  ns3::Ptr<ns3::Socket> socket;
  ns3::Address peer;
  ns3::EventId timer, request_timer;
  RtxAsker asker;
  uint8_t fb_pkt_count = 0;
  std::deque<std::vector<uint8_t>> messages; /* that wait */
  bool running = false, key_unit_wanted = false;
  double allowed_s = 0, mean_rtcp_bytes = 100;
  RateSeries received;
};

} // namespace sim
#endif
