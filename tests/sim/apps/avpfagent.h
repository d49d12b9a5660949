/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP participants as ns-3 applications (RFC 4586 3.2): each sends RTP at a constant packet rate or only receives. All
   that is RTCP is the participant's of the elements (rtpparticipant.h): this is a shell around it, of sockets, a timer
   and media. With a CNAME of five characters compounds have the sizes the RFC's figures follow from (72 bytes SR, 76
   RR, 96 SR with one block, UDP and IP counted). RTP and RTCP share a port. Nobody leaves. */
#ifndef SIM_AVPF_AGENT_H
#define SIM_AVPF_AGENT_H

#include "rtpparticipant.h"
#include "rtpwire.h"
#include <memory>
#include <ns3/application.h>
#include <ns3/event-id.h>
#include <ns3/ipv4-address.h>
#include <ns3/socket.h>
#include <vector>

namespace sim
{

struct AvpfAgentConfig {
  RtpSettings settings;         /* avpf_agent_settings () first; the CNAME is the agent's */
  uint32_t ssrc = 1;            /* of its media */
  double media_bps = 0;         /* of IP packets; 0: receives only */
  unsigned packet_bytes = 500;  /* IP packet */
  double jitter = 0;            /* each packet leaves later by up to this part of the packet interval, [0, 1) */
  ns3::Ipv4Address destination; /* a group: sent on every link of the node */
  uint16_t port = 5004;
  uint64_t seed = 1;
};

/* RTCP takes 5 % of the session, T_rr_interval is 0, feedback is of use for 1 s; a packet is asked for once, by one. */
RtpSettings avpf_agent_settings (double session_bps, RtpSessionKind kind);

/* A host of a participant. Subclasses say what feedback there is. */
class AvpfAgent : public ns3::Application
{
public:
  static ns3::TypeId GetTypeId ();
  AvpfAgent ();
  ~AvpfAgent () override;
  void configure (const AvpfAgentConfig &config);
  const AvpfTiming &timing () const;
  uint64_t rtcp_bytes () const; /* sent, UDP and IP headers counted */

protected:
  /* A packet that is to be played and moves the highest number of its source from before to seq, both extended. */
  virtual void on_media (const ::RtpPacket &packet, uint32_t before, uint32_t seq) = 0;
  /* A message about media of anybody came; said: it has left, in a packet of ours. */
  virtual void on_feedback (const RtpFeedbackMessage &message) = 0;
  virtual void on_said (const RtcpMessage &message) = 0;
  /* Something was told to the participant, or it ran. */
  virtual void on_change ();
  virtual void write_payload (uint16_t seq, uint8_t *payload, size_t size);

  CcTime now () const;
  void want_packet (uint32_t ssrc, uint16_t seq);
  /* PSFB of that format about ssrc, in place of what waits of the kind; size 0: nothing. */
  void say (unsigned format, uint32_t ssrc, const uint8_t *fci, size_t size);
  AvpfAgentConfig config;
  std::unique_ptr<RtpParticipant> core;

private:
  static void tell (void *self, const RtpEvent *event);
  void StartApplication () override;
  void StopApplication () override;
  void begin_core ();
  void open_sockets ();
  ns3::Ptr<ns3::Socket> open_socket (ns3::Ptr<ns3::NetDevice> device);
  void send (const uint8_t *bytes, size_t size, size_t padded_size);
  void send_rtp ();
  void schedule_rtp ();
  void send_rtcp (const RtpOutgoing &out);
  void on_packet (ns3::Ptr<ns3::Socket> socket);
  void on_rtp (const uint8_t *bytes, size_t size, const RtpAddress &from);
  void run ();
  void wake_before (CcTime when);
  void after_call ();

  CcPcg32 pcgs[3];
  CcRandom random;
  std::vector<ns3::Ptr<ns3::Socket>> out; /* of a group: one a link */
  ns3::Ptr<ns3::Socket> in;
  ns3::EventId timer, media_timer;
  CcTime planned = CC_TIME_NONE;
  uint64_t rtp_packets = 0;
  uint16_t seq = 0;
  double media_from_s = 0;
  bool running = false;
};

/* Reports every lost packet by a generic NACK (RFC 4585 6.2.1): once, unless another member has done so. A gap in the
   numbers is a loss at once. */
class NackAgent : public AvpfAgent
{
public:
  static ns3::TypeId GetTypeId ();

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
  void on_media (const ::RtpPacket &packet, uint32_t before, uint32_t seq) override;
  void on_feedback (const RtpFeedbackMessage &message) override;
  void on_said (const RtcpMessage &message) override;
  void on_change () override;
  void write_payload (uint16_t seq, uint8_t *payload, size_t size) override;
  Outcome outcome_of (const Loss &loss) const;
  void settle (Loss &loss, Outcome outcome);
  void forget_settled ();

  std::vector<size_t> waiting;                                   /* indices of pending losses */
  std::vector<double> sent_at = std::vector<double> (65536, -1); /* -1: never, or reported already */
};

} // namespace sim
#endif
