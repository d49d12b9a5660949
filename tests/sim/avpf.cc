/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The timing rules of RFC 4585 under the simulations of RFC 4586, with the scheduler of this project: tables 1 to 8,
   section 4.2, and NEWPRED (table 9, figure 4); then TFRC feedback in a two-party call. The published figure stands
   beside ours.

     sim-avpf [--quick] [--table N] [--seed N] [--out DIR | --csv DIR] [--list] [NAME-PREFIX...]

   The RFC leaves parameters open. Those that its own figures give away:
   - Compound packets are 72 bytes (SR), 76 (RR with one block), 96 (SR with one block): table 1's AVP shares are these
     over 5 s, and 2.42/2.56 is 72/76. UDP and IP headers count, SDES takes 16 bytes.
   - The packet rate at 20 kb/s is a tenth of that at 2 Mb/s: table 3 counts 79 and 781 losses at one loss rate. The
     discarded feedback there fits about 40 packets/s: 64-byte and 640-byte IP packets, 2000 s.
   - Losses of table 2 are 1 %: AVP's shares grow by what NACKs take at that rate. Two senders share the session's
     bandwidth evenly: with half the losses each, 0.86 % follows.
   - Tables 5-8: T_rr near 0.5 s with five members, so 128 kb/s; the delay of the long links, taken from where
     suppression levels off at large l, about 80 ms; their capacity, 1.5 times the session's, from what Af does not
     send at small l. An agent near the sender is 5 ms away. Table 4 is of the same
     topology; 0.66-0.70 s of waiting where nothing is suppressed fits 128 kb/s too, and so little is discarded that
     max_feedback_delay must have been near 2 s. 2000 s and 650 losses.
   Chosen here: congestion means a link whose capacity is the media rate alone, with a queue of 20 packets, and
   senders who jitter by half a packet interval, or else drop tail would hit the same packets for ever; error rates and
   durations of section 4.2 as in group_session (). A loss is detected by the next packet that comes, and one
   that feedback is turned down for is never asked for again. Elsewhere max_feedback_delay is 1 s, as the RFC says of
   two parties; T_rr_interval is 0.

   What the scheduler does stricter than the letter (avpftiming.h) is shown beside the letter in table 2. */
#include "agenttree.h"
#include "avpfagent.h"
#include "avpfuses.h"
#include "scenario.h"
#include "series.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ns3/core-module.h>
#include <set>

using namespace sim;
using ns3::Ptr;

/* ---- sessions of NACK agents ---- */

struct Session {
  std::vector<TreeLink> links;
  double session_bps = 200e3, duration_s = 2000;
  unsigned packet_bytes = 500;
  std::set<unsigned> members, senders, avp; /* nodes; of members: those who send, those who use AVP */
  double dither_factor = 0.5, max_feedback_delay_s = 1;
  bool literal = false, unicast = false;
  double jitter = 0; /* of the sending times, in packet intervals */
  uint64_t seed = 1;
};

typedef std::vector<Ptr<NackAgent>> Agents; /* by node, null where the node does not take part */

static AvpfAgentConfig
agent_config (const Session &s, const AgentTree &tree, unsigned node)
{
  AvpfAgentConfig config;
  RtpTurnsParams &turns = config.settings.turns;

  config.settings = avpf_agent_settings (s.session_bps, s.unicast ? RTP_SESSION_UNICAST : RTP_SESSION_GROUP);
  turns.avpf = !s.avp.count (node);
  turns.dither_factor = s.dither_factor;
  turns.literal_early_slot = s.literal;
  /* An AVP agent appends what it has to its next report however late that is. */
  config.settings.max_feedback_delay = turns.avpf ? cc_duration (s.max_feedback_delay_s) : CC_TIME_NONE;
  config.ssrc = 0x1000 + node;
  config.media_bps = s.senders.count (node) ? s.session_bps / s.senders.size () : 0;
  config.packet_bytes = s.packet_bytes;
  config.destination = s.unicast ? tree.address (1 - node) : AgentTree::group ();
  config.jitter = s.jitter;
  config.seed = s.seed * 1000 + node;
  return config;
}

static Agents
run_session (const Session &s)
{
  AgentTree tree (s.links, s.seed * 100);
  Agents agents (tree.size ());

  for (unsigned node : s.members) {
    agents[node] = ns3::CreateObject<NackAgent> ();
    agents[node]->configure (agent_config (s, tree, node));
    tree.node (node)->AddApplication (agents[node]);
    agents[node]->SetStopTime (ns3::Seconds (s.duration_s));
  }
  ns3::Simulator::Stop (ns3::Seconds (s.duration_s));
  ns3::Simulator::Run ();
  return agents;
}

/* Of the session bandwidth, in percent, from the first instant on. */
static double
share (const Session &s, const Agents &agents, unsigned node)
{
  return 100 * agents[node]->rtcp_bytes () * 8 / s.duration_s / s.session_bps;
}

static double
total_share (const Session &s, const Agents &agents)
{
  double sum = 0;

  for (unsigned node : s.members)
    sum += share (s, agents, node);
  return sum;
}

/* PPP's 2 bytes are hit too. */
static double
byte_error_rate (double packet_loss, unsigned packet_bytes)
{
  return 1 - pow (1 - packet_loss, 1.0 / (packet_bytes + 2));
}

static double
capacity_for (double media_bps, unsigned packet_bytes)
{
  return media_bps * (packet_bytes + 2) / packet_bytes;
}

static std::set<unsigned>
first_nodes (unsigned n)
{
  std::set<unsigned> nodes;

  for (unsigned i = 0; i < n; i++)
    nodes.insert (i);
  return nodes;
}

static std::string
bandwidth_name (double bps)
{
  return bps >= 1e6 ? format ("%g Mb/s", bps / 1e6) : format ("%g kb/s", bps / 1e3);
}

/* ---- tables 1 and 2: RTCP's share, two parties ---- */

struct UnicastRow {
  double session_bps;
  unsigned senders, avp; /* how many of the two */
  double clean[3], lossy[3];
};

static const UnicastRow unicast_rows[] = {
    {2e6, 1, 0, {2.42, 2.56, 4.98}, {2.42, 2.56, 4.98}},
    {2e6, 2, 0, {2.49, 2.49, 4.98}, {2.49, 2.49, 4.98}},
    {2e6, 1, 1, {0.01, 2.49, 2.50}, {0.01, 2.49, 2.50}},
    {2e6, 2, 1, {0.01, 2.48, 2.49}, {0.01, 2.48, 2.49}},
    {2e6, 1, 2, {0.01, 0.01, 0.02}, {0.01, 0.02, 0.03}},
    {2e6, 2, 2, {0.01, 0.01, 0.02}, {0.01, 0.01, 0.02}},
    {200e3, 1, 0, {2.42, 2.56, 4.98}, {2.42, 2.56, 4.98}},
    {200e3, 2, 0, {2.49, 2.49, 4.98}, {2.50, 2.49, 4.99}},
    {200e3, 1, 1, {0.06, 2.49, 2.55}, {0.06, 2.50, 2.56}},
    {200e3, 2, 1, {0.08, 2.50, 2.58}, {0.08, 2.49, 2.57}},
    {200e3, 1, 2, {0.06, 0.06, 0.12}, {0.06, 0.07, 0.13}},
    {200e3, 2, 2, {0.08, 0.08, 0.16}, {0.09, 0.08, 0.17}},
    {20e3, 1, 0, {2.44, 2.54, 4.98}, {2.42, 2.57, 4.99}},
    {20e3, 2, 0, {2.50, 2.51, 5.01}, {2.52, 2.51, 5.03}},
    {20e3, 1, 1, {0.58, 2.48, 3.06}, {0.58, 2.54, 3.12}},
    {20e3, 2, 1, {0.77, 2.51, 3.28}, {0.83, 2.43, 3.26}},
    {20e3, 1, 2, {0.58, 0.61, 1.19}, {0.58, 0.73, 1.31}},
    {20e3, 2, 2, {0.77, 0.79, 1.58}, {0.86, 0.84, 1.70}},
};

static unsigned
unicast_packet_bytes (double session_bps)
{
  return session_bps > 1e6 ? 640 : session_bps > 100e3 ? 200 : 64;
}

static Session
unicast_session (double session_bps, double packet_loss)
{
  Session s;
  TreeLink link;

  s.session_bps = session_bps;
  s.packet_bytes = unicast_packet_bytes (session_bps);
  link.byte_error_rate = byte_error_rate (packet_loss, s.packet_bytes);
  s.links = agent_topology (2, link);
  s.members = first_nodes (2);
  s.senders = {0};
  s.unicast = true;
  return s;
}

/* An AVP agent's share: its report each T_min, plus NACKs of lambda losses/s where there are any, 16 bytes for the
   first and 4 at most for each further one. */
static double
avp_share (double report_bytes, double lambda, double session_bps)
{
  double n = 5 * lambda, nack = n > 0 ? 12 * (1 - exp (-n)) + 4 * n : 0;

  return 100 * (report_bytes + nack) * 8 / 5 / session_bps;
}

static void
check_unicast_share (
    Report &report, const UnicastRow &row, const Session &s, const Agents &agents, const std::string &name)
{
  bool lossy = s.links[0].byte_error_rate > 0;
  const double *published = lossy ? row.lossy : row.clean;
  double sum = total_share (s, agents);

  for (unsigned node : s.members) {
    double lambda =
        lossy && (row.senders == 2 || node == 1) ? 0.01 * s.session_bps / row.senders / (8 * s.packet_bytes) : 0;
    double bytes = row.senders == 2 ? 96 : node == 0 ? 72 : 76;
    double expected = s.avp.count (node) ? avp_share (bytes, lambda, s.session_bps) : 2.5;
    /* AVP sends duration / 5 s reports; four deviations of a sum of intervals uniform over +-1/2 about their mean. An
       AVPF agent gets half of the bandwidth times its own packet size over the mean of both, and one of them may carry
       16 bytes of NACK in each packet, 10 % of both sizes. */
    double slack = s.avp.count (node) ? 4 * 0.3 / sqrt (s.duration_s / 5) : lossy ? 0.12 : 0.05;
    report.check (name + format (": A%u", node + 1), share (s, agents, node), expected * (1 - slack),
        expected * (1 + slack), format ("%.2f", published[node]));
  }
  report.check (name + ": sum", sum, row.avp == 0 ? 4.9 : 0, 5.1, format ("%.2f", published[2]));
}

static void
run_unicast_shares (Report &report, bool lossy)
{
  bool quick = report.options ().quick;
  Csv csv (report.options (), lossy ? "avpf-table2" : "avpf-table1",
      "session_bps,senders,avp,a1,a2,sum,literal_sum,published_a1,published_a2,published_sum");
  unsigned run = lossy ? 40 : 0;

  for (const UnicastRow &row : unicast_rows) {
    Session s = unicast_session (row.session_bps, lossy ? 0.01 : 0);
    const double *published = lossy ? row.lossy : row.clean;
    if (quick && (row.senders == 1 || row.session_bps > 20e3))
      continue;
    s.duration_s = row.session_bps > 1e6 ? 500 : 2000;
    s.senders = first_nodes (row.senders);
    s.avp = first_nodes (row.avp);
    s.seed = seed_of (report, run++);
    std::string name = bandwidth_name (row.session_bps) +
                       format (", %u sender%s, ", row.senders, row.senders > 1 ? "s" : "") +
                       (row.avp == 0      ? "AVPF"
                           : row.avp == 1 ? "A1 AVP"
                                          : "AVP");
    Agents agents = run_session (s);
    check_unicast_share (report, row, s, agents, name);
    double literal = 0;
    if (lossy && row.avp == 0) {
      s.literal = true;
      literal = total_share (s, run_session (s));
      report.note (name + ": sum, early slot to the letter", literal);
      s.literal = false;
    }
    csv.row ({row.session_bps, (double)row.senders, (double)row.avp, share (s, agents, 0), share (s, agents, 1),
        total_share (s, agents), literal, published[0], published[1], published[2]});
  }
}

/* ---- section 4.2: RTCP's share, groups ---- */

enum Trouble { clean, errors, congestion, troubles };
static const char *const trouble_names[] = {"no loss", "byte errors", "congestion"};

struct GroupCase {
  unsigned agents;
  double session_bps;
  bool many_senders, mixed;
  Trouble trouble;
};

static Session
group_session (const GroupCase &c)
{
  Session s;
  TreeLink link;

  s.session_bps = c.session_bps;
  s.packet_bytes = c.session_bps > 1e6 ? 1000 : c.session_bps > 100e3 ? 500 : 250;
  s.duration_s = c.session_bps > 1e6 ? 60 : c.session_bps > 100e3 ? 400 : 4000;
  s.members = first_nodes (c.agents);
  s.senders = first_nodes (c.many_senders ? c.agents / 2 : 1);
  if (c.mixed)
    for (unsigned node = 1; node < c.agents; node += 2)
      s.avp.insert (node);
  if (c.trouble == errors)
    link.byte_error_rate = byte_error_rate (0.01, s.packet_bytes);
  s.links = agent_topology (c.agents, link);
  /* A2's link and what hangs on A3 carry the media just so; losses come in bursts, shared by those behind A2. */
  if (c.trouble == congestion) {
    s.jitter = 0.5;
    for (size_t i = 0; i < s.links.size (); i++)
      if (i == 0 || s.links[i].parent == 2) {
        s.links[i].bps = capacity_for (s.session_bps, s.packet_bytes);
        s.links[i].queue_packets = 20;
      }
  }
  return s;
}

static void
run_group_shares (Report &report)
{
  static const char *const published[] = {"max 5.06", "max 5.07", "max 5.09"};
  bool quick = report.options ().quick;
  Csv csv (report.options (), "avpf-multicast", "agents,session_bps,senders,mixed,trouble,share,lost,members");
  unsigned run = 100;

  for (int trouble = clean; trouble < troubles; trouble++) {
    double largest = 0, largest_mixed = 0, least = 100;
    for (unsigned agents : {4u, 8u, 16u})
      for (double bps : {2e6, 200e3, 20e3})
        for (int variant = 0; variant < 4; variant++) {
          GroupCase c = {agents, bps, variant & 1 ? true : false, variant & 2 ? true : false, (Trouble)trouble};
          Session s = group_session (c);
          s.seed = seed_of (report, run++);
          if (quick && (agents != 8 || bps > 20e3 || variant == 2))
            continue;
          if (quick)
            s.duration_s = 1500;
          Agents out = run_session (s);
          double sum = total_share (s, out), lost = 0, known = 1e9;
          for (unsigned node : s.members) {
            lost += out[node]->losses.size ();
            known = std::min<double> (known, out[node]->timing ().members);
          }
          csv.row (
              {(double)agents, bps, (double)s.senders.size (), (double)c.mixed, (double)trouble, sum, lost, known});
          (c.mixed ? largest_mixed : largest) = std::max (c.mixed ? largest_mixed : largest, sum);
          if (!c.mixed)
            least = std::min (least, sum);
        }
    std::string name = trouble_names[trouble];
    report.check (name + ": largest share, all AVPF", largest, 4.9, 5.1, published[trouble]);
    report.check (name + ": largest share, AVP and AVPF", largest_mixed, 0, 5.1, published[trouble]);
    report.check (name + ": least share, all AVPF", least, 4.7, 5.1);
  }
}

/* ---- table 3: waiting time, two parties ---- */

struct WaitingRow {
  double session_bps, packet_loss; /* packet_loss 0: congestion */
  unsigned sent[2], discarded[2];  /* AVP, AVPF */
  double waiting_s[2];
};

static const WaitingRow waiting_rows[] = {
    {2e6, 0.001, {781, 756}, {0, 0}, {2.604, 0.015}},
    {2e6, 0.01, {7480, 7548}, {0, 2}, {2.591, 0.006}},
    {2e6, 0, {25, 1741}, {0, 0}, {2.557, 0.001}},
    {20e3, 0.001, {79, 74}, {0, 2}, {2.472, 0.034}},
    {20e3, 0.01, {780, 709}, {0, 64}, {2.605, 0.163}},
    {20e3, 0, {780, 687}, {0, 70}, {2.590, 0.162}},
};

static void
run_waiting (Report &report)
{
  bool quick = report.options ().quick;
  Csv csv (report.options (), "avpf-table3",
      "session_bps,packet_loss,avpf,sent,discarded,waiting_s,published_sent,published_discarded,published_waiting_s");
  double waited[std::size (waiting_rows)] = {};
  unsigned run = 300;

  for (size_t i = 0; i < std::size (waiting_rows); i++)
    for (int avpf = 0; avpf < 2; avpf++) {
      const WaitingRow &row = waiting_rows[i];
      Session s = unicast_session (row.session_bps, row.packet_loss);
      s.seed = seed_of (report, run++);
      if (quick && row.session_bps > 20e3)
        continue;
      if (!avpf)
        s.avp = first_nodes (2);
      if (row.packet_loss == 0) {
        s.links[0].bps = capacity_for (s.session_bps, s.packet_bytes);
        s.links[0].queue_packets = 20;
        s.jitter = 0.5;
      }
      Ptr<NackAgent> a2 = run_session (s)[1];
      double sent = a2->count (NackAgent::sent), discarded = a2->count (NackAgent::discarded);
      std::string name = bandwidth_name (row.session_bps) +
                         (row.packet_loss > 0 ? format (", %g", row.packet_loss) : ", cong.") +
                         (avpf ? ", AVPF" : ", AVP");
      double mwt = a2->mean_waiting_s ();
      csv.row ({row.session_bps, row.packet_loss, (double)avpf, sent, discarded, mwt, (double)row.sent[avpf],
          (double)row.discarded[avpf], row.waiting_s[avpf]});
      report.note (name + ": sent", sent, format ("%u", row.sent[avpf]));
      report.note (name + ": discarded", discarded, format ("%u", row.discarded[avpf]));
      std::string published = format ("%.3f", row.waiting_s[avpf]);
      /* The rest of an interval T seen at random: E[T^2] / 2 E[T] = 2.5 s (1 + var), var < 0.1; four deviations
         (1.5 s each) of the mean of what was sent. */
      if (!avpf)
        report.check (name + ": mean waiting (s)", mwt, 2.5 - 6 / sqrt (sent), 2.75 + 6 / sqrt (sent), published);
      else
        report.check (name + ": mean waiting (s)", waited[i] = mwt, 0, row.session_bps > 1e6 ? 0.02 : 0.3, published);
      if (!avpf)
        report.check (name + ": discarded", discarded, 0, 0, "0");
    }
  if (!quick)
    report.check ("AVPF, 0.01: waiting at 20 kb/s / at 2 Mb/s", waited[4] / waited[1], 10, 1e9, "27");
  report.check ("AVPF, 20 kb/s: waiting at 0.01 / at 0.001", waited[4] / waited[3], 1.5, 100, "4.8");
}

/* ---- table 4: shared and distributed losses ---- */

/* Of the session bandwidth. A packet of media then comes 16 ms later than a NACK sent at the same time, so that whoever
   is behind such a link hears of a loss from those in front of it before it detects it: what A5 does not send in
   table 5. */
static const double narrow = 1.5;

/* A1 sends. Links to A2, A3 and A4 are fast and short; those behind A2 slow and narrow (mobile), behind A3 narrow,
   behind A4 fast. */
static std::vector<TreeLink>
t16_links (double session_bps)
{
  std::vector<TreeLink> links = agent_topology (16, TreeLink ());

  for (TreeLink &link : links) {
    if (link.parent == 1)
      link.delay_ms = 80;
    if (link.parent == 2)
      link.delay_ms = 20;
    if (link.parent == 1 || link.parent == 2)
      link.bps = narrow * session_bps;
  }
  return links;
}

struct LossRow {
  unsigned sent, suppressed, discarded;
  double waiting_s;
};

static const LossRow shared_rows[] = {
    {274, 351, 25, 0.267}, {231, 408, 11, 0.243}, {234, 407, 9, 0.235}, {223, 414, 13, 0.253}, {188, 443, 19, 0.235}};
static const LossRow distributed_rows[] = {
    {619, 2, 32, 0.663}, {587, 2, 32, 0.701}, {594, 6, 41, 0.658}, {596, 1, 32, 0.677}};

static Session
loss_session (bool shared)
{
  Session s;
  double packet_loss = 650 / (2000 * 32.0); /* 32 packets/s, 2000 s: 650 losses */

  s.session_bps = 128e3;
  s.max_feedback_delay_s = 2;
  s.links = t16_links (s.session_bps);
  s.members = first_nodes (16);
  s.senders = {0};
  for (size_t i = 0; i < s.links.size (); i++)
    if (shared ? i == 0 : s.links[i].parent == 1)
      s.links[i].byte_error_rate = byte_error_rate (packet_loss, s.packet_bytes);
  return s;
}

struct LossSums {
  double sent = 0, suppressed = 0, discarded = 0, waited = 0;
};

static LossSums
report_losses (Report &report, Csv &csv, bool shared, const Agents &agents)
{
  LossSums sums;

  for (unsigned node : {1u, 4u, 5u, 6u, 7u}) {
    if (!shared && node == 1)
      continue;
    const NackAgent &a = *agents[node];
    const LossRow &row = shared ? shared_rows[node == 1 ? 0 : node - 3] : distributed_rows[node - 4];
    double sent = a.count (NackAgent::sent), suppressed = a.count (NackAgent::suppressed);
    double discarded = a.count (NackAgent::discarded), mwt = a.mean_waiting_s ();
    std::string name = format ("%s, A%u: ", shared ? "shared" : "distributed", node + 1);
    report.note (name + "sent", sent, format ("%u", row.sent));
    report.note (name + "suppressed", suppressed, format ("%u", row.suppressed));
    report.note (name + "discarded", discarded, format ("%u", row.discarded));
    report.note (name + "mean waiting (s)", mwt, format ("%.3f", row.waiting_s));
    csv.row ({(double)shared, node + 1.0, sent, suppressed, discarded, mwt, (double)row.sent, (double)row.suppressed,
        (double)row.discarded, row.waiting_s});
    sums.sent += sent;
    sums.suppressed += suppressed;
    sums.discarded += discarded;
    sums.waited += sent * mwt;
  }
  return sums;
}

static void
run_suppression (Report &report)
{
  Csv csv (report.options (), "avpf-table4",
      "shared,agent,sent,suppressed,discarded,waiting_s,published_sent,published_suppressed,published_discarded,"
      "published_waiting_s");
  LossSums sums[2];

  for (int shared = 1; shared >= 0; shared--) {
    Session s = loss_session (shared);
    if (report.options ().quick)
      s.duration_s = 600;
    s.seed = seed_of (report, 400 + shared);
    Agents agents = run_session (s);
    sums[shared] = report_losses (report, csv, shared, agents);
    report.check (format ("%s: RTCP share (%%)", shared ? "shared" : "distributed"), total_share (s, agents), 4.8, 5.1,
        "<= 5.09");
  }
  const LossSums &one = sums[1], &each = sums[0];
  double all = one.sent + one.suppressed + one.discarded;
  report.check ("shared: suppressed of all detected", one.suppressed / all, 0.6, 1, "0.622");
  report.check ("distributed: suppressed of all detected",
      each.suppressed / (each.sent + each.suppressed + each.discarded), 0, 0.05, "0.004");
  report.check ("shared: reports per loss", one.sent / (all / 5), 1, 2, "1.8");
  report.check ("waiting, shared / distributed", one.waited / one.sent / (each.waited / each.sent), 0, 0.5, "0.37");
}

/* ---- tables 5 to 8: the dither factor l ---- */

static const double factors[] = {0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3, 4};
static const unsigned n_factors = std::size (factors);
static const double published_far[3][n_factors] = {
    {0.671, 0.582, 0.524, 0.523, 0.523, 0.506, 0.536, 0.526, 0.535, 0.522, 0.522},
    {0.051, 0.060, 0.114, 0.180, 0.204, 0.187, 0.213, 0.215, 0.216, 0.220, 0.220},
    {0.089, 0.210, 0.361, 0.370, 0.369, 0.372, 0.414, 0.424, 0.400, 0.405, 0.405}};
static const double published_near[3][n_factors] = {
    {0.056, 0.063, 0.116, 0.141, 0.179, 0.206, 0.193, 0.197, 0.207, 0.196, 0.196},
    {0.056, 0.055, 0.099, 0.141, 0.175, 0.176, 0.193, 0.204, 0.207, 0.203, 0.203},
    {0.090, 0.166, 0.255, 0.312, 0.352, 0.361, 0.337, 0.341, 0.368, 0.359, 0.359}};
static const double published_failure[3][n_factors] = {
    {0.273, 0.355, 0.364, 0.334, 0.298, 0.289, 0.274, 0.274, 0.258, 0.282, 0.282},
    {0.893, 0.885, 0.787, 0.679, 0.621, 0.637, 0.595, 0.580, 0.577, 0.577, 0.577},
    {0.822, 0.624, 0.385, 0.318, 0.279, 0.267, 0.249, 0.235, 0.233, 0.236, 0.236}};
static const double published_delay[3][n_factors] = {
    {0.124, 0.168, 0.243, 0.285, 0.329, 0.351, 0.361, 0.360, 0.367, 0.368, 0.368},
    {0.282, 0.266, 0.264, 0.286, 0.305, 0.329, 0.363, 0.387, 0.412, 0.507, 0.568},
    {0.210, 0.234, 0.284, 0.325, 0.350, 0.370, 0.388, 0.392, 0.400, 0.398, 0.398}};

struct Dither {
  double far, near, failure, delay_s, share;
};

/* Nodes A1, A2, A3, A5, A9, A6 of T-16; scenario 1..3. A2 takes part in the first only, A6 in the others. */
static Session
dither_session (unsigned scenario, double factor)
{
  static const unsigned parents[] = {0, 0, 1, 2, 1};
  Session s;

  s.session_bps = 128e3;
  s.max_feedback_delay_s = 2;
  s.links.resize (5);
  for (unsigned i = 0; i < 5; i++)
    s.links[i].parent = parents[i];
  s.links[2].delay_ms = scenario == 3 ? 20 : 80;
  s.links[4].delay_ms = scenario == 3 ? 40 : 80;
  s.links[2].bps = s.links[3].bps = s.links[4].bps = narrow * s.session_bps;
  s.links[3].delay_ms = 20;
  s.links[0].byte_error_rate = byte_error_rate (0.01, s.packet_bytes);
  s.members = scenario == 1 ? std::set<unsigned>{0, 1, 2, 3, 4} : std::set<unsigned>{0, 2, 3, 4, 5};
  s.senders = {0};
  s.dither_factor = factor;
  return s;
}

static double
not_sent (const NackAgent &a)
{
  double sent = a.count (NackAgent::sent), not_sent = a.count (NackAgent::suppressed) + a.count (NackAgent::discarded);

  return not_sent / std::max (1.0, sent + not_sent);
}

static Dither
run_dither (Session s, unsigned scenario)
{
  Agents agents = run_session (s);
  /* Scenario 2: A5 and A6 are equally far; the RFC does not say which is which. */
  const NackAgent &near = *agents[scenario == 1 ? 1 : 3], &far = *agents[scenario == 1 ? 3 : 5];
  Dither d = {not_sent (far), not_sent (near), 0, mean_of (agents[0]->report_delay_s), total_share (s, agents)};

  d.failure = 1 - d.far - d.near;
  return d;
}

/* The first scenario goes the other way: An is in front of Af, whose NACKs Af hears of before the loss, and the more so
   the sooner they leave. With a larger l Af sends more, so the suppression fails more often, up to the knee. Four
   deviations of a difference of two proportions near 1/2 and 1/3 among 640 losses. */
static void
check_upstream (Report &report, const std::vector<Dither> &d)
{
  static const double deviation = sqrt (2 * 0.25 / 640);
  double fall = d[0].far - d[2].far, whole = d[0].far - d[n_factors - 1].far;

  report.check ("scen. 1: Af not sent, l = 0.1 - l = 0.5", fall, 0.147 - 4 * deviation, 0.147 + 4 * deviation, "0.147");
  report.check ("scen. 1: part of that fall had at l = 0.5", fall / whole, 0.5, 1.6, "0.99");
  report.check ("scen. 1: failures l = 0.5 - l = 0.1", d[2].failure - d[0].failure, 0, 0.091 + 4 * deviation, "0.091");
}

static void
check_dither (Report &report, unsigned scenario, const std::vector<Dither> &d)
{
  std::string name = format ("scen. %u: ", scenario);
  /* Beyond l = 1, T_dither_max exceeds T_rr, nothing is early and l has no effect any more. */
  auto spread = [&] (double Dither::*member) {
    double low = 1e9, high = -1e9;
    for (size_t i = 5; i < n_factors; i++) {
      low = std::min (low, d[i].*member);
      high = std::max (high, d[i].*member);
    }
    return high - low;
  };

  const double *p = published_failure[scenario - 1];
  /* Six values of a proportion near 1/4 to 2/3 among 640 losses: 99.9 % of their ranges lie within 5.6 deviations. */
  if (!report.options ().quick)
    report.check (name + "failure rate, range over l = 1.25-4", spread (&Dither::failure), 0, 5.6 * 0.47 / sqrt (640),
        format ("%.3f", p[5] - p[8]));
  double gain = (d[0].failure - d[2].failure) / (d[0].failure - d[n_factors - 1].failure);
  std::string published_gain = format ("%.2f", (p[0] - p[2]) / (p[0] - p[n_factors - 1]));
  /* The knee: more than half of what a larger l can gain is had at l = 0.5, a tenth of the way. It takes a T_rr well
     above the delay between the two receivers, which scenario 3 has. */
  if (scenario == 3)
    report.check (name + "part of the gain had at l = 0.5", gain, 0.5, 1.2, published_gain);
  if (scenario == 2)
    report.check (name + "part of the gain had at l = 0.5", gain, 0.15, 1.2, published_gain);
  if (scenario == 1)
    check_upstream (report, d);
  if (scenario > 1)
    report.check (name + "failures l = 0.1 / l = 4", d[0].failure / d[n_factors - 1].failure, 1.25, 100,
        format ("%.2f", p[0] / p[n_factors - 1]));
  report.check (name + "report delay l = 4 / l = 0.5", d[n_factors - 1].delay_s / d[2].delay_s, 1, 4,
      format ("%.2f", published_delay[scenario - 1][n_factors - 1] / published_delay[scenario - 1][2]));
}

static void
run_dither_factors (Report &report)
{
  bool quick = report.options ().quick;
  Csv csv (report.options (), "avpf-table5",
      "scenario,l,far,near,failure,delay_s,share,published_far,published_near,published_failure,published_delay_s");
  unsigned run = 500;

  for (unsigned scenario = quick ? 3 : 1; scenario <= 3; scenario++) {
    std::vector<Dither> all (n_factors);
    double largest = 0;
    for (unsigned i = 0; i < n_factors; i++) {
      Session s = dither_session (scenario, factors[i]);
      s.seed = seed_of (report, run++);
      if (quick)
        s.duration_s = 600;
      if (quick && i != 0 && i != 2 && i != n_factors - 1)
        continue;
      Dither d = all[i] = run_dither (s, scenario);
      const double published[] = {published_far[scenario - 1][i], published_near[scenario - 1][i],
          published_failure[scenario - 1][i], published_delay[scenario - 1][i]};
      std::string name = format ("scen. %u, l = %.2f: ", scenario, factors[i]);
      const struct {
        const char *what;
        double ours;
      } cells[] = {{"not sent by Af (table 5)", d.far}, {"not sent by An (table 6)", d.near},
          {"failures (table 7)", d.failure}, {"report delay, s (table 8)", d.delay_s}};
      /* The RFC does not print delays, bandwidths and the limit of feedback's age. */
      for (size_t k = 0; k < std::size (cells); k++)
        report.target (name + cells[k].what, cells[k].ours, published[k] - 0.1, published[k] + 0.1, published[k] - 0.3,
            published[k] + 0.3, format ("%.3f", published[k]));
      csv.row ({(double)scenario, factors[i], d.far, d.near, d.failure, d.delay_s, d.share, published[0], published[1],
          published[2], published[3]});
      largest = std::max (largest, d.share);
    }
    check_dither (report, scenario, all);
    report.check (format ("scen. %u: largest RTCP share (%%)", scenario), largest, 4.8, 5.1, "<= 5.09");
  }
}

/* --table N, as the RFC counts, is the scenario that makes it. */
static std::string
scenario_of_table (const std::string &number)
{
  int n = atoi (number.c_str ());

  return n == 9 ? "figure4" : format ("table%d", n > 5 && n < 9 ? 5 : n);
}

int
main (int argc, char **argv)
{
  const std::vector<Scenario> scenarios = {
      {"table1", "RFC 4586 table 1: RTCP's share of the session bandwidth, two parties, no loss (%)", true,
          [] (Report &report) { run_unicast_shares (report, false); }},
      {"table2", "RFC 4586 table 2: RTCP's share of the session bandwidth, two parties, 1 % lost (%)", true,
          [] (Report &report) { run_unicast_shares (report, true); }},
      {"multicast", "RFC 4586 4.2: RTCP's share in groups of 4, 8 and 16 (%)", true, run_group_shares},
      {"table3", "RFC 4586 table 3: mean waiting time of feedback, two parties", true, run_waiting},
      {"table4", "RFC 4586 table 4: shared and distributed losses among 16", true, run_suppression},
      {"table5", "RFC 4586 tables 5-8: what the dither factor l does to suppression and delay", true,
          run_dither_factors},
      {"figure4", "RFC 4586 table 9, figure 4: waiting time of NEWPRED's feedback (ms)", true, run_newpred},
      {"few-losses", "RFC 4586 figure 4: 32 kb/s between 0.005 and 0.02 lost", false, run_few_losses},
      {"tfrc", "TFRC feedback in a two-party call at 1 Mb/s: often enough by AVPF timing", true, run_tfrc_feedback},
  };
  std::vector<std::string> words;
  std::vector<char *> args;

  for (int i = 0; i < argc; i++)
    if (!strcmp (argv[i], "--table") && i + 1 < argc)
      words.push_back (scenario_of_table (argv[++i]));
    else
      words.push_back (argv[i]);
  for (std::string &word : words)
    args.push_back (&word[0]);
  return run_scenarios (args.size (), args.data (), scenarios);
}
