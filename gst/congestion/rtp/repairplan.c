/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "repairplan.h"

#include <math.h>

#define FRAME_GAIN (1.0 / 16) /* a frame's part in n, and in how far apart they are */
#define LONGEST_INTERVAL 1.0  /* s */
#define MOST_ASKS 64.0        /* requests remembered for q */
#define PRIOR_ASKS 8.0        /* until so many were made, an answer is believed to be lost as any packet is */
#define BASE_DRIFT 1e-3       /* s/s that the least lateness is forgotten by: clocks differ by less */
#define REORDER_MEMORY (60 * CC_SECOND)
#define REORDER_TIME (20 * CC_MSECOND)
#define ANSWER_LIFE (5 * CC_SECOND) /* that an answer tells of the next one */
#define DEVIATIONS 2.0 /* later is lost: asked for in vain is a packet too much, too late a picture that stands */
#define SIGMA 1.2533
#define SENDER_TIME 0.010             /* s: what an answer waits for its turn, until one was measured */
#define COPY_SPACING 0.020            /* s at least: packets of 1200 bytes at 1 Mb/s are 10 ms apart */
#define PACKET_TIME 0.008             /* s that a packet of a burst stands for: 1200 bytes at 1.2 Mb/s */
#define HOLD (30 * CC_SECOND)         /* a shorter wait pays only where it lasts: each change moves the picture */
#define HOPELESS_HOLD (2 * CC_SECOND) /* what cannot come at all is not waited for */
#define NEED_GAIN (1.0 / 64)          /* a packet's part: deviations peak for less than a second, and a wait stays */
#define STEP (20 * CC_MSECOND)        /* of the wait: changes that nobody sees cost a new latency of the pipeline */
#define FALL 0.85                     /* of the wait, at most, for a fall to be worth it */
#define CERTAIN 0.95                  /* q is never believed to be more */

void
repair_plan_params_init (RepairPlanParams *params)
{
  *params = (RepairPlanParams){.least = 100 * CC_MSECOND,
      .most = 400 * CC_MSECOND,
      .tolerable = 0.001,
      .patience = 150 * CC_MSECOND,
      .max_rounds = 4,
      .clock_rate = 90000};
}

void
repair_plan_init (RepairPlan *r, const RepairPlanParams *params)
{
  *r = (RepairPlan){.params = *params,
      .frame_packets = 1,
      .reordered_at = CC_TIME_NONE,
      .copies = 1,
      .failing = 1,
      .wait = params->least};
  recent_loss_init (&r->all);
  recent_loss_init (&r->own);
  if (r->params.clock_rate == 0)
    r->params.clock_rate = 90000;
}

void
repair_plan_set_limits (RepairPlan *r, CcDuration least, CcDuration most)
{
  r->params.least = least;
  r->params.most = most > least ? most : least;
  if (r->wait < r->params.least)
    r->wait = r->params.least;
  if (r->wait > r->params.most)
    r->wait = r->params.most;
}

void
repair_plan_set_rtt (RepairPlan *r, CcDuration rtt)
{
  r->rtt = rtt;
}

void
repair_plan_set_redundancy (RepairPlan *r, double failing, CcDuration wait, CcDuration grace)
{
  r->failing = failing;
  r->redundancy_wait = wait;
  r->grace = grace;
}

static void
note_span (RepairSpan *s, double value)
{
  if (!s->any) {
    *s = (RepairSpan){.any = true, .mean = value, .deviation = value / 8};
    return;
  }
  s->deviation += (fabs (value - s->mean) - s->deviation) / 4;
  s->mean += (value - s->mean) / 8;
}

/* ---- the stream ---- */

/* A packet that is later than the one before by more than is ever waited for: the sender paused while its RTP time
   stood, or that began anew, or wrapped unseen. Players begin anew, too; where it was the path that held all up, the
   packets behind bring the base back. */
static void
begin_another_time (RepairPlan *r, double transit)
{
  if (transit - r->base - r->late > cc_seconds (r->params.most))
    r->base = transit;
}

static void
note_lateness (RepairPlan *r, uint32_t rtp_time, CcTime now)
{
  uint32_t ahead = rtp_time - r->frame;
  double transit = cc_seconds (now) - (double)(int32_t)ahead / r->params.clock_rate;

  /* the base is kept in the time of the frame at hand, so that RTP time may wrap */
  r->base += BASE_DRIFT * cc_seconds (cc_time_since (now, r->last_at));
  if (transit < r->base)
    r->base = transit;
  begin_another_time (r, transit);
  r->late = transit - r->base;
  note_span (&r->lateness, r->late);
  r->base += (double)(int32_t)ahead / r->params.clock_rate;
  r->last_at = now;
}

static void
note_interval (RepairPlan *r, uint32_t rtp_time)
{
  double interval = fabs ((double)(int32_t)(rtp_time - r->frame)) / r->params.clock_rate;

  if (interval < LONGEST_INTERVAL)
    r->interval = r->interval > 0 ? r->interval + FRAME_GAIN * (interval - r->interval) : interval;
}

static void
note_frame (RepairPlan *r, uint32_t rtp_time, unsigned packets)
{
  if (rtp_time != r->frame) {
    note_interval (r, rtp_time);
    r->frame_packets += FRAME_GAIN * (r->in_frame - r->frame_packets);
    r->in_frame = 0;
    r->frame = rtp_time;
  }
  r->in_frame += packets;
}

/* What is seen behind a pause or an outage does not tell when gaps are. */
static void
note_revealed (RepairPlan *r, CcTime now)
{
  double after = cc_seconds (cc_time_since (now, r->last_at));

  if (after < LONGEST_INTERVAL)
    note_span (&r->reveal, after);
}

/* It was no loss. */
static void
note_overtaken (RepairPlan *r, uint32_t by, bool queued, CcTime now)
{
  recent_loss_take_back (&r->all);
  if (!queued)
    recent_loss_take_back (&r->own);
  if (r->reordered_at == CC_TIME_NONE || cc_time_since (now, r->reordered_at) > REORDER_MEMORY || by > r->reordered)
    r->reordered = by;
  r->reordered_at = now;
}

void
repair_plan_on_packet (RepairPlan *r, uint32_t seq, uint32_t rtp_time, bool queued, CcTime now)
{
  uint32_t ahead = seq - r->highest;

  if (!r->started || (ahead > NACK_REQUEST_MAX_MISSING && -ahead > NACK_REQUEST_MAX_MISSING)) {
    r->started = true;
    r->highest = seq;
    r->frame = rtp_time;
    r->base = cc_seconds (now);
    r->late = 0;
    r->last_at = now;
    r->in_frame = 1;
    return;
  }
  if (ahead == 0)
    return;
  if (ahead > NACK_REQUEST_MAX_MISSING) {
    note_overtaken (r, -ahead, queued, now);
    return;
  }
  recent_loss_on_packet (&r->all, ahead - 1);
  if (!queued)
    recent_loss_on_packet (&r->own, ahead - 1);
  if (ahead > 1)
    note_revealed (r, now);
  note_lateness (r, rtp_time, now);
  note_frame (r, rtp_time, ahead);
  r->highest = seq;
}

/* ---- the requests ---- */

void
repair_plan_on_asked (RepairPlan *r, CcDuration waited)
{
  note_span (&r->notice, cc_seconds (waited > r->grace ? waited - r->grace : 0));
}

static void
note_outcomes (RepairPlan *r, unsigned asks, unsigned unanswered)
{
  r->asks += asks;
  r->unanswered += unanswered;
  if (r->asks > MOST_ASKS) {
    r->unanswered *= MOST_ASKS / r->asks;
    r->asks = MOST_ASKS;
  }
}

void
repair_plan_on_answer (RepairPlan *r, unsigned tries, CcDuration since)
{
  if (tries <= 1) {
    note_span (&r->answer, cc_seconds (since));
    r->answered_at = r->last_at;
  }
  if (tries > 0)
    note_outcomes (r, r->copies > 1 ? 1 : tries, r->copies > 1 ? 0 : tries - 1);
}

void
repair_plan_on_failure (RepairPlan *r, unsigned tries)
{
  note_outcomes (r, tries, tries);
}

/* ---- the plan ---- */

/* Answers of another time say nothing: where they were too slow to be asked for no others come. */
static bool
is_answer_known (const RepairPlan *r)
{
  return r->answer.any && cc_time_since (r->last_at, r->answered_at) < ANSWER_LIFE;
}

typedef struct {
  double late, notice, answer, again; /* L, N, S; S + 2 V */
  double spread, answer_spread;       /* squares of the mean deviations of L + N, and of S */
  double q, hit;                      /* hit: e */
} View;

static void
look (const RepairPlan *r, View *v)
{
  double rtt = cc_seconds (r->rtt);

  bool known = is_answer_known (r);
  double deviation = known ? r->answer.deviation : rtt / 16;

  v->late = r->lateness.mean;
  v->notice =
      r->reveal.mean + (known && r->notice.any ? r->notice.mean : cc_seconds (REORDER_TIME)) + cc_seconds (r->grace);
  v->answer = known ? r->answer.mean : rtt + SENDER_TIME;
  v->again = v->answer + DEVIATIONS * deviation;
  v->answer_spread = deviation * deviation;
  v->spread = r->lateness.deviation * r->lateness.deviation + r->reveal.deviation * r->reveal.deviation +
              r->notice.deviation * r->notice.deviation;
  v->q = (PRIOR_ASKS * r->all.loss + r->unanswered) / (PRIOR_ASKS + r->asks);
  v->q = fmin (fmax (v->q, r->all.loss), CERTAIN);
  v->hit = fmin (1, r->frame_packets * r->all.loss / fmax (r->all.burst, 1)) * r->failing;
}

static double
copy_spacing (const RepairPlan *r)
{
  return fmax (COPY_SPACING, r->all.burst * PACKET_TIME);
}

/* F */
static double
frame_loss (const RepairPlan *r, const View *v, unsigned rounds, unsigned copies)
{
  return v->hit * (1 - pow (1 - pow (v->q, rounds * copies), fmax (r->all.burst, 1)));
}

/* How many deviations from the mean the answer to the last request may be: those that are later still, of the frames
   that need it, are as many as tolerable. Chernoff's bound of the normal distribution, sigma = sqrt (pi / 2) times the
   mean deviation. */
static double
reach (const RepairPlan *r, const View *v, unsigned rounds, unsigned copies)
{
  double needing = v->hit * pow (v->q, (rounds - 1) * copies);
  double late = fmax (r->params.tolerable - frame_loss (r, v, rounds, copies), 0.1 * r->params.tolerable) / needing;

  return late < 0.5 ? SIGMA * sqrt (-2 * log (2 * late)) : 0;
}

/* W; without deviations every other answer is in time, and asking is worth it. */
static double
time_of (const RepairPlan *r, const View *v, unsigned rounds, unsigned copies, double deviations)
{
  double extra = (copies - 1) * copy_spacing (r);

  if (rounds == 0)
    return 0;
  return v->late + v->notice + (rounds - 1) * (v->again + extra) + v->answer + extra +
         deviations * sqrt (v->spread + v->answer_spread);
}

static unsigned
enough_rounds (const RepairPlan *r, const View *v, unsigned copies)
{
  unsigned rounds = 0;

  while (rounds < r->params.max_rounds && frame_loss (r, v, rounds, copies) > r->params.tolerable)
    rounds++;
  return rounds;
}

/* Up at once, down late. */
static void
set_wait (RepairPlan *r, double need_s, bool hopeless, CcTime now)
{
  CcDuration need;

  r->need += need_s > 0 && r->need > 0 ? NEED_GAIN * (need_s - r->need) : need_s - r->need;
  need = (cc_duration (r->need) + STEP - 1) / STEP * STEP;
  need = need < r->params.least ? r->params.least : need > r->params.most ? r->params.most : need;
  if (need >= FALL * r->wait)
    r->needed_at = now;
  if (need > r->wait || cc_time_since (now, r->needed_at) > (hopeless ? HOPELESS_HOLD : HOLD))
    r->wait = need;
}

/* Share of the answers to a round that come within `most`: of the normal distribution, as in reach (). */
static double
in_time (const RepairPlan *r, const View *v, unsigned round, unsigned copies)
{
  double spare = cc_seconds (r->params.most) - time_of (r, v, round, copies, 0);
  double sigma = SIGMA * sqrt (fmax (v->spread + v->answer_spread, 0));

  return sigma > 0 ? 0.5 * erfc (-spare / (sigma * M_SQRT2)) : spare >= 0;
}

/* Share of the packets that stay missing where each round asks so often. */
static double
left_by (const RepairPlan *r, const View *v, unsigned copies)
{
  double left = 1;

  for (unsigned round = 1; round <= r->params.max_rounds; round++)
    left *= 1 - in_time (r, v, round, copies) * (1 - pow (v->q, copies));
  return left;
}

/* s, in the mean: from when a gap is there to the answer, as often as it takes. */
static double
answered_after (const RepairPlan *r, const View *v)
{
  double extra = (r->copies - 1) * copy_spacing (r), again = pow (v->q, r->copies);

  return v->notice + v->answer + v->q * extra + again / (1 - again) * (v->again + extra);
}

RecentLoss
repair_plan_own_loss (const RepairPlan *r)
{
  return r->own.loss < r->all.loss ? r->own : r->all;
}

bool
repair_plan_can_ask (const RepairPlan *r, CcDuration *answer, double *unanswered)
{
  View v;

  look (r, &v);
  /* a packet is missed in the middle of its gap; how gaps differ is the bursts' business */
  v.notice -= cc_seconds (r->grace) + r->reveal.mean / 2;
  v.spread -= r->reveal.deviation * r->reveal.deviation;
  *answer = cc_duration (answered_after (r, &v));
  *unanswered = fmin (left_by (r, &v, 1), left_by (r, &v, r->copies));
  return r->rtt > 0 && r->params.max_rounds > 0 && time_of (r, &v, 1, 1, 0) <= cc_seconds (r->params.most);
}

/* With redundancy there is something to wait for even where nothing is asked for. */
static double
needed (const RepairPlan *r, const View *v, double for_requests)
{
  return r->redundancy_wait > 0 ? fmax (v->late + cc_seconds (r->redundancy_wait), for_requests) : for_requests;
}

void
repair_plan_update (RepairPlan *r, CcTime now)
{
  double most = cc_seconds (r->params.most);
  unsigned wanted, rounds, copies = 1;
  View v;

  look (r, &v);
  wanted = rounds = r->rtt > 0 ? enough_rounds (r, &v, copies) : 0;
  if (rounds > 1 && time_of (r, &v, 2, 1, 1) - v.late > cc_seconds (r->params.patience)) {
    copies = time_of (r, &v, 1, 2, 0) <= most ? 2 : 1;
    rounds = enough_rounds (r, &v, copies);
  }
  while (rounds > 0 && time_of (r, &v, rounds, 1, 0) > most)
    rounds--;
  set_wait (r, needed (r, &v, rounds > 0 ? time_of (r, &v, rounds, copies, reach (r, &v, rounds, copies)) : 0),
      wanted > 0 && rounds == 0 && r->redundancy_wait == 0, now);
  /* what the player waits for anyway is used: one round more than needed costs nothing */
  while (rounds < r->params.max_rounds && r->rtt > 0 && time_of (r, &v, rounds + 1, 1, 0) <= cc_seconds (r->wait))
    rounds++;
  r->rounds = rounds;
  r->copies = copies;
  r->spacing = cc_duration (v.again);
  r->copy_spacing = cc_duration (copy_spacing (r));
  r->frame_loss = frame_loss (r, &v, rounds, copies);
}

static bool
is_in_order (const RepairPlan *r)
{
  return r->reordered_at == CC_TIME_NONE || cc_time_since (r->last_at, r->reordered_at) > REORDER_MEMORY;
}

void
repair_plan_apply (const RepairPlan *r, NackRequest *n)
{
  NackRequestParams *p = &n->params;
  CcDuration late = cc_duration (r->lateness.mean),
             answer = is_answer_known (r) ? cc_duration (r->answer.mean) : r->rtt;

  /* where nothing was ever overtaken the first packet behind a gap is proof enough */
  p->reorder_packets = is_in_order (r) ? 1 : r->reordered < 3 ? 3 : r->reordered < 20 ? r->reordered : 20;
  p->reorder_time = REORDER_TIME;
  p->answer_delay = r->spacing > answer ? r->spacing - answer : 0;
  p->copies = r->copies;
  p->copy_spacing = r->copy_spacing;
  p->max_tries = r->rounds * r->copies;
  p->grace = r->grace;
  p->latency = r->rounds == 0 && r->redundancy_wait == 0 ? p->reorder_time : r->wait > late ? r->wait - late : 0;
  nack_request_set_rtt (n, answer);
}
