/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A multicast group of receivers that only send RTCP, each with the scheduler of gst/congestion/rtp/avpftiming (AVP)
   and a view of the others. Between them: a delay in the network, drawn for each packet and receiver, and the
   receiver's downlink with a drop-tail buffer; uplinks are infinitely fast and joining takes no time (Rosenberg &
   Schulzrinne, "Timer Reconsideration for Enhanced RTP Scalability", section 3.1).

   A view is brought up to date only when its owner's timer fires, the only moment it is looked at; delays are a hash of
   packet and receiver, so that nothing is stored for them. With a fixed delay all see the same arrivals but for their
   own packets, so one shared view does for all: this is what makes a million members possible. Only a shared view
   supports leaving, where a BYE moves the timers of all. */
#ifndef SIM_RTCPGROUP_H
#define SIM_RTCPGROUP_H

#include "avpftiming.h"
#include "rtpmembers.h"
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace sim
{

struct RtcpGroupSpec {
  enum class Delay { fixed, uniform, exponential };

  unsigned users = 10000, senders = 0; /* the first ones send media as well, and say so; without a table only */
  AvpfReconsideration mode = AVPF_RECONSIDER_UNCONDITIONAL;
  double plain = 0; /* this part of the users, the last ones, does not reconsider: old implementations */
  /* False: the paper's form. Intervals are not divided by e - 3/2, and L counts the others heard, but is 1 at first;
     hearing the first one is a change all the same (its equations 9 and 13). True: RFC 3550's, divided and with the
     participant itself counted. */
  bool rfc3550 = false;
  double joins_per_s = 0;     /* 0: all at 0 */
  Delay delay = Delay::fixed; /* uniform: 0 to twice the mean */
  double mean_delay_s = 0.3;
  double link_bps = 28800;      /* downlink; 5 % of it is the RTCP bandwidth */
  double buffer_bytes = 100000; /* of the downlink */
  unsigned packet_bytes = 128;  /* BYE too */
  bool shared_view = false;     /* wants a fixed delay and a step join */
  bool reverse = true;          /* reverse reconsideration, RFC 3550 6.3.4 */
  double reverse_step = 0;      /* > 0: all timers are moved only after each such part of the members has gone */
  bool count_each_bye = false;  /* call on_received_bye for every BYE and user (slow) instead of setting the sum */
  uint32_t table_capacity = 0;  /* > 0: the shared view counts in a RtpMembers of so many places */
  uint64_t seed = 1;

  double C () const;                       /* s between reports of the group at the nominal rate */
  double m () const;                       /* packets/s of a downlink */
  unsigned members (unsigned heard) const; /* L */
};

/* SSRC of a user, in a fixed disorder; what a table of such users wants. */
uint32_t rtcp_group_ssrc (uint32_t who);
RtpMembersParams rtcp_group_table_params (uint64_t seed);

/* Cumulative counts or a state over time, for CSV and statistics. */
typedef std::vector<std::pair<double, double>> Curve; /* s, value; ascending */

/* Curve's value at at_s, 0 before its first point. */
double curve_at (const Curve &curve, double at_s);
/* When it first reaches value, HUGE_VAL if never. */
double curve_reaches (const Curve &curve, double value);

class RtcpGroup
{
public:
  struct Packet {
    CcTime at;
    uint32_t who;
    bool bye;
  };
  const RtcpGroupSpec spec;

  explicit RtcpGroup (const RtcpGroupSpec &spec);
  ~RtcpGroup ();
  void run_until (double end_s);
  /* The first `leavers` users leave now: with RFC 3550 6.3.7's back-off, or all at once. Shared view only. */
  void leave (unsigned leavers, bool back_off);

  const std::vector<Packet> &sent () const; /* in order */
  /* s of each packet, in order. */
  std::vector<double> reports () const;
  std::vector<double> byes () const;
  /* L of user 0 after each change. */
  const Curve &learned () const;
  /* Members known now in the shared view. */
  unsigned members () const;
  uint64_t timer_events () const;
  uint64_t deliveries () const; /* packets views have looked at */

private:
  struct Timer {
    CcTime at;
    uint32_t who;
    bool
    operator<(const Timer &other) const /* the standard heap keeps the largest on top */
    {
      return at > other.at;
    }
  };
  class View;
  void join_all ();
  void reschedule_all ();
  void push (uint32_t who);
  bool shared_arrivals (CcTime until);
  void bye_arrived (CcTime at);
  void move_timers (CcTime at);
  unsigned heard_by (uint32_t who, CcTime at);
  unsigned senders_known_to (uint32_t who) const;
  void tell_members (uint32_t who, CcTime at);
  void fire (uint32_t who, CcTime at);
  std::vector<double> times_of (bool bye) const;

  CcPcg32 pcg;
  CcTime now = 0;
  std::vector<AvpfTiming> timing;
  std::vector<Packet> packets;
  std::vector<Timer> timers; /* a heap */
  std::vector<std::unique_ptr<View>> views;
  Curve learning;
  unsigned byes_arrived = 0, told = 0;
  uint64_t events = 0;
};

} // namespace sim
#endif
