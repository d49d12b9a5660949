/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending end of a controlled flow as an ns-3 application: a shell around CcSender as the element is. Packets carry
   real RTP headers with the rtt-sendts extension; payloads are zeros, or an RtpSource's. */
#ifndef SIM_CC_SENDER_APPLICATION_H
#define SIM_CC_SENDER_APPLICATION_H

#include "ccsender.h"
#include "ccwire.h"
#include "mediasource.h"
#include "resendlimit.h"
#include "rtpmedia.h"
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
  bool repairs = false;  /* its receiver asks by plan (RESEND_LIMIT_PLANNED) */
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
  bool told_pause = false;
  uint16_t seq = 0, resent_seq = 0;
  uint32_t frame_number = 0;
  bool running = false, draining = false;
};

} // namespace sim
#endif
