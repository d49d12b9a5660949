/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP participants as ns-3 applications (RFC 4586 3.2): each sends RTP at a constant packet rate or only receives,
   counts members and senders by what it hears, and sends RTCP when avpftiming.h allows. Packets carry real headers: SR,
   RR and SDES with a CNAME of five characters, so that compounds have the sizes the RFC's figures follow from (72 bytes
   SR, 76 RR, 96 SR with one block, UDP and IP counted), and RFC 4585 feedback. RTP and RTCP share a port. Nobody
   leaves. */
#ifndef SIM_AVPF_AGENT_H
#define SIM_AVPF_AGENT_H

#include "avpftiming.h"
#include "fbretention.h"
#include "rtpreception.h"
#include "rtpwire.h"
#include <map>
#include <memory>
#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/ipv4-address.h>
#include <ns3/socket.h>
#include <vector>

namespace sim
{

struct AvpfAgentConfig {
  AvpfTimingParams timing; /* avpf_timing_params_init () first; random is set by the agent */
  uint32_t ssrc = 1;
  double media_bps = 0;            /* of IP packets; 0: receives only */
  unsigned packet_bytes = 500;     /* IP packet */
  double jitter = 0;               /* each packet leaves later by up to this part of the packet interval, [0, 1) */
  double max_feedback_delay_s = 1; /* AVPF; an AVP agent appends what it has to its next report however late that is */
  bool reduced_size = false;       /* early packets without SR/RR and SDES */
  ns3::Ipv4Address destination;    /* a group: sent on every link of the node */
  uint16_t port = 5004;
  uint64_t seed = 1;
};

/* Timing, reports and membership. Subclasses say what feedback there is. */
class AvpfAgent : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  void configure (const AvpfAgentConfig &config);
  const AvpfTiming &timing () const;
  uint64_t rtp_packets = 0, rtcp_packets = 0, rtcp_bytes = 0; /* sent, UDP and IP headers counted */

protected:
  struct Source {
    RtpReception reception;
    bool sends = false;
  };
  /* A packet that moves the highest number of a valid source from before to seq, both extended. */
  virtual void on_media (uint32_t ssrc, uint32_t before, uint32_t seq, const uint8_t *payload, size_t size) = 0;
  virtual void on_feedback (unsigned type, unsigned format, uint32_t media_ssrc, const uint8_t *fci, size_t size) = 0;
  /* Whole feedback messages for a packet that leaves now; returns their size. */
  virtual size_t write_feedback (uint8_t *at, size_t capacity) = 0;
  virtual void write_payload (uint16_t seq, uint8_t *payload, size_t size);

  CcTime now () const;
  bool request_feedback (); /* false: must be discarded */
  void cancel_feedback ();
  size_t write_message (uint8_t *at, unsigned type, unsigned format, uint32_t media_ssrc, size_t fci_size) const;
  AvpfAgentConfig config;

private:
  void StartApplication () override;
  void StopApplication () override;
  void open_sockets ();
  ns3::Ptr<ns3::Socket> open_socket (ns3::Ptr<ns3::NetDevice> device);
  void send (const uint8_t *bytes, size_t size, size_t padded_size);
  void send_rtp ();
  void schedule_rtp ();
  void send_rtcp (AvpfVerdict verdict);
  size_t write_report (uint8_t *at);
  void on_packet (ns3::Ptr<ns3::Socket> socket);
  void on_rtp (const uint8_t *bytes, size_t size);
  void on_sender_report (const RtcpMessage &message);
  void on_rtcp (const uint8_t *bytes, size_t size);
  Source &heard (uint32_t ssrc, bool sends);
  void set_members ();
  void run ();
  void reschedule ();

  AvpfTiming avpf;
  CcPcg32 pcg;
  CcRandom random;
  std::map<uint32_t, Source> sources; /* other members */
  unsigned senders = 0;
  std::vector<ns3::Ptr<ns3::Socket>> out;
  ns3::Ptr<ns3::Socket> in;
  ns3::EventId timer, media_timer;
  CcTime planned = CC_TIME_NONE;
  uint16_t seq = 0;
  double media_from_s = 0;
  bool running = false;
};

/* Reports every lost packet by a generic NACK (RFC 4585 6.2.1): once, unless another member has done so. */
class NackAgent : public AvpfAgent
{
public:
  static ns3::TypeId GetTypeId ();
  NackAgent ();

  enum Outcome { pending, sent, suppressed, discarded };
  struct Loss {
    uint32_t ssrc;
    uint16_t seq;
    Outcome outcome;
    double detected_s, settled_s;
  };
  std::vector<Loss> losses;           /* of this receiver, in order of detection */
  std::vector<double> report_delay_s; /* of this sender: from sending a packet to the first report of its loss */
  unsigned count (Outcome outcome) const;
  double mean_waiting_s () const; /* of what was sent */

private:
  void on_media (uint32_t ssrc, uint32_t before, uint32_t seq, const uint8_t *payload, size_t size) override;
  void on_feedback (unsigned type, unsigned format, uint32_t media_ssrc, const uint8_t *fci, size_t size) override;
  size_t write_feedback (uint8_t *at, size_t capacity) override;
  void write_payload (uint16_t seq, uint8_t *payload, size_t size) override;
  void settle (Loss &loss, Outcome outcome);
  void on_reported (const uint16_t *seqs, size_t n);
  bool suppress_pending ();
  size_t write_nack (uint8_t *at, size_t capacity, uint32_t ssrc);

  FbRetention retention;
  std::vector<size_t> waiting;                                   /* indices of pending losses */
  std::vector<double> sent_at = std::vector<double> (65536, -1); /* -1: never, or reported already */
};

} // namespace sim
#endif
