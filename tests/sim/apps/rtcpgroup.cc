/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpgroup.h"
#include <algorithm>
#include <cmath>

namespace sim
{

static const double rtcp_share = 0.05;

double
RtcpGroupSpec::C () const
{
  return packet_bytes / (rtcp_share * link_bps / 8);
}

double
RtcpGroupSpec::m () const
{
  return link_bps / 8 / packet_bytes;
}

unsigned
RtcpGroupSpec::members (unsigned heard) const
{
  return rfc3550 ? 1 + heard : std::max (heard, 1u);
}

/* An odd factor permutes 32 bits. */
uint32_t
rtcp_group_ssrc (uint32_t who)
{
  return who * 2654435761u;
}

RtpMembersParams
rtcp_group_table_params (uint64_t seed)
{
  RtpMembersParams params;

  rtp_members_params_init (&params);
  params.key[0] = seed * 0x9e3779b97f4a7c15;
  params.key[1] = ~params.key[0];
  params.min_named = 1; /* RFC 3550 6.2.1 */
  return params;
}

double
curve_at (const Curve &curve, double at_s)
{
  auto after = std::upper_bound (curve.begin (), curve.end (), std::make_pair (at_s, HUGE_VAL));

  return after == curve.begin () ? 0 : (after - 1)->second;
}

double
curve_reaches (const Curve &curve, double value)
{
  for (const auto &point : curve)
    if (point.second >= value)
      return point.first;
  return HUGE_VAL;
}

/* What has reached one receiver: the network's delay, then the downlink. */
class RtcpGroup::View
{
public:
  View (const RtcpGroupSpec &spec, uint32_t index, CcTime from)
      : spec (spec), index (index), from (from), service (cc_duration (1 / spec.m ()))
  {
    if (spec.table_capacity > 0)
      open_table ();
    else
      heard.resize (spec.users);
  }

  /* Brings the view up to `until`. Where bye_at is given it stops right after a BYE and returns true. */
  bool advance (const std::vector<Packet> &packets, CcTime until, CcTime *bye_at);

  Curve *trace = nullptr;
  unsigned count = 0, senders = 0; /* members heard of, and of those */
  uint64_t looked_at = 0;
  bool
  knows (uint32_t who) const
  {
    return heard.empty () ? rtp_members_state (&table, rtcp_group_ssrc (who)) == RTP_MEMBER_STATE_VALID : heard[who];
  }

private:
  struct Arrival {
    CcTime at;
    uint32_t packet;
    bool
    operator<(const Arrival &other) const
    {
      return at < other.at;
    }
  };
  CcDuration delay_of (uint32_t packet) const;
  void enter_network (const std::vector<Packet> &packets, std::vector<Arrival> *arrivals);
  void leave_network (const std::vector<Packet> &packets, CcTime until, bool deliver);
  void hear (const Packet &packet, CcTime at);
  void open_table ();
  void hear_in_table (const Packet &packet, CcTime at);

  const RtcpGroupSpec &spec;
  uint32_t index;
  CcTime from;
  std::vector<bool> heard;
  RtpMembers table; /* where heard is empty */
  std::vector<uint64_t> table_memory;
  CcDuration service;
  uint32_t next_packet = 0;
  std::vector<Arrival> network;
  std::deque<Arrival> downlink; /* at: when the last bit is through */
  CcTime link_free = 0;
};

/* Uniform over [0, 1), the same for the same packet and receiver (splitmix64's finaliser). */
static double
hash_uniform (uint64_t seed, uint32_t packet, uint32_t receiver)
{
  uint64_t z = ((uint64_t)packet << 32 | receiver) + seed * 0x9e3779b97f4a7c15;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

CcDuration
RtcpGroup::View::delay_of (uint32_t packet) const
{
  double u;

  if (spec.delay == RtcpGroupSpec::Delay::fixed)
    return cc_duration (spec.mean_delay_s);
  u = hash_uniform (spec.seed, packet, index);
  if (spec.delay == RtcpGroupSpec::Delay::uniform)
    return cc_duration (2 * spec.mean_delay_s * u);
  return cc_duration (-spec.mean_delay_s * log1p (-u));
}

/* Sent since the last look. Nobody's own packet comes back to him, save in the shared view. */
void
RtcpGroup::View::enter_network (const std::vector<Packet> &packets, std::vector<Arrival> *arrivals)
{
  for (; next_packet < packets.size (); next_packet++) {
    const Packet &packet = packets[next_packet];
    CcTime at = cc_time_add (packet.at, delay_of (next_packet));
    if ((spec.shared_view || packet.who != index) && at >= from)
      arrivals->push_back ({at, next_packet});
    looked_at++;
  }
}

/* Into the downlink, and with `deliver` out of it as far as time allows, which needs it to be drained up to `until`. */
void
RtcpGroup::View::leave_network (const std::vector<Packet> &packets, CcTime until, bool deliver)
{
  static std::vector<Arrival> arrivals; /* shared, as each view would keep the size of its fullest moment */

  arrivals.assign (network.begin (), network.end ());
  enter_network (packets, &arrivals);
  auto later =
      std::partition (arrivals.begin (), arrivals.end (), [until] (const Arrival &a) { return a.at <= until; });
  std::sort (arrivals.begin (), later);
  for (auto it = arrivals.begin (); it != later; ++it) {
    double backlog = cc_seconds (cc_time_since (link_free, it->at)) * spec.link_bps / 8;
    if (backlog + spec.packet_bytes > spec.buffer_bytes)
      continue;
    link_free = std::max (link_free, it->at) + service;
    if (deliver && link_free <= until)
      hear (packets[it->packet], link_free);
    else
      downlink.push_back ({link_free, it->packet});
  }
  network.assign (later, arrivals.end ());
}

void
RtcpGroup::View::open_table ()
{
  RtpMembersParams params = rtcp_group_table_params (spec.seed);

  table_memory.resize (rtp_members_memory (spec.table_capacity) / 8 + 1);
  rtp_members_init (&table, &params, table_memory.data (), spec.table_capacity, 0);
}

void
RtcpGroup::View::hear_in_table (const Packet &packet, CcTime at)
{
  double interval = std::max (5.0, spec.C () * count);

  rtp_members_set_timeouts (&table, cc_duration (5 * interval), cc_duration (2 * interval));
  if (packet.bye)
    rtp_members_on_bye (&table, rtcp_group_ssrc (packet.who), 0, at);
  else
    rtp_members_on_rtcp (&table, rtcp_group_ssrc (packet.who), true, 0, at);
  while (rtp_members_expire (&table, at, nullptr) != RTP_MEMBER_EVENT_NONE)
    ;
  count = rtp_members_members (&table);
}

void
RtcpGroup::View::hear (const Packet &packet, CcTime at)
{
  if (heard.empty ()) {
    hear_in_table (packet, at);
  } else {
    if (heard[packet.who] == !packet.bye)
      return;
    heard[packet.who] = !packet.bye;
    count += packet.bye ? -1 : 1;
    if (packet.who < spec.senders)
      senders += packet.bye ? -1 : 1;
  }
  if (trace)
    trace->push_back ({cc_seconds (at), spec.members (count - knows (0))});
}

bool
RtcpGroup::View::advance (const std::vector<Packet> &packets, CcTime until, CcTime *bye_at)
{
  if (bye_at)
    leave_network (packets, until, false);
  while (!downlink.empty () && downlink.front ().at <= until) {
    Arrival arrival = downlink.front ();
    downlink.pop_front ();
    hear (packets[arrival.packet], arrival.at);
    if (!bye_at || !packets[arrival.packet].bye)
      continue;
    *bye_at = arrival.at;
    return true;
  }
  if (!bye_at)
    leave_network (packets, until, true);
  return false;
}

RtcpGroup::RtcpGroup (const RtcpGroupSpec &group) : spec (group)
{
  unsigned count = spec.shared_view ? 1 : spec.users;

  views.reserve (count);
  for (unsigned i = 0; i < count; i++)
    views.push_back (std::make_unique<View> (spec, i, spec.joins_per_s > 0 ? cc_duration (i / spec.joins_per_s) : 0));
  views[0]->trace = &learning;
  learning.push_back ({0, 1});
  join_all ();
}

RtcpGroup::~RtcpGroup () = default;

void
RtcpGroup::join_all ()
{
  AvpfTimingParams params;

  avpf_timing_params_init (&params);
  params.rtcp_bw_Bps = rtcp_share * spec.link_bps / 8;
  if (spec.senders == 0)
    params.sender_share = 0; /* everyone is a listener and the whole bandwidth is theirs, as in the paper */
  params.avpf = false;
  params.group = true;
  params.initial_size = spec.packet_bytes;
  params.reconsideration = spec.mode;
  params.uncompensated = !spec.rfc3550;
  params.random = cc_pcg32_init (&pcg, spec.seed);
  timing.resize (spec.users);
  for (unsigned i = 0; i < spec.users; i++) {
    if (i == (unsigned)((1 - spec.plain) * spec.users))
      params.reconsideration = AVPF_RECONSIDER_NONE;
    avpf_timing_init (&timing[i], &params, spec.joins_per_s > 0 ? cc_duration (i / spec.joins_per_s) : 0);
  }
  reschedule_all ();
}

void
RtcpGroup::reschedule_all ()
{
  timers.clear ();
  for (unsigned i = 0; i < spec.users; i++)
    if (avpf_timing_next_timeout (&timing[i]) != CC_TIME_NONE)
      timers.push_back ({avpf_timing_next_timeout (&timing[i]), i});
  std::make_heap (timers.begin (), timers.end ());
}

void
RtcpGroup::push (uint32_t who)
{
  CcTime at = avpf_timing_next_timeout (&timing[who]);

  if (at == CC_TIME_NONE)
    return;
  timers.push_back ({at, who});
  std::push_heap (timers.begin (), timers.end ());
}

/* In the shared view the one that looks may be among those heard. */
unsigned
RtcpGroup::heard_by (uint32_t who, CcTime at)
{
  View &view = *views[spec.shared_view ? 0 : who];

  if (!spec.shared_view)
    view.advance (packets, at, nullptr);
  return view.count - view.knows (who);
}

/* Itself included. */
unsigned
RtcpGroup::senders_known_to (uint32_t who) const
{
  const View &view = *views[spec.shared_view ? 0 : who];

  return view.senders + (who < spec.senders && !view.knows (who));
}

void
RtcpGroup::tell_members (uint32_t who, CcTime at)
{
  AvpfTiming &t = timing[who];
  unsigned heard;

  if (t.membership == AVPF_LEAVING) {
    /* The same as that many calls of on_received_bye, as all packets have one size. */
    if (!spec.count_each_bye)
      t.members = 1 + byes_arrived;
    return;
  }
  heard = heard_by (who, at);
  if (!spec.reverse)
    t.members = t.pmembers = std::min (t.pmembers, spec.members (heard));
  avpf_timing_set_members (&t, spec.members (heard), senders_known_to (who), who < spec.senders, at);
  if (!spec.rfc3550 && heard == 1 && t.pmembers == 1)
    t.pmembers = 0;
}

void
RtcpGroup::fire (uint32_t who, CcTime at)
{
  AvpfVerdict verdict;

  events++;
  tell_members (who, at);
  verdict = avpf_timing_on_timeout (&timing[who], at);
  if (verdict != AVPF_NOTHING) {
    packets.push_back ({at, who, verdict == AVPF_SEND_BYE});
    avpf_timing_on_sent (&timing[who], verdict, spec.packet_bytes, at);
  }
  push (who);
}

void
RtcpGroup::move_timers (CcTime at)
{
  told = views[0]->count;
  for (unsigned i = 0; i < spec.users; i++)
    if (timing[i].membership == AVPF_MEMBER)
      tell_members (i, at);
  reschedule_all ();
}

void
RtcpGroup::bye_arrived (CcTime at)
{
  byes_arrived++;
  if (spec.count_each_bye)
    for (AvpfTiming &t : timing)
      if (t.membership == AVPF_LEAVING)
        avpf_timing_on_received_bye (&t, spec.packet_bytes);
  if (spec.reverse && views[0]->count <= (1 - spec.reverse_step) * told)
    move_timers (at);
}

/* True where a BYE came, which may have moved timers before `until`. */
bool
RtcpGroup::shared_arrivals (CcTime until)
{
  CcTime at;

  if (!spec.shared_view || !views[0]->advance (packets, until, &at))
    return false;
  bye_arrived (at);
  return true;
}

void
RtcpGroup::run_until (double end_s)
{
  CcTime end = cc_duration (end_s);

  while (!timers.empty () && timers.front ().at <= end) {
    Timer timer = timers.front ();
    if (shared_arrivals (timer.at))
      continue;
    std::pop_heap (timers.begin (), timers.end ());
    timers.pop_back ();
    fire (timer.who, timer.at);
  }
  while (shared_arrivals (end))
    ;
  views[0]->advance (packets, end, nullptr);
  now = end;
}

void
RtcpGroup::leave (unsigned leavers, bool back_off)
{
  byes_arrived = 0;
  told = views[0]->count;
  for (unsigned i = 0; i < leavers; i++) {
    tell_members (i, now);
    AvpfLeave how = avpf_timing_leave (&timing[i], spec.packet_bytes, now);
    if (how == AVPF_LEAVE_SILENTLY || (how == AVPF_LEAVE_BACKED_OFF && back_off))
      continue;
    packets.push_back ({now, i, true});
    avpf_timing_on_sent (&timing[i], AVPF_SEND_BYE, spec.packet_bytes, now);
  }
  reschedule_all ();
}

std::vector<double>
RtcpGroup::times_of (bool bye) const
{
  std::vector<double> times;

  for (const Packet &packet : packets)
    if (packet.bye == bye)
      times.push_back (cc_seconds (packet.at));
  return times;
}

std::vector<double>
RtcpGroup::reports () const
{
  return times_of (false);
}

std::vector<double>
RtcpGroup::byes () const
{
  return times_of (true);
}

const Curve &
RtcpGroup::learned () const
{
  return learning;
}

unsigned
RtcpGroup::members () const
{
  return views[0]->count;
}

uint64_t
RtcpGroup::timer_events () const
{
  return events;
}

uint64_t
RtcpGroup::deliveries () const
{
  uint64_t sum = 0;

  for (const auto &view : views)
    sum += view->looked_at;
  return sum;
}

const std::vector<RtcpGroup::Packet> &
RtcpGroup::sent () const
{
  return packets;
}

} // namespace sim
