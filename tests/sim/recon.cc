/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What happens when thousands to a million receivers join or leave at once? The figures of Rosenberg & Schulzrinne,
   "Timer Reconsideration for Enhanced RTP Scalability", with this project's scheduler, then what the paper leaves open:
   leaving at once, and a million members on one core.

   "paper" is the paper's form (T = R (1/2) max (T_min, C L), T_min 2.5 s at first, L counts the others), "RFC 3550" the
   standard's (the same divided by e - 3/2, L counts the participant too). All bandwidth is the receivers' in both.

   A published figure is one run of a random process, so it is compared with five of ours: it should lie in the
   interval that holds the next run with 99 %, mean +- 4.604 sd sqrt (6/5) (Student's t, 4 degrees of freedom). */
#include "rtcpgroup.h"
#include "scenario.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <sys/resource.h>

using namespace sim;

static const double alpha = 0.5, T_min = 2.5, compensation = 1.21828182845904523536;
static const unsigned runs = 5;

struct Form {
  const char *name;
  AvpfReconsideration mode;
  bool rfc3550;
};

static const Form none = {"none", AVPF_RECONSIDER_NONE, false};
static const Form conditional = {"conditional", AVPF_RECONSIDER_CONDITIONAL, false};
static const Form unconditional = {"unconditional", AVPF_RECONSIDER_UNCONDITIONAL, false};
static const Form standard = {"RFC 3550", AVPF_RECONSIDER_UNCONDITIONAL, true};

static RtcpGroupSpec
group_of (const Form &form, unsigned users, uint64_t seed)
{
  RtcpGroupSpec spec;

  spec.mode = form.mode;
  spec.rfc3550 = form.rfc3550;
  spec.users = users;
  spec.seed = seed;
  return spec;
}

static RtcpGroupSpec
uniform_group (const Form &form, unsigned users, uint64_t seed)
{
  RtcpGroupSpec spec = group_of (form, users, seed);

  spec.delay = RtcpGroupSpec::Delay::uniform;
  return spec;
}

static RtcpGroupSpec
shared_group (const Form &form, unsigned users, uint64_t seed)
{
  RtcpGroupSpec spec = group_of (form, users, seed);

  spec.shared_view = true;
  return spec;
}

/* Sent until the first second of silence. */
struct Burst {
  double packets = 0, from_s = 0, to_s = 0, next_s = HUGE_VAL;
};

static Burst
burst_of (const std::vector<double> &sent)
{
  Burst burst;
  size_t n = 0;

  while (n < sent.size () && (n == 0 || sent[n] - sent[n - 1] < 1))
    n++;
  burst.packets = n;
  if (n > 0) {
    burst.from_s = sent[0];
    burst.to_s = sent[n - 1];
  }
  if (n < sent.size ())
    burst.next_s = sent[n];
  return burst;
}

static double
count_between (const std::vector<double> &sent, double from_s, double to_s)
{
  return std::lower_bound (sent.begin (), sent.end (), to_s) - std::lower_bound (sent.begin (), sent.end (), from_s);
}

static double
rate_between (const std::vector<double> &sent, double from_s, double to_s)
{
  return count_between (sent, from_s, to_s) / (to_s - from_s);
}

static double
most_in_a_second (const std::vector<double> &sent)
{
  double most = 0;

  for (size_t i = 0, first = 0; i < sent.size (); i++) {
    while (sent[i] - sent[first] > 1)
      first++;
    most = std::max (most, (double)(i - first + 1));
  }
  return most;
}

static double
longest_pause (const std::vector<double> &sent)
{
  double longest = 0;

  for (size_t i = 1; i < sent.size (); i++)
    longest = std::max (longest, sent[i] - sent[i - 1]);
  return longest;
}

/* Of `runs` runs. */
struct Spread {
  double mean, sd, half; /* half: of the interval of prediction, 99 % */
};

static Spread
spread_of (const std::vector<double> &values)
{
  double n = values.size (), sum = 0, squares = 0;

  for (double v : values)
    sum += v;
  for (double v : values)
    squares += (v - sum / n) * (v - sum / n);
  double sd = sqrt (squares / (n - 1));
  return {sum / n, sd, 4.604 * sd * sqrt (1 + 1 / n)};
}

/* The mean of the runs beside a published run. */
static void
beside (Report &report, const std::string &what, const std::vector<double> &values, double published)
{
  Spread s = spread_of (values);

  report.check (
      what + format (" (sd %.3g)", s.sd), s.mean, published - s.half, published + s.half, format ("%g", published));
}

/* Points a hundredth of a decade apart are enough for any plot. */
static void
write_curve (Report &report, const std::string &name, const Curve &curve)
{
  Csv csv (report.options (), "recon-" + name, "time_s,value");
  double last_s = -1, last = -1;

  for (size_t i = 0; i < curve.size (); i++) {
    const auto &[at, value] = curve[i];
    if (i + 1 < curve.size () && at < 1.01 * last_s && fabs (value - last) < 0.01 * last)
      continue;
    csv.row ({at, value});
    last_s = at;
    last = value;
  }
}

static Curve
cumulative (const std::vector<double> &sent)
{
  Curve curve;

  for (size_t i = 0; i < sent.size (); i++)
    curve.push_back ({sent[i], i + 1});
  return curve;
}

/* Figures 1 and 2, their beginning: what the text gives in figures. */
static void
burst (Report &report)
{
  const unsigned users = 10000;
  struct {
    Form form;
    double packets, duration;
  } published[] = {{conditional, 197, 0.210}, {unconditional, 75, 0.327}, {standard, 0, 0}};

  if (!report.options ().quick) {
    RtcpGroup group (uniform_group (none, users, report.options ().seed));
    group.run_until (3.75);
    Burst b = burst_of (group.reports ());
    report.check ("none: packets", b.packets, users, users, "10000");
    report.check ("none: duration, s", b.to_s - b.from_s, 2.49, 2.5, "2.5");
    report.note ("none: times the rate wanted", b.packets / 2.5 * group.spec.C (), "almost 3000");
  }
  for (const auto &p : published) {
    std::vector<double> packets, duration;
    for (unsigned i = 0; i < runs; i++) {
      RtcpGroup group (uniform_group (p.form, users, report.options ().seed + i));
      group.run_until (6);
      Burst b = burst_of (group.reports ());
      packets.push_back (b.packets);
      duration.push_back (b.to_s - b.from_s);
    }
    if (p.packets > 0) {
      beside (report, format ("%s: packets", p.form.name), packets, p.packets);
      beside (report, format ("%s: duration, s", p.form.name), duration, p.duration);
      continue;
    }
    report.note (format ("%s: packets", p.form.name), spread_of (packets).mean);
    report.note (format ("%s: duration, s", p.form.name), spread_of (duration).mean);
  }
}

/* Section 3: "as more and more members of a group use the algorithm, the amount of congestion is lessened in
   proportion". */
static void
mixed_deployment (Report &report)
{
  const unsigned users = report.options ().quick ? 2000 : 10000;

  for (const Form &form : {conditional, unconditional, standard}) {
    for (double plain : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      RtcpGroupSpec spec = uniform_group (form, users, report.options ().seed);
      spec.plain = plain;
      RtcpGroup group (spec);
      group.run_until (6);
      double packets = count_between (group.reports (), 0, 3.75 + 0.01);
      std::string name =
          format ("%s, %g %% do not reconsider: packets in the first interval / members", form.name, 100 * plain);
      /* The others' burst, at most what all of them send in conditional mode (scenario burst). */
      report.check (name, packets / users, plain, plain + 0.035, format ("%.2f, in proportion", plain));
    }
  }
}

/* What section 5 leaves open: a member's reports become rare. Intervals and first reports, in units of N C. */
static void
reporting_delay (Report &report)
{
  const Form forms[] = {none, conditional, unconditional, standard};

  for (unsigned users : {500u, 2000u})
    for (const Form &form : forms) {
      if (report.options ().quick && users > 500)
        continue;
      RtcpGroupSpec spec = uniform_group (form, users, report.options ().seed);
      RtcpGroup group (spec);
      double NC = users * spec.C (), intervals = 0, sum = 0, last_first = 0;
      std::vector<double> last (users, -1);
      group.run_until (8 * NC);
      for (const RtcpGroup::Packet &packet : group.sent ()) {
        double at = cc_seconds (packet.at), before = last[packet.who];
        last_first = before < 0 ? std::max (last_first, at) : last_first;
        if (before > 2 * NC) {
          sum += at - before;
          intervals++;
        }
        last[packet.who] = at;
      }
      std::string name = format ("%s, %u members: ", form.name, users);
      bool longer = form.mode == AVPF_RECONSIDER_UNCONDITIONAL && !form.rfc3550;
      double expected = longer ? compensation : 1;
      report.check (name + "mean interval of a member / NC", sum / intervals / NC, 0.93 * expected, 1.07 * expected,
          longer ? "longer" : "1");
      report.note (name + "the same, s", sum / intervals, "grows with the members");
      report.check (name + "last first report / NC", last_first / NC, 0, 1 + alpha + 0.05, "<= 1 + alpha");
    }
}

/* s between two reports of a user of [first, last), of those long after all have joined. */
static double
mean_interval (const RtcpGroup &group, unsigned first, unsigned last, double from_s)
{
  std::vector<double> before (group.spec.users, -1);
  double sum = 0, intervals = 0;

  for (const RtcpGroup::Packet &packet : group.sent ()) {
    double at = cc_seconds (packet.at);
    if (packet.who < first || packet.who >= last)
      continue;
    if (before[packet.who] > from_s) {
      sum += at - before[packet.who];
      intervals++;
    }
    before[packet.who] = at;
  }
  return sum / intervals;
}

/* What the paper leaves out (section 2): senders beside the listeners. A quarter of the bandwidth is theirs, where they
   are no more than a quarter of the members (RFC 3550 6.2). */
static void
senders_beside_listeners (Report &report)
{
  for (unsigned users : {500u, 2000u})
    for (double part : {0.01, 0.1, 0.5}) {
      if (report.options ().quick && users > 500)
        continue;
      RtcpGroupSpec spec = uniform_group (standard, users, report.options ().seed);
      RtcpGroup listeners (spec);
      spec.senders = (unsigned)(part * users);
      RtcpGroup group (spec);
      double NC = users * spec.C (), share = part <= 0.25 ? 0.25 : part;
      listeners.run_until (10);
      group.run_until (10 * NC);
      double S = mean_interval (group, 0, spec.senders, 2 * NC);
      double L = mean_interval (group, spec.senders, users, 2 * NC);
      std::string name = format ("%u members, %g of them senders: ", users, part);
      double s = spec.senders * spec.C () / share, l = (users - spec.senders) * spec.C () / (1 - share);
      report.check (name + "interval of a sender / nominal", S / s, 0.93, 1.07, "1 (RFC 3550 6.2)");
      report.check (name + "of a listener / nominal", L / l, 0.93, 1.07, "1 (RFC 3550 6.2)");
      report.check (name + "all reports / nominal rate", (spec.senders / S + (users - spec.senders) / L) * spec.C (),
          0.93, 1.07, "1");
      report.check (name + "packets in the first 10 s / of listeners alone",
          count_between (group.reports (), 0, 10) / count_between (listeners.reports (), 0, 10), 0.6, 1.2,
          "no burst of their own");
    }
}

/* The paper's differential equation, section 4.1, with (6). Stiff at first, hence implicit steps; its right side falls
   with L, so that bisection finds each. */
static Curve
solve_ode (double N, double C, double end_s)
{
  Curve curve;
  double k = (1 - alpha) * C, d = C * (1 - alpha) / (2 - alpha), L = 1, t = 1;
  auto slope = [&] (double at, double l) {
    double P = (at - k * l) / (2 * alpha * C * l);
    return (N - l) / (d * l) * std::clamp (P, 0.0, 1.0);
  };

  while (t < end_s) {
    double h = 0.005 * t, low = L, high = N;
    t += h;
    for (int i = 0; i < 60; i++) {
      double mid = (low + high) / 2;
      (mid - L - h * slope (t, mid) < 0 ? low : high) = mid;
    }
    L = low;
    curve.push_back ({t, L});
  }
  return curve;
}

/* The same without the estimate of how many are scheduled, (6): what is put off at t is scheduled anew between t and
   (1 + a) C L, and is found there. */
static Curve
follow_put_off (double N, double C, double end_s)
{
  const double step_s = 0.2, T_min = 2.5;
  std::vector<double> change (size_t (3 * end_s / step_s) + 2);
  auto schedule = [&] (double from_s, double to_s, double packets) {
    size_t first = from_s / step_s + 1, last = std::max (first + 1, size_t (to_s / step_s) + 1);
    change[first] += packets / (last - first);
    change[last] -= packets / (last - first);
  };
  Curve curve;
  double L = 1, due = 0;

  schedule ((1 - alpha) * T_min, (1 + alpha) * T_min, N);
  for (size_t i = 0; i * step_s < end_s; i++) {
    double at = (i + 0.5) * step_s, T = std::max (T_min, C * L);
    double P = std::clamp ((at - (1 - alpha) * T) / (2 * alpha * T), 0.0, 1.0);
    due += change[i];
    L += due * P;
    if (P < 1)
      schedule (std::max (at, (1 - alpha) * T), (1 + alpha) * T, due * (1 - P));
    curve.push_back ({at, L});
  }
  return curve;
}

/* L - t/((1-a) C), most after from_s. */
static double
most_above_bound (const Curve &learned, double from_s, double bound_per_s)
{
  double most = -HUGE_VAL;

  for (const auto &[at, L] : learned)
    if (at > from_s)
      most = std::max (most, L - at * bound_per_s);
  return most;
}

/* unit: what divides intervals, and C with them. */
static void
check_after_burst (Report &report, const Form &form, const RtcpGroup &group, double unit)
{
  const double C = group.spec.C () / unit, N = group.spec.users, slope = 1 / ((1 - alpha) * C);
  std::vector<double> sent = group.reports ();
  Burst b = burst_of (sent);
  double start = (1 - alpha) * C * b.packets, from = 2 * start, to = std::max (N / 10 / slope, 2 * from);
  /* In flight: a few; in conditional mode also what is sent untested, as nothing has changed, until the first packet
     after the plateau has arrived: (13) with T_min = C L and the longest delay. */
  double flight = 5;
  if (form.mode == AVPF_RECONSIDER_CONDITIONAL)
    flight += N / (2 * alpha * C * b.packets) * (2 * group.spec.mean_delay_s + 1 / group.spec.m ());
  Curve ode = solve_ode (N, C, to);
  double expected = curve_at (ode, to) - curve_at (ode, from);

  /* Its first packet may be late by what a handful of packets takes at the new rate. */
  report.check (
      format ("%s: plateau ends, s", form.name), b.next_s, start - C, start + 5 * C, format ("%.4g, (21)", start));
  report.check (format ("%s: L - t/((1-a)C) after it, packets", form.name),
      most_above_bound (group.learned (), b.next_s, slope), -N, flight, "<= 0, (4)");
  /* As if each packet came by itself; they are more regular. */
  double deviation = 2.576 * sqrt (expected);
  report.check (format ("%s: packets/s from %.0f to %.0f s", form.name, from, to), rate_between (sent, from, to),
      (expected - deviation) / (to - from), (expected + deviation) / (to - from),
      format ("%.3g (6), %.3g (5)", expected / (to - from), slope));
  report.check (format ("%s: converged, s", form.name), curve_reaches (group.learned (), group.spec.members (N - 1)),
      N * C * (1 - alpha), N * C * (1 + alpha) + 1, format ("%.0f..%.0f", N * C * (1 - alpha), N * C * (1 + alpha)));
}

/* Figures 1 and 2 to the end. */
static void
step_join (Report &report)
{
  const unsigned users = report.options ().quick ? 2000 : 10000;
  const Form forms[] = {none, conditional, unconditional, standard};
  double C = RtcpGroupSpec ().C (), end = 4 * users * C;

  for (const Form &form : forms) {
    RtcpGroup group (uniform_group (form, users, report.options ().seed));
    /* Compensation shortens every interval; with reconsideration the mean is C L again. */
    double unit = form.rfc3550 ? compensation : 1, last;
    group.run_until (end);
    last = rate_between (group.reports (), end / 2, end) * C;
    write_curve (report, format ("step-learned-%s", form.name), group.learned ());
    write_curve (report, format ("step-sent-%s", form.name), cumulative (group.reports ()));
    if (form.mode == AVPF_RECONSIDER_NONE) {
      report.note ("none: packets in the first minute", count_between (group.reports (), 0, 60));
      report.note ("none: converged, s", curve_reaches (group.learned (), users - 1));
      report.check ("none: rate in the end x C", last, 0.97, 1.03, "1");
      continue;
    }
    check_after_burst (report, form, group, unit);
    if (form.mode == AVPF_RECONSIDER_CONDITIONAL)
      report.check ("conditional: rate in the end x C", last, 0.97, 1.03, "1");
    else if (form.rfc3550)
      report.check ("RFC 3550: rate in the end x C", last, 0.97, 1.03, "1");
    else
      report.check (
          "unconditional: rate in the end x C", last, 0.97 / compensation, 1.03 / compensation, "somewhat less than 1");
  }
}

/* Figure 3. */
static void
delay_distribution (Report &report)
{
  typedef RtcpGroupSpec::Delay Delay;
  const struct {
    const char *name;
    Delay delay;
  } kinds[] = {{"fixed", Delay::fixed}, {"exponential", Delay::exponential}, {"uniform", Delay::uniform}};
  Spread s[3];

  for (unsigned k = 0; k < 3; k++) {
    std::vector<double> packets;
    for (unsigned i = 0; i < runs; i++) {
      RtcpGroupSpec spec = group_of (conditional, 10000, report.options ().seed + i);
      spec.delay = kinds[k].delay;
      RtcpGroup group (spec);
      group.run_until (6);
      packets.push_back (burst_of (group.reports ()).packets);
      if (i == 0)
        write_curve (report, format ("delay-sent-%s", kinds[k].name), cumulative (group.reports ()));
    }
    s[k] = spread_of (packets);
    report.note (format ("%s, mean 300 ms: packets (sd %.3g)", kinds[k].name, s[k].sd), s[k].mean);
  }
  report.check ("exponential - uniform, packets", s[1].mean - s[2].mean, -std::max (s[1].half, s[2].half),
      std::max (s[1].half, s[2].half), "nearly identical");
  report.check ("fixed / uniform", s[0].mean / s[2].mean, 2, 20, "worse");
}

/* Means over the runs. */
struct Linear {
  double in_10_s = 0, most = 0, pause = 0;
};

static Linear
join_linearly (Report &report, const Form &form, double joins_per_s)
{
  Linear mean;

  for (unsigned i = 0; i < runs; i++) {
    RtcpGroupSpec spec = group_of (form, 2500, report.options ().seed + i);
    spec.joins_per_s = joins_per_s;
    RtcpGroup group (spec);
    group.run_until (i == 0 ? 1000 : 200);
    std::vector<double> sent = group.reports ();
    mean.in_10_s += count_between (sent, 0, 10) / runs;
    mean.most += most_in_a_second (sent) / runs;
    mean.pause += longest_pause (sent) / runs;
    if (i == 0)
      write_curve (report, format ("linear-sent-%s-%g", form.name, joins_per_s), cumulative (sent));
  }
  return mean;
}

/* Figures 4 and 5. */
static void
linear_join (Report &report)
{
  const double rates[] = {0, 5000, 2500, 500};
  const Form forms[] = {conditional, unconditional};
  Linear linear[2][4];

  for (unsigned f = 0; f < 2; f++)
    for (unsigned r = 0; r < 4; r++) {
      std::string name = std::string (forms[f].name) + (r ? format (", %g/s", rates[r]) : ", step");
      linear[f][r] = join_linearly (report, forms[f], rates[r]);
      report.note (name + ": packets in 10 s", linear[f][r].in_10_s);
      report.note (name + ": most in 1 s", linear[f][r].most);
      report.note (name + ": longest pause, s", linear[f][r].pause);
    }
  for (unsigned f = 0; f < 2; f++) {
    report.check (format ("%s: most in 1 s, 500/s / step", forms[f].name), linear[f][3].most / linear[f][0].most, 0,
        0.5, "eliminated");
    report.check (format ("%s: longest pause, 500/s / step", forms[f].name), linear[f][3].pause / linear[f][0].pause, 0,
        0.5, "eliminated");
  }
  /* At 500/s nothing is left that could differ. */
  for (unsigned r = 0; r < 3; r++)
    report.check (
        format ("most in 1 s, unconditional / conditional, %s", r ? format ("%g/s", rates[r]).c_str () : "step"),
        linear[1][r].most / linear[0][r].most, 0, 1, "below 1");
}

/* Figure 7. */
static void
learning_curve (Report &report)
{
  const unsigned users = report.options ().quick ? 5000 : 10000;
  RtcpGroupSpec spec = group_of (conditional, users, report.options ().seed);
  double NC = users * spec.C ();
  Curve ode = solve_ode (users, spec.C (), 1.5 * NC), followed = follow_put_off (users, spec.C (), 1.5 * NC);
  RtcpGroup group (spec);

  group.run_until (1.5 * NC);
  double plateau = burst_of (group.reports ()).next_s;
  auto most_off = [&] (const Curve &curve, double from_s, double to_s) {
    double most = 0;
    for (const auto &[at, L] : curve)
      if (at > from_s && at < to_s)
        most = std::max (most, fabs (curve_at (group.learned (), at) - L) / users);
    return most;
  };
  report.note ("plateau ends, s", plateau);
  report.check (
      "|simulated - solved| / N, most up to 0.3 NC", most_off (ode, plateau, 0.3 * NC), 0, 0.02, "extremely close");
  report.target ("the same, from there on", most_off (ode, 0.3 * NC, 1.5 * NC), 0, 0.05, 0, 0.08, "less accurate");
  report.check ("the same, where what is put off is followed", most_off (followed, 0.3 * NC, 1.5 * NC), 0, 0.02, "-");
  write_curve (report, "ode-simulated", group.learned ());
  write_curve (report, "ode-solved", ode);
  write_curve (report, "ode-followed", followed);
}

/* Equations 11 to 23, for T_min and C divided by the same in RFC 3550's form. */
struct Prediction {
  double t_stop, spike, refined, t_start;
  double late_s; /* the first packet's, after the first moment possible */
};

static Prediction
predict (const RtcpGroupSpec &spec)
{
  const double unit = spec.rfc3550 ? compensation : 1, T = T_min / unit, C = spec.C () / unit, D = spec.mean_delay_s;
  const double m = spec.m (), first = (1 - alpha) * T, N = spec.users, w = 2 * alpha * T;
  /* (10) and (11); a participant that counts itself is one packet ahead. */
  const double ahead = spec.rfc3550 ? (1 - alpha) * C : 0;
  const double over = (first + D - ahead) / ((1 - alpha) * C * m - 1) + D;
  Prediction p;

  p.t_stop = first + over;
  p.late_s = 0;
  p.spike = N / (2 * w * w) * over * over; /* (20) */
  if (spec.mode == AVPF_RECONSIDER_CONDITIONAL) {
    double before = D + 1 / m;
    p.spike = N / w * before + N / (2 * w * w) * (over * over - before * before); /* (13), (17), (18) */
    p.refined = p.spike;
  } else {
    /* Few send at first, the first one after w sqrt (pi / (2 N)) in the mean. And what is put off falls into the rest
       of the window: the rate scheduled grows as e^(t/w). (19) leaves both out. */
    p.late_s = w * sqrt (M_PI / (2 * N));
    double x = (over + p.late_s) / w;
    p.refined = N * ((x - 1) * exp (x) + 1);
  }
  p.t_start = (1 - alpha) * C * p.spike;
  return p;
}

/* Figures 8 and 9. */
static void
equations (Report &report)
{
  const unsigned users = 100000;

  for (const Form &form : {conditional, unconditional, standard}) {
    std::vector<double> packets, stop;
    RtcpGroupSpec spec = shared_group (form, users, report.options ().seed);
    Prediction p = predict (spec);
    for (unsigned i = 0; i < runs; i++) {
      spec.seed = report.options ().seed + i;
      RtcpGroup group (spec);
      group.run_until (6);
      Burst b = burst_of (group.reports ());
      packets.push_back (b.packets);
      stop.push_back (b.to_s);
      if (i == 0)
        write_curve (report, format ("equations-sent-%s", form.name), cumulative (group.reports ()));
    }
    Spread n = spread_of (packets);
    /* Packets arrive one service time apart, after the first was sent, an instant that
       varies by about its mean: the fluid model sees neither. */
    report.check (format ("%s: sending stops, s", form.name), spread_of (stop).mean, p.t_stop - 1 / spec.m (),
        p.t_stop + 1 / spec.m () + 2 * p.late_s, form.rfc3550 ? format ("%.4g, (11)", p.t_stop) : "1.72, (11)");
    report.target (format ("%s: packets (sd %.3g)", form.name, n.sd), n.mean, p.spike - n.half, p.spike + n.half,
        0.8 * p.spike, 1.25 * p.spike,
        format ("%.0f, (%d)", p.spike, form.mode == AVPF_RECONSIDER_CONDITIONAL ? 18 : 20));
    if (form.mode != AVPF_RECONSIDER_CONDITIONAL)
      report.check (format ("%s: with (19) refined", form.name), n.mean, p.refined - n.half, p.refined + n.half,
          format ("%.0f", p.refined));
  }
  if (report.options ().quick)
    return;
  for (double buffer : {100e3, HUGE_VAL}) {
    RtcpGroupSpec spec = shared_group (conditional, users, report.options ().seed);
    spec.buffer_bytes = buffer;
    RtcpGroup group (spec);
    group.run_until (20000);
    Burst b = burst_of (group.reports ());
    double start = (1 - alpha) * spec.C () * b.packets;
    if (std::isinf (buffer))
      report.check ("conditional, endless buffer: starts again, s", b.next_s, start - spec.C (), start + 5 * spec.C (),
          format ("%.0f, (21)", start));
    else
      report.note ("conditional, 100 kB buffer: starts again, s", b.next_s, "(21) without losses");
    write_curve (report, std::isinf (buffer) ? "equations-endless" : "equations-buffer", cumulative (group.reports ()));
  }
}

/* Of those who stay: the part that the others drop, silent for over 5 Td (6.3.5), and when the last one has reported
   after from_s, in Td. */
struct Silence {
  double dropped, all_back;
};

static Silence
silence_of (const RtcpGroup &group, unsigned leavers, double from_s, double Td_s)
{
  const double end = cc_seconds (group.sent ().back ().at);
  std::vector<double> last (group.spec.users), back (group.spec.users, end);
  Silence s = {0, 0};

  for (const RtcpGroup::Packet &packet : group.sent ()) {
    double at = cc_seconds (packet.at);
    if (packet.bye || packet.who < leavers || back[packet.who] < end)
      continue;
    (at < from_s ? last : back)[packet.who] = at;
  }
  for (unsigned i = leavers; i < group.spec.users; i++) {
    s.dropped += (back[i] - last[i] > 5 * Td_s) / (double)(group.spec.users - leavers);
    s.all_back = std::max (s.all_back, (back[i] - from_s) / Td_s);
  }
  return s;
}

struct Departure {
  double at_s, peak, burst, last_s, rate;
};

/* `leavers` of a group that has known itself for long. */
static Departure
depart (RtcpGroup &group, unsigned leavers, bool back_off)
{
  double NC = group.spec.users * group.spec.C ();
  Departure d;

  d.at_s = 2 * NC;
  group.run_until (d.at_s);
  group.leave (leavers, back_off);
  group.run_until (d.at_s + 2 * NC);
  std::vector<double> byes = group.byes ();
  Burst b = burst_of (byes);
  d.peak = most_in_a_second (byes);
  d.burst = b.packets;
  d.last_s = byes.back () - d.at_s;
  d.rate = std::isinf (b.next_s) ? 0 : count_between (byes, b.next_s, 1e9) / (byes.back () - b.next_s);
  return d;
}

static std::vector<double>
bursts_of (unsigned users, unsigned leavers, uint64_t seed)
{
  std::vector<double> bursts;

  for (unsigned i = 0; i < runs; i++) {
    RtcpGroupSpec spec = shared_group (standard, users, seed + i);
    spec.reverse_step = 0.01;
    RtcpGroup group (spec);
    group.run_until (2 * users * spec.C ());
    group.leave (leavers, true);
    group.run_until (2 * users * spec.C () + 10);
    bursts.push_back (group.byes ().size ());
  }
  return bursts;
}

static void
leave_with (Report &report, unsigned users, double part, bool back_off)
{
  RtcpGroupSpec spec = shared_group (standard, users, report.options ().seed);
  unsigned leavers = lround (part * users);
  std::string name = format ("%g %% leave, %s", 100 * part, back_off ? "back-off" : "none");
  RtcpGroup group (spec);
  Departure d = depart (group, leavers, back_off);

  write_curve (report, format ("leave-byes-%g-%s", 100 * part, back_off ? "backoff" : "none"), [&] {
    Curve curve = cumulative (group.byes ());
    for (auto &point : curve)
      point.first -= d.at_s;
    return curve;
  }());
  report.check (name + ": BYEs in all", group.byes ().size (), leavers, leavers);
  if (!back_off) {
    report.check (name + ": most in 1 s", d.peak, leavers, leavers);
    report.note (name + ": members still counted", group.members ());
    return;
  }
  spec.users = leavers;
  beside (report, name + ": burst of BYEs", bursts_of (users, leavers, report.options ().seed),
      round (predict (spec).refined));
  report.check (name + ": rate after it x C", d.rate * spec.C (), 0, compensation / (1 - alpha), "< 2.44, (5)");
  report.check (name + ": last BYE / leavers C", d.last_s / (leavers * spec.C ()), (1 - alpha) / compensation,
      (1 + alpha) / compensation + 0.05, "0.41..1.23");
  report.check (name + ": members still counted", group.members (), users - leavers, users - leavers);
}

/* Nine of ten leave; downlinks that lose nothing let all hear of it in minutes. How soon do the others' reports follow?
 */
static void
follow (Report &report, unsigned users, bool reverse, double step)
{
  RtcpGroupSpec spec = shared_group (standard, users, report.options ().seed);
  unsigned leavers = users / 10 * 9;
  double interval = (users - leavers) * spec.C (), known;

  spec.buffer_bytes = HUGE_VAL;
  spec.reverse = reverse;
  spec.reverse_step = step;
  RtcpGroup group (spec);
  Departure d = depart (group, leavers, false);
  known = d.at_s + leavers / spec.m () + spec.mean_delay_s;
  std::vector<double> sent = group.reports ();
  Silence silence = silence_of (group, leavers, known, interval);
  std::string name = !reverse ? "without" : step > 0 ? format ("in steps of %g %%", 100 * step) : "with";
  double rate = rate_between (sent, known, known + 2 * interval) * spec.C ();

  write_curve (report, format ("leave-reports-%s", reverse ? "reverse" : "without"), [&] {
    Curve curve;
    for (double at = d.at_s - 3 * interval; at < d.at_s + 6 * interval; at += interval / 10)
      curve.push_back ({at - d.at_s, rate_between (sent, at - interval / 10, at) * spec.C ()});
    return curve;
  }());
  report.note (name + " reverse: part silent for over 5 Td", silence.dropped);
  if (reverse) {
    report.check (name + " reverse: report rate x C, next 2 Td", rate, 0.9, 1.1);
    /* An interval's longest, and what reconsideration adds. */
    report.check (name + " reverse: all have reported within, Td", silence.all_back, 0, 1.5);
    return;
  }
  report.note (name + " reverse: report rate x C, next 2 Td", rate);
  report.check (name + " reverse: all have reported within, Td", silence.all_back, 3, 20);
}

/* What the paper leaves open: leaving at once. */
static void
leave (Report &report)
{
  bool quick = report.options ().quick;
  unsigned users = quick ? 2000 : 10000;

  for (double part : {0.5, 1.0})
    for (bool back_off : {false, true})
      leave_with (report, users, part, back_off);
  follow (report, quick ? 1000 : users, true, 0);
  follow (report, quick ? 1000 : users, true, 0.01);
  follow (report, quick ? 1000 : users, false, 0);
}

/* One shared view, or one's own for each; a BYE at a time, or their sum: the short cuts change nothing. */
static void
short_cuts (Report &report)
{
  std::vector<double> own, shared;
  double C = RtcpGroupSpec ().C ();

  for (unsigned i = 0; i < runs; i++) {
    RtcpGroup a (group_of (unconditional, 10000, report.options ().seed + i));
    RtcpGroup b (shared_group (unconditional, 10000, report.options ().seed + i));
    a.run_until (6);
    b.run_until (6);
    own.push_back (burst_of (a.reports ()).packets);
    shared.push_back (burst_of (b.reports ()).packets);
  }
  report.check ("fixed delay: burst, shared / own views", spread_of (shared).mean / spread_of (own).mean,
      1 - spread_of (own).half / spread_of (own).mean, 1 + spread_of (own).half / spread_of (own).mean, "1");
  RtcpGroupSpec spec = shared_group (standard, 1000, report.options ().seed);
  std::vector<double> byes[2];
  for (bool each : {false, true}) {
    spec.count_each_bye = each;
    RtcpGroup group (spec);
    group.run_until (2 * 1000 * C);
    group.leave (500, true);
    group.run_until (4 * 1000 * C);
    byes[each] = group.byes ();
  }
  report.check ("BYEs summed or one by one: the same times", byes[0] == byes[1], 1, 1, "1");
}

/* Of the process, since made. */
class Cost
{
public:
  double
  wall_s () const
  {
    return std::chrono::duration<double> (std::chrono::steady_clock::now () - began).count ();
  }
  double
  cpu_s () const
  {
    return used_s () - used;
  }
  static double
  peak_MB ()
  {
    return usage ().ru_maxrss / 1024.0;
  }

private:
  static struct rusage
  usage ()
  {
    struct rusage u;
    getrusage (RUSAGE_SELF, &u);
    return u;
  }
  static double
  used_s ()
  {
    struct rusage u = usage ();
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
  }
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now ();
  double used = used_s ();
};

/* The fewest places for so many members: newcomers keep a sixteenth. */
static uint32_t
places_for (unsigned users)
{
  uint32_t places = users;

  while (places - places / 16 < users)
    places++;
  return places;
}

/* On one core, with one shared view (fixed delay), a real table. Half of all leave once all know all. */
static void
million (Report &report)
{
  const unsigned users = report.options ().quick ? 20000 : 1000000;
  const unsigned leavers = users / 2;
  RtcpGroupSpec spec = shared_group (standard, users, report.options ().seed);
  double NC = users * spec.C (), C = spec.C () / compensation;
  Cost cost;

  spec.reverse_step = 0.01;
  spec.table_capacity = places_for (users);
  RtcpGroup group (spec);
  group.run_until (2 * NC);
  double joined_s = cost.cpu_s ();
  Burst b = burst_of (group.reports ());
  report.note ("members", users);
  report.note ("step join: packets in the burst", b.packets, format ("%.0f, (19)", predict (spec).refined));
  /* A downlink's buffer loses most of the burst; those whose packet was lost are heard of later. */
  report.check ("step join: converged / NC'", curve_reaches (group.learned (), users) / (users * C), 1 - alpha,
      1 + alpha + 0.05, "0.5..1.5");
  report.check (
      "step join: rate in the end x C", rate_between (group.reports (), 1.5 * NC, 2 * NC) * spec.C (), 0.97, 1.03, "1");
  write_curve (report, "million-learned", group.learned ());
  group.leave (leavers, true);
  group.run_until (3.5 * NC);
  std::vector<double> byes = group.byes ();
  spec.users = leavers;
  report.note ("half leave: BYEs in the burst", burst_of (byes).packets, format ("%.0f, (19)", predict (spec).refined));
  report.check ("half leave: last BYE / leavers C'", (byes.back () - 2 * NC) / (leavers * C), 1 - alpha,
      1 + alpha + 0.05, "0.5..1.5");
  report.note ("half leave: members known after 1.5 NC", group.members ());
  /* Those whose BYE the downlink lost go by timeout, 5 Td after their last report. */
  group.run_until (6 * NC);
  report.check ("half leave: members in the end", group.members (), users - leavers, users - leavers);
  write_curve (report, "million-leave", group.learned ());
  report.note ("simulated days", 6 * NC / 86400);
  report.note ("timer events, millions", group.timer_events () / 1e6);
  report.note ("bytes of a scheduler", sizeof (AvpfTiming));
  report.note ("bytes of the table a member", (double)rtp_members_memory (spec.table_capacity) / users);
  report.check ("processor time of the join, s", joined_s, 0, 300, "minutes");
  report.check ("processor time of all, s", cost.cpu_s (), 0, 300, "minutes");
  report.note ("wall time of all, s", cost.wall_s ());
  report.check ("peak memory of the process so far, MB", Cost::peak_MB (), 0, 1024);
}

static void
table_of (Report &report, unsigned users, uint32_t capacity, bool exact)
{
  size_t bytes = rtp_members_memory (capacity);
  std::vector<uint64_t> memory (bytes / 8 + 1);
  RtpMembersParams params = rtcp_group_table_params (report.options ().seed);
  RtpMembers m;
  double ns[2], estimate, deviation;
  std::string name = format ("%u places", capacity);

  rtp_members_init (&m, &params, memory.data (), capacity, 0);
  rtp_members_set_timeouts (&m, CC_TIME_NONE / 4, CC_TIME_NONE / 4);
  for (unsigned pass = 0; pass < 2; pass++) {
    Cost cost;
    for (unsigned i = 0; i < users; i++)
      rtp_members_on_rtcp (&m, rtcp_group_ssrc (i), true, 0, CC_SECOND * (1 + pass) + i);
    ns[pass] = cost.cpu_s () / users * 1e9;
  }
  estimate = rtp_members_members (&m);
  deviation = 4 / sqrt (rtp_members_in_table (&m));
  report.note (name + format (": ns a packet, new / known %.0f", ns[1]), ns[0]);
  report.target (name + ": bytes / member", (double)bytes / users, 0, RTP_MEMBERS_BYTES, 0, 80);
  if (exact)
    report.check (name + ": members", estimate, users, users, format ("%u", users));
  else
    report.check (name + format (": estimate / members, %u kept", rtp_members_in_table (&m)), estimate / users,
        1 - deviation, 1 + deviation, "1");
}

/* RFC 2762: a million through a real table, and a step join whose L such a table estimates. */
static void
table (Report &report)
{
  const unsigned users = report.options ().quick ? 20000 : 1000000;

  table_of (report, users, places_for (users), true);
  for (uint32_t places : {65536u, 16384u, 4096u})
    if (places < users)
      table_of (report, users, places, false);
  RtcpGroupSpec spec = shared_group (standard, users, report.options ().seed);
  spec.table_capacity = report.options ().quick ? 4096 : 16384;
  double NC = users * spec.C (), deviation = 4 / sqrt (spec.table_capacity / 2.0);
  Cost join;
  RtcpGroup group (spec);
  group.run_until (2 * NC);
  write_curve (report, "table-learned", group.learned ());
  std::string name = format ("step join, table of %u", spec.table_capacity);
  report.check (name + ": estimate / members", (double)group.members () / users, 1 - deviation, 1 + deviation, "1");
  report.check (name + ": rate in the end x C", rate_between (group.reports (), 1.5 * NC, 2 * NC) * spec.C (),
      0.97 - deviation, 1.03 + deviation, "1");
  report.note (name + ": processor time, s", join.cpu_s ());
}

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv,
      {
          {"burst", "figures 1 and 2: the burst of a step join of 10 000, delay 0-600 ms", true, burst},
          {"step", "figures 1 and 2: plateau, slope, bound, convergence and the rate in the end", true, step_join},
          {"mixed", "section 3: only some members reconsider", true, mixed_deployment},
          {"interval", "section 5: how rare a member's reports become", true, reporting_delay},
          {"senders", "senders beside the listeners, left out in the paper (RFC 3550 6.2)", true,
              senders_beside_listeners},
          {"delay", "figure 3: a fixed delay is the worst", true, delay_distribution},
          {"linear", "figures 4 and 5: 2500 that join one after another make no burst", true, linear_join},
          {"ode", "figure 7: the learning curve is the differential equation's", true, learning_curve},
          {"equations", "figures 8 and 9: 100 000, fixed 300 ms, against equations 11 to 23", true, equations},
          {"leave", "many leave at once: BYE back-off and reverse reconsideration (RFC 3550)", true, leave},
          {"short-cuts", "the simulation's short cuts change nothing", true, short_cuts},
          {"million", "a million join at once, half of them leave at once; one core", true, million},
          {"table", "a million in a table of at most 64 bytes each, or a sample of them (RFC 2762)", true, table},
      });
}
