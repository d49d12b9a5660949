/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sending end of a flow: sending buffer, pacer and the controllers of its mode under one clock. Elements and ns-3
   applications are shells around it: they push packets in, hand reports over, send what comes out, and wait until
   cc_sender_next_timeout ().

     cc_sender_push (...);                         one call per RTP packet
     while ((v = cc_sender_pull (s, now, &packet)) != CC_SENDER_WAIT)
       v == CC_SENDER_SEND ? write it, stamped with cc_sender_stamp () : release it;
     wait until cc_sender_next_timeout (), a packet or a report;  cc_sender_on_timeout (s, now); */
#ifndef CCSENDER_H
#define CCSENDER_H

#include "ccpacer.h"
#include "ccpacketfeedback.h"
#include "ccserial.h"
#include "circuittrial.h"
#include "ecnprobe.h"
#include "encoderadvice.h"
#include "pathword.h"
#include "plainreports.h"
#include "ratebounds.h"
#include "readyframes.h"
#include "reportadmission.h"
#include "rtpextension.h"
#include "sendbuffer.h"
#include "sendrate.h"
#include "senttraffic.h"
#include "silentpath.h"
#include "tfrcreport.h"
#include "tfrcsender.h"
#include "traincredit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CC_MODE_LOW_DELAY,    /* min (TCP's equation, path rate) */
  CC_MODE_RFC5348,      /* TFRC to the letter */
  CC_MODE_BURST_CONTROL /* no control: each frame spread over its period */
} CcMode;

typedef struct {
  CcMode mode;
  double start_Bps, min_Bps, max_Bps; /* wire bytes/s */
  uint32_t overhead_bytes;            /* UDP + IP per packet: 28 or 48 */
  bool pays_resent; /* what mends losses is taken off the encoder's rate; default false: the host sees to that */
  bool probe;       /* routers are asked for a rate: the first packets leave at 8 x start_Bps, as a train that shows the
                       receiver how much of it comes through; default false */
  double loss_tolerance; /* share of the packets that may be lost and not count, low-delay mode, where the receiver
                            finds no congestion in it (losscause.h); 0: RFC 5348 3.1 to the letter; default 0.2 */
  double weight;         /* among others, where this end runs the law (ccsenderpackets.h): callweight.h; default 1 */
  double pacing_gain;    /* frames leave at this multiple of the rate in low-delay mode where it is not known what the
                            path carries (traincredit.h); default 1.5 */
  SendBufferParams buffer;
  TfrcSenderParams tfrc;
  CircuitBreakerParams circuit;
  ArrivalEcn ecn;           /* what packets should leave with; default ARRIVAL_NOT_ECT */
  BurstControlParams burst; /* of CC_MODE_BURST_CONTROL */
  CcRandom random;
} CcSenderParams;

typedef struct {
  double rate_Bps;    /* allowed, wire bytes/s, within [min, max] */
  double media_Bps;   /* what an encoder may produce: RTP, UDP and IP headers taken off at the present packet size, and
                         what mends losses where pays_resent */
  double encoder_Bps; /* what to ask of an encoder that nobody else corrects: 3 % of it left for frames to vary, and
                         what drains the backlog beyond a frame within 0.5 s taken off, down to half */
  double sent_Bps;    /* wire, over the last second or so */
  CcDuration rtt;     /* 0: unknown */
  double p;           /* loss event rate */
  CcDuration queue_delay;      /* of the path, as reported; 0 where no report says */
  double explicit_Bps;         /* the least of what routers and receivers told, bounds too; 0: none */
  uint32_t backlog_bytes;      /* waiting in the sending buffer */
  CcDuration backlog_delay;    /* backlog / rate */
  uint32_t frame_budget_bytes; /* largest frame that would still arrive in time */
  bool pause; /* nothing is answered: a frame coded now would wait for long, and those behind it refer to it */
  CcLimit limit;
  RateOwner owner; /* who that is, and of the path rate whose rule */
  EcnProbeState ecn;
  CircuitState circuit;
  CircuitReason circuit_reason; /* of its last opening */
} CcSenderStatus;

typedef enum { CC_SENDER_WAIT, CC_SENDER_SEND, CC_SENDER_DISCARD } CcSenderVerdict;

typedef struct CcSender {
  CcSenderParams params;
  CcMode mode;
  TfrcSender tfrc;
  SendBuffer buffer;
  CcPacer pacer;
  ReadyFrames frames;
  SentTraffic sent;
  CircuitBreaker circuit;
  CircuitTrial trial;
  ReportAdmission admission;
  SilentPath silence;
  RateBounds bounds;
  TrainCredit credit;
  EcnProbe ecn;
  PathWord path;
  double probed_Bps; /* the first one of a router; 0: none yet */
  PlainReports plain;
  double rate_Bps;
  CcLimit limit;
  RateOwner owner;
  double redundancy; /* as told */
  uint64_t packets_dropped, reports, packet_reports, bad_reports;
} CcSender;

void cc_sender_params_init (CcSenderParams *params);
/* ring: storage for the packets waiting, the caller's. */
void cc_sender_init (CcSender *s, const CcSenderParams *params, CcPacket *ring, uint32_t capacity, CcTime now);
void cc_sender_set_limits (CcSender *s, double min_Bps, double max_Bps); /* honoured at once */
/* The rate to begin with; without effect once a report has come. */
void cc_sender_set_start (CcSender *s, double start_Bps, CcTime now);
void cc_sender_set_mode (CcSender *s, CcMode mode, CcTime now);
void cc_sender_set_loss_tolerance (CcSender *s, double loss_tolerance); /* clamped to [0, 1] */
void cc_sender_set_weight (CcSender *s, double weight);                 /* honoured at the next report */
void cc_sender_set_max_delay (CcSender *s, CcDuration max_delay);
/* ARRIVAL_ECT_1 is for mode low-delay alone, which answers the fraction of marks: others send ARRIVAL_ECT_0. */
void cc_sender_set_ecn (CcSender *s, ArrivalEcn ecn);
void cc_sender_set_circuit_action (CcSender *s, CircuitAction action);
void cc_sender_set_burst (CcSender *s, const BurstControlParams *burst); /* from the next frame on */
/* So many bytes of redundancy (CcPacket.resent and .repair) will follow a byte of media, from now on. */
void cc_sender_set_redundancy (CcSender *s, double redundancy);
/* Bytes that may go ahead of the frames that wait without making the last of them late. */
uint32_t cc_sender_room (const CcSender *s);
/* May a packet go again, so long after it last did? What can be on its way still goes where it keeps no frame waiting.
 */
bool cc_sender_may_repeat (const CcSender *s, uint32_t size_bytes, CcDuration since);

/* False when the ring is full: pull once (a discard comes out), then push again. */
bool cc_sender_push (CcSender *s, const CcPacket *packet, CcTime now);
CcSenderVerdict cc_sender_pull (CcSender *s, CcTime now, CcPacket *packet);
/* What is under way has been for longer than the path and its reports take: the link serves nothing, and whatever
   leaves now stands behind it, too late when it comes. A packet leaves now and then; were it always one that goes
   first, a receiver that answers frames would never answer. */
bool cc_sender_is_unanswered (const CcSender *s);
/* The ECN bits of a packet that leaves now. */
ArrivalEcn cc_sender_next_ecn (CcSender *s);
/* The extension for a packet that leaves now. */
void cc_sender_stamp (const CcSender *s, CcTime now, RtpRttSendts *stamp);

void cc_sender_on_tfrc_report (CcSender *s, const TfrcReport *report, CcTime now);
/* Behind the TFRC report that it came with. Where that had no news, this may lower the rate and is no sign of life. */
void cc_sender_on_path_report (CcSender *s, const PathReport *report, CcTime now);
/* What reports of every packet come to, for receivers that send no TFRC reports (ccsenderpackets.h): while those come,
   it counts for nothing. */
void cc_sender_on_packet_verdict (CcSender *s, const CcPacketVerdict *verdict, CcTime now);
/* A report block of RFC 3550: for receivers that know nothing else. It counts in low-delay mode until the first TFRC
   report: the rate is that of plainrate.h from start_Bps on, or the explicit one, bounded by the equation of RFC 5348
   3.1 over the smoothed fraction lost. fraction_lost in [0, 1]; R: round-trip time by LSR and DLSR, 0: unknown, 200 ms
   are taken by the equation then. */
void cc_sender_on_receiver_report (CcSender *s, double fraction_lost, CcDuration R, CcTime now);
/* REMB and the like: an upper bound, the least of what each SSRC `from` said last; expires. Where no report tells more
   of the path it is the rate, as far as three times what was sent. */
void cc_sender_on_explicit_rate (CcSender *s, uint32_t from, double rate_Bps, CcTime now);
/* ERF or ECF as routers made it, told by them or returned by the receiver: the same, but no sign of life of the
   receiver. In low-delay mode the first one takes the place of start_Bps: downwards at once, upwards as far as the
   receiver's path rate goes, 8 x start_Bps at most. */
void cc_sender_on_router_rate (CcSender *s, uint32_t from, double rate_Bps, CcTime now);
/* Of somebody else than the receiver: lowers the rate while it is fresh and does nothing besides. A table of its own:
   no `from` here takes the place of one above. */
void cc_sender_on_rate_bound (CcSender *s, uint32_t from, double rate_Bps, CcTime now);

/* RTCP of the receiver, whatever it says; and a report block of SR or RR on what we send. For the circuit breaker alone
   (circuitbreaker.h), of which the reports above are told by these functions. While it ceases, all packets are
   discarded. */
void cc_sender_on_rtcp (CcSender *s, CcTime now);
void cc_sender_on_report_block (CcSender *s, const CircuitReport *report, CcTime now);

CcTime cc_sender_next_timeout (const CcSender *s); /* pacing, no-feedback timer, expiries; pure */
void cc_sender_on_timeout (CcSender *s, CcTime now);

void cc_sender_status (const CcSender *s, CcTime now, CcSenderStatus *status);
bool cc_sender_take_key_unit_wanted (CcSender *s); /* a dropped frame may be referenced: ask the encoder, once */
#ifdef __cplusplus
}
#endif
#endif
