/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathrate.h"
#include <math.h>

#define ALPHA 0.75
#define BETA 0.35
#define ETA 0.98
#define Q_TARGET 0.005      /* s: standing queue that counts as none */
#define Q_BUSY 0.008        /* s: above, the queue is busy all the time */
#define BACKED_OFF 0.6      /* x c: what stands below that is not ours, or little of it */
#define LITTLE 0.35         /* x c: below that, on a path that marks, only a part of the queue is ours to drain */
#define HALF 0.5            /* x c: the same beside a TCP, whose queue is above */
#define Q_LONG 0.014        /* s, for */
#define LONG_SHARE 0.45     /* of the last */
#define LONG_MEMORY 15.0    /* s */
#define Q_JUMP 0.035        /* s: a packet's queueing delay that may be a jump */
#define JUMP_TIME 0.030     /* s: and has lasted */
#define OTHERS_TIME 0.55    /* s in which others, with longer loops, have done their part of it */
#define CAPACITY_MEMORY 0.4 /* s */
#define PAIR_GAIN 1.1       /* x R */
#define FAST_MEMORY 0.06    /* s */
#define MIN_PERIOD 0.05     /* s */
#define MAX_PERIOD 0.1      /* s */
#define MIN_LOOP 0.2
#define BLIND_GROWTH 0.15    /* headroom assumed where packets say nothing and no queue stands */
#define Q_COMPETING 0.035    /* s: standing, although we backed off; twice that where we did not */
#define COMPETING_AFTER 1.5  /* s of it */
#define PACKETS_TO_TELL 40.0 /* per s, for that; fewer take up to 1 / SLOWEST_TELLING longer */
#define SLOWEST_TELLING 0.7
#define COMPETING_GONE 3.0             /* s without it */
#define WARY_TIME 20.0                 /* s after it went, in which it is believed again after */
#define WARY_AFTER 0.5                 /* s */
#define REGAIN 0.4                     /* of the rate before it, once it is known that backing off was in vain */
#define FIRST_TEST 4.0                 /* s */
#define TEST_EVERY 12.0                /* s */
#define TEST_TIME 0.7                  /* s */
#define LOSS_FORGOTTEN (2 * CC_SECOND) /* without a packet: more than what counts of loss, and the path is another */
#define LOSS_PROBE 0.02                /* the growth per s close to the rate at which loss was met */
#define LOSS_BOLDER 0.1
#define LOSS_BEYOND 1.15
#define LOSS_NEAR 0.9      /* x that rate */
#define ROUTER_QUEUE 0.020 /* s */
#define ROUTER_MEMORY (2 * CC_SECOND)
#define MARKS_MEMORY (20 * CC_SECOND)
#define PROBE_GROWTH 0.04  /* the same beyond the capacity last seen, per s without a queue */
#define LONE_GROWTH 0.1    /* the least for single packets that a queue serves as they come, and while one is missing */
#define SERVED 1.05        /* x c: below, they are */
#define SHARED_GROWTH 1.8  /* 1/s, at most, x e > 0 where they do not: whatever the RTT, as others may be there */
#define SHARED_LEAST 0.4   /* 1/s, while a queue is met, at */
#define SHARED_RATE 110e3  /* bytes/s; x its share in R, to the power of one half */
#define SHARED_BOLDER 0.5  /* 1/s, per s since */
#define SHARED_MOST 0.5    /* e where they do not, at most */
#define MISSING_QUEUE 0.02 /* s */
#define MISSING_MOST 0.2   /* s */
#define COMPETING_GROWTH 0.35 /* 1/s, at, beside a queue of others: the equation says how far */
#define NEAR_FROM 0.9         /* x what arrived when the path was last full: from there */
#define NEAR_TO 1.3           /* x it, to there, growth is */
#define NEAR_GROWTH 7e3       /* bytes/s^2, at most, x alpha */
#define NEAR_LEAST 0.04       /* 1/s */
#define NEAR_BOLDER 0.025     /* 1/s, per s since */
#define FILLED_AGAIN 0.3      /* s without a queue, after which one that is met counts anew */
#define GROWTH 0.4            /* headroom where packets arrive as they left */
#define SLOPE_TIME 0.15       /* s */
#define SLOPE_GAIN 25.        /* 1/s, x what comes in too much, beside others */
#define APPLICATION_LIMIT 2.  /* x the receive rate, at most */
#define TRIED_LIMIT 1.4       /* x it, while a queue is met */
#define TRIED_BOLDER 0.3      /* per s since */
#define YIELDS 1.2            /* x R/c, to a queue */
#define YIELDS_LEAST 0.25
#define MAX_PACKET_TIME 0.03 /* s */
#define SERIAL_FADE 0.03     /* 1/s */
#define SLOT (50 * CC_MSECOND)
#define RECEIVE_SLOTS 20 /* the receive rate is taken over 1 s */

void
path_rate_params_init (PathRateParams *params)
{
  *params = (PathRateParams){.start_Bps = 300e3 / 8, .min_Bps = 30e3 / 8, .max_Bps = 20e6 / 8};
}

static double
clamp (double value, double low, double high)
{
  return value < low ? low : value > high ? high : value;
}

static void
set_rate (PathRate *p, double rate_Bps, RateOwner owner)
{
  p->rate_Bps = clamp (rate_Bps, p->params.min_Bps, p->params.max_Bps);
  p->owner = owner;
}

void
path_rate_init (PathRate *p, const PathRateParams *params)
{
  QueueDelayParams delay;

  *p = (PathRate){.params = *params, .marked_at = CC_TIME_NONE, .explicit_at = CC_TIME_NONE};
  if (!(p->params.min_Bps >= 1))
    p->params.min_Bps = 1;
  if (!(p->params.max_Bps >= p->params.min_Bps))
    p->params.max_Bps = p->params.min_Bps;
  if (!(p->params.start_Bps > 0))
    p->params.start_Bps = p->params.min_Bps;
  queue_delay_params_init (&delay);
  queue_delay_init (&p->delay, &delay);
  loss_cause_init (&p->loss);
  route_change_init (&p->route);
  set_rate (p, p->params.start_Bps, RATE_OWNER_START);
  p->reported_Bps = p->rate_lag = p->rate_Bps;
  p->high_since = CC_TIME_NONE;
}

void
path_rate_on_explicit_rate (PathRate *p, double rate_Bps, CcTime now)
{
  bool first = p->explicit_at == CC_TIME_NONE;

  if (!(rate_Bps > 0))
    return;
  p->explicit_at = now;
  if (!first || p->met_limit || p->jumps > 0 || p->competing)
    return;
  p->start_word = rate_Bps;
  if (rate_Bps < p->rate_Bps)
    set_rate (p, rate_Bps, RATE_OWNER_ROUTER);
}

/* Within a train, which left faster than the mean rate, the spacing at arrival is the bottleneck's, or shows that there
   is none. Two packets of which the second met the first in the queue measure what the queue serves of this flow, which
   is all of the capacity only where nobody else is in it. A pause between trains is neither. */
static void
take_pair (PathRate *p, const PathPacket *packet)
{
  uint64_t steps = packet->seq - p->last.seq;
  double sent = (double)(int64_t)(packet->sent_at - p->last.sent_at) / 1e9;
  double arrived = (double)(int64_t)(packet->arrived_at - p->last.arrived_at) / 1e9;
  double bytes = (double)packet->wire_bytes * (double)steps; /* lost ones took their time as well */
  bool busy = sent < cc_seconds (p->last_q) - 0.002;
  bool train = packet->frame == p->last.frame && bytes > PAIR_GAIN * p->rate_lag * sent;

  if (steps > 8 || sent < 0 || arrived < 0)
    return;
  cross_traffic_on_pair (
      &p->cross, &(TrafficPair){packet->frame == p->last.frame, busy, train, steps == 1, bytes, arrived});
  if (busy)
    backlog_on_pair (&p->backlog, bytes, sent, arrived, packet->arrived_at);
  if (!busy && !train)
    return;
  packet_pairs_add (train ? &p->slow : &p->busy, bytes, sent, arrived, packet->arrived_at, CAPACITY_MEMORY);
  packet_pairs_add (&p->fast, bytes, sent, arrived, packet->arrived_at, FAST_MEMORY);
}

static void
update_capacity (PathRate *p, CcTime now)
{
  packet_pairs_fade (&p->slow, now, CAPACITY_MEMORY);
  packet_pairs_fade (&p->busy, now, CAPACITY_MEMORY);
  p->capacity_Bps = packet_pairs_rate (&p->slow, 1.5);
  p->trains = p->capacity_Bps > 0;
  p->dispersed = p->slow.arrived > 1.05 * p->slow.sent + 0.001;
  if (p->capacity_Bps > 0 || p->competing)
    return;
  p->capacity_Bps = packet_pairs_rate (&p->busy, 3);
  p->dispersed = true;
}

/* Where packets say nothing of it any more. */
static void
remember_capacity (PathRate *p, double T)
{
  p->serial_Bps *= 1 - SERIAL_FADE * T;
  if (p->capacity_Bps > 0 && p->dispersed)
    p->serial_Bps += (p->capacity_Bps - p->serial_Bps) * fmin (T / CAPACITY_MEMORY, 1);
  p->serial_Bps = fmax (p->serial_Bps, p->receive_Bps);
}

static void
count_bytes (PathRate *p, uint32_t bytes, CcTime now)
{
  if (p->n_slots == 0 || cc_time_since (now, p->slots[p->slot_head].start) >= SLOT) {
    p->slot_head = (p->slot_head + 1) % PATH_RATE_SLOTS;
    p->slots[p->slot_head].start = now - now % SLOT;
    p->slots[p->slot_head].bytes = 0;
    if (p->n_slots < PATH_RATE_SLOTS)
      p->n_slots++;
  }
  p->slots[p->slot_head].bytes += bytes;
}

static double
receive_rate (const PathRate *p, CcTime now)
{
  double bytes = 0;
  CcTime oldest = now;

  for (unsigned n = 0; n < p->n_slots; n++) {
    unsigned i = (p->slot_head + PATH_RATE_SLOTS - n) % PATH_RATE_SLOTS;

    if (cc_time_since (now, p->slots[i].start) > RECEIVE_SLOTS * SLOT)
      break;
    bytes += p->slots[i].bytes;
    oldest = p->slots[i].start;
  }
  if (p->n_slots >= RECEIVE_SLOTS)
    return bytes / cc_seconds (RECEIVE_SLOTS * SLOT);
  return cc_time_since (now, oldest) >= 2 * SLOT ? bytes / cc_seconds (now - oldest) : 0;
}

/* Queueing delay in s without the time a packet larger than the least takes on the bottleneck: it is no queue. */
static double
standing_delay (PathRate *p, const PathPacket *packet, CcDuration q)
{
  p->least_bytes = p->least_bytes > 0 ? fmin (1.001 * p->least_bytes, packet->wire_bytes) : packet->wire_bytes;
  return fmax (cc_seconds (q) - (packet->wire_bytes - p->least_bytes) / fmax (p->serial_Bps, p->rate_Bps), 0);
}

/* The least delay of each frame's packets is what stood in the queue. */
static void
end_frame (PathRate *p, CcTime now)
{
  p->q = p->q < 1e-9 ? 0.5 * p->frame_q : 0.5 * p->q + 0.5 * p->frame_q;
  if (route_change_on_frame (&p->route, cc_seconds (p->frame_delay), p->rate_Bps, now)) {
    p->rerouted = true;
    p->next_at = now;
  }
}

/* s that one packet more makes: at low rates a queue of one or two is nothing to act upon. */
static double
packet_time (const PathRate *p, double most)
{
  return fmin (p->last.wire_bytes / fmax (p->serial_Bps, p->rate_Bps), most);
}

/* s that is the routers' business. */
static double
router_queue (const PathRate *p, CcTime now)
{
  return p->explicit_at != CC_TIME_NONE && cc_time_since (now, p->explicit_at) < ROUTER_MEMORY ? ROUTER_QUEUE : 0;
}

/* A queue that is there all the time. */
static bool
is_busy (const PathRate *p, CcTime now)
{
  return p->q > Q_BUSY + packet_time (p, Q_BUSY) + router_queue (p, now);
}

/* Nobody else is there to meet, and no router shares the path out. */
static bool
is_alone (const PathRate *p, CcTime now)
{
  return cross_traffic_is_none (&p->cross) && router_queue (p, now) == 0;
}

/* What arrives of late. A frame of others between two single packets is not the end of the path. */
static double
jump_capacity (const PathRate *p)
{
  return p->trains ? packet_pairs_rate (&p->fast, 2) : packet_pairs_rate (&p->busy, 3);
}

/* What arrives of late: alone, what is served, gaps and all. */
static double
arrives (const PathRate *p, CcTime now)
{
  return is_alone (p, now) ? packet_pairs_rate (&p->backlog.served, 3) : jump_capacity (p);
}

/* Packets wait for long, have done so for a while, and arrive slower than they are sent. */
static bool
has_jumped (const PathRate *p, CcTime now)
{
  double c = arrives (p, now);

  return p->high_since != CC_TIME_NONE && cc_seconds (now - p->high_since) >= JUMP_TIME && c > 0 &&
         c < 0.9 * p->rate_Bps;
}

static void
watch_jump (PathRate *p, CcDuration q, CcTime now)
{
  if (cc_seconds (q) < Q_JUMP + packet_time (p, MAX_PACKET_TIME) || p->competing) {
    p->high_since = CC_TIME_NONE;
    return;
  }
  if (p->high_since == CC_TIME_NONE)
    p->high_since = now;
  if (!has_jumped (p, now) || now < p->hold_until)
    return;
  p->jump = !is_alone (p, now);
  if (p->jump || !p->backlog.stands)
    p->next_at = now;
}

void
path_rate_on_packet (PathRate *p, const PathPacket *packet)
{
  CcTime now = packet->arrived_at;
  CcDuration q = queue_delay_on_packet (&p->delay, packet->sent_at, now);
  double standing = standing_delay (p, packet, q);

  if (p->started && cc_time_since (now, p->last.arrived_at) > LOSS_FORGOTTEN)
    loss_cause_init (&p->loss);
  count_bytes (p, packet->wire_bytes, now);
  if (packet->marked)
    p->marked_at = now;
  loss_cause_on_packet (&p->loss, packet->counted, packet->frame, cc_seconds (q), is_busy (p, now));
  if (!p->started) {
    p->started = true;
    p->next_at = cc_time_add (now, cc_duration (MIN_PERIOD));
    p->updated_at = now;
    p->frame_q = standing;
    p->frame_delay = q;
  } else if (packet->seq <= p->last.seq) {
    return; /* late: its bytes count, its order says nothing */
  } else {
    take_pair (p, packet);
    if (packet->frame != p->last.frame) {
      end_frame (p, now);
      p->frame_q = standing;
      p->frame_delay = q;
    } else {
      p->frame_q = fmin (p->frame_q, standing);
      p->frame_delay = q < p->frame_delay ? q : p->frame_delay;
    }
  }
  if (packet->R > 0)
    p->R = packet->R;
  p->last = *packet;
  p->last_q = q;
  watch_jump (p, q, now);
}

CcTime
path_rate_next_timeout (const PathRate *p)
{
  return p->started ? p->next_at : CC_TIME_NONE;
}

static double
period (const PathRate *p)
{
  return clamp (cc_seconds (p->R), MIN_PERIOD, MAX_PERIOD);
}

static double
loop_delay (const PathRate *p)
{
  return fmax ((p->R > 0 ? cc_seconds (p->R) : MAX_PERIOD) + period (p), MIN_LOOP);
}

/* Of the back-off from a queue: it is as much ours as c is. */
static double
part_of (const PathRate *p, double c_Bps)
{
  return clamp (YIELDS * p->rate_Bps / c_Bps, YIELDS_LEAST, 1);
}

static double
yielding (const PathRate *p, CcTime now)
{
  return p->serial_Bps == 0 || router_queue (p, now) > 0 ? 1 : part_of (p, p->serial_Bps);
}

/* Marks keep the queue short, which others make, and the equation counts them. Flows of one kind, whose trains miss
   each other, would take themselves for that; but their queue comes and goes, a TCP's comes and stays. */
static bool
has_little_of_marked (const PathRate *p, CcTime now)
{
  double most = p->long_share > LONG_SHARE ? HALF : LITTLE;

  return p->marked_at != CC_TIME_NONE && cc_time_since (now, p->marked_at) < MARKS_MEMORY &&
         p->rate_Bps < most * p->capacity_Bps;
}

/* Of the queue, or of what is left of the path. */
static RateOwner
owner_of_path (const PathRate *p, CcTime now)
{
  if (p->competing)
    return RATE_OWNER_OTHERS;
  if (router_queue (p, now) > 0)
    return RATE_OWNER_ROUTER;
  if (has_little_of_marked (p, now))
    return RATE_OWNER_MARKED;
  return is_alone (p, now) || p->rate_Bps > BACKED_OFF * p->serial_Bps ? RATE_OWNER_OWN : RATE_OWNER_OWN_KIND;
}

/* The queue fell on us: what arrives is the capacity, and the queue goes within DRAIN_TIME. One that is mostly of
   others goes when all of them yield that much; if it was the capacity, c has shown it by the next jump. */
static void
react_to_jump (PathRate *p, CcTime now)
{
  double drain = backlog_drain (cc_seconds (p->last_q));
  double hold = loop_delay (p), c = jump_capacity (p);

  p->jump = false;
  p->jumps++;
  p->high_since = CC_TIME_NONE;
  loss_cause_abort (&p->loss, now);
  update_capacity (p, now);
  if (p->rate_Bps < BACKED_OFF * p->capacity_Bps && router_queue (p, now) == 0) {
    if (has_little_of_marked (p, now))
      drain = 1 - (1 - drain) * part_of (p, p->capacity_Bps);
    set_rate (p, p->rate_Bps * drain, owner_of_path (p, now));
    hold = fmax (hold, OTHERS_TIME);
  } else {
    p->slow = p->fast;
    p->capacity_Bps = p->serial_Bps = c;
    set_rate (p, fmin (p->rate_Bps, c * drain), owner_of_path (p, now));
    hold += MIN_PERIOD;
  }
  p->hold_until = cc_time_add (now, cc_duration (hold));
}

/* The queue that R went down for was none, nor does the step tell of a capacity. */
static void
take_route (PathRate *p)
{
  p->rerouted = p->jump = p->competing = p->testing = false;
  queue_delay_reset (&p->delay);
  p->q = p->q_lag = p->frame_q = p->standing = 0;
  p->last_q = p->frame_delay = 0;
  p->high_since = CC_TIME_NONE;
  p->slow = p->busy = p->fast = (PacketPairs){0};
  set_rate (p, fmax (p->rate_Bps, p->route.rate_Bps), RATE_OWNER_UNMET);
  p->rate_lag = p->serial_Bps = p->rate_Bps;
}

/* A queue of our own goes within a second of backing off; one that stays is somebody else's, and backing off from it
   would starve us. */
static void
watch_competition (PathRate *p, double T, CcTime now)
{
  bool backed_off = p->rate_Bps < 0.8 * p->capacity_Bps;

  if (p->q > (backed_off ? 1 : 2) * Q_COMPETING + packet_time (p, MAX_PACKET_TIME))
    p->standing += T * clamp (p->receive_Bps / (PACKETS_TO_TELL * p->last.wire_bytes), SLOWEST_TELLING, 1);
  else if (p->q < Q_COMPETING / 2)
    p->standing = 0;
  if (p->standing == 0)
    p->rate_before_queue = p->rate_lag;
  if (p->standing < (now < p->wary_until ? WARY_AFTER : COMPETING_AFTER))
    return;
  p->competing = true;
  set_rate (p, fmax (p->rate_Bps, REGAIN * p->rate_before_queue), RATE_OWNER_OTHERS);
  p->low_since = now;
  p->test_at = cc_time_add (now, cc_duration (FIRST_TEST));
}

static void
stop_competing (PathRate *p, CcTime now)
{
  p->competing = false;
  p->standing = 0;
  p->wary_until = cc_time_add (now, cc_duration (WARY_TIME));
}

/* Halve the rate for a moment: a queue of our own goes. */
static void
begin_test (PathRate *p, CcTime now)
{
  p->q_before_test = p->q;
  p->rate_before_test = p->rate_Bps;
  p->hold_until = cc_time_add (now, cc_duration (loop_delay (p) + TEST_TIME));
  p->testing = true;
  set_rate (p, p->rate_Bps / 2, RATE_OWNER_OTHERS);
}

static void
end_test (PathRate *p, CcTime now)
{
  p->testing = false;
  p->test_at = cc_time_add (now, cc_duration (TEST_EVERY));
  if (p->q < 0.5 * p->q_before_test)
    stop_competing (p, now);
  else
    set_rate (p, p->rate_before_test, RATE_OWNER_OTHERS);
}

static void
compete (PathRate *p, CcTime now)
{
  if (p->q > Q_COMPETING / 2)
    p->low_since = now;
  if (p->testing)
    end_test (p, now);
  else if (cc_seconds (now - p->low_since) > COMPETING_GONE)
    stop_competing (p, now);
  else if (now >= p->test_at)
    begin_test (p, now);
}

/* s */
static double
since_busy (const PathRate *p, CcTime now)
{
  return cc_seconds (cc_time_since (now, p->busy_at));
}

/* Where single packets say nothing of the capacity: as bold as the time since a queue was last seen. */
static double
blind_growth (const PathRate *p)
{
  if (!p->met_limit)
    return GROWTH;
  if (p->rate_Bps < ETA * p->serial_Bps)
    return BLIND_GROWTH;
  return clamp (PROBE_GROWTH * since_busy (p, p->updated_at), PROBE_GROWTH, BLIND_GROWTH);
}

/* Per s: slow where loss has been met, then bolder. */
static double
probe_growth (const PathRate *p, CcTime now)
{
  return p->rate_Bps < LOSS_BEYOND * loss_cause_limit (&p->loss, now) ? LOSS_PROBE : LOSS_BOLDER;
}

/* 1/s: bolder the longer ago a queue was met: flows that share the path met it together, and it comes back the sooner
   the faster all of them grow. Who has less of it grows faster (binomial control, Bansal & Balakrishnan 2001). */
static double
shared_growth (const PathRate *p, CcTime now)
{
  double scale = sqrt (clamp (SHARED_RATE / p->rate_Bps, 1, 4));

  if (router_queue (p, now) > 0)
    return SHARED_GROWTH;
  if (p->competing)
    return COMPETING_GROWTH * scale;
  return fmin (SHARED_LEAST * scale + SHARED_BOLDER * since_busy (p, now), SHARED_GROWTH);
}

/* 1/s, at most: those that share the path are all close to their part of it where it was full before, and their
   encoders follow late. Additive, so that the smaller one gains on the larger. Well beyond, the path is another. */
static double
near_growth (const PathRate *p, CcTime now)
{
  if (p->competing || router_queue (p, now) > 0 || is_alone (p, now) || has_little_of_marked (p, now) ||
      p->rate_Bps < NEAR_FROM * p->filled_Bps || p->rate_Bps > NEAR_TO * p->filled_Bps)
    return HUGE_VAL;
  return fmax (NEAR_GROWTH / p->rate_Bps, NEAR_LEAST) + NEAR_BOLDER * since_busy (p, now);
}

/* x what was received: the encoder follows R late, and where a queue was met R must not be ahead of it when it does. */
static double
application_limit (const PathRate *p, CcTime now)
{
  if (router_queue (p, now) > 0 || p->competing)
    return APPLICATION_LIMIT;
  return fmin (TRIED_LIMIT + TRIED_BOLDER * since_busy (p, now), APPLICATION_LIMIT);
}

/* Single packets among larger flows meet a queue whatever they do, and none shows them a share of the path: they grow a
   little all the time, more beside a queue of others. One of their own serves them slower than they come. */
static bool
served_as_sent (const PathRate *p, CcTime now)
{
  return !p->trains && router_queue (p, now) == 0 && (p->capacity_Bps == 0 || p->rate_Bps < SERVED * p->capacity_Bps);
}

/* The queue that a path as slow as the trains say would have by now, had it received what we did. Where none is met,
   frames of others that always meet ours spread them. What was received in a queue says nothing of it. */
static void
watch_missing_queue (PathRate *p, double T, CcTime now)
{
  if (is_busy (p, now) || router_queue (p, now) > 0)
    p->missing_queue = 0;
  else if (p->trains && p->dispersed && cc_time_since (now, p->busy_at) > RECEIVE_SLOTS * SLOT)
    p->missing_queue = clamp (p->missing_queue + T * (p->receive_Bps / p->capacity_Bps - 1), 0, MISSING_MOST);
}

static void
note_busy (PathRate *p, CcTime now)
{
  p->filled_Bps = since_busy (p, now) > FILLED_AGAIN ? p->receive_Bps : fmax (p->filled_Bps, p->receive_Bps);
  p->busy_at = now;
}

/* The queue grows by the part of the path that comes in too much. One that is not ours alone shrinks if all who make it
   give way, whatever their RTT, who has more of it by more; growth goes on beside that. */
static double
answer_slope (const PathRate *p, double e, CcTime now)
{
  double slope = (p->q - p->q_lag) / SLOPE_TIME;

  if (p->rate_Bps > BACKED_OFF * p->serial_Bps)
    return fmin (e, -slope);
  if (has_little_of_marked (p, now) || router_queue (p, now) > 0)
    return e;
  return e - SLOPE_GAIN * loop_delay (p) * yielding (p, now) * fmax (slope, 0);
}

typedef struct {
  double value;
  RateOwner owner; /* whose it is */
} Bound;

static void
at_most (Bound *m, double value, RateOwner owner)
{
  if (value < m->value)
    *m = (Bound){value, owner};
}

static void
at_least (Bound *m, double value, RateOwner owner)
{
  if (value > m->value)
    *m = (Bound){value, owner};
}

/* Packets that arrive spaced as they left have seen room for the gain they left with. */
static Bound
capacity_mismatch (const PathRate *p, CcTime now)
{
  Bound m = {blind_growth (p), RATE_OWNER_UNMET};

  if (p->capacity_Bps == 0)
    return m;
  m.value = ETA * p->capacity_Bps / p->rate_Bps - 1;
  if (!p->dispersed) {
    m.value = fmax (m.value, clamp (ETA * p->capacity_Bps / p->rate_lag - 1, BLIND_GROWTH, GROWTH));
    return m;
  }
  m.owner = owner_of_path (p, now);
  if (m.value > 0)
    m.value = fmin (fmin (m.value, SHARED_MOST) * shared_growth (p, now), near_growth (p, now)) * loop_delay (p);
  return m;
}

static Bound
mismatch (PathRate *p, CcTime now)
{
  bool busy = is_busy (p, now);
  Bound m;

  if (busy)
    note_busy (p, now);
  p->met_limit |= busy || (p->dispersed && p->capacity_Bps > 0);
  m = capacity_mismatch (p, now);
  /* flows whose frames meet spread each other's trains; who has the larger part is the router's to say */
  if (p->q < Q_BUSY + packet_time (p, Q_BUSY) && router_queue (p, now) > 0)
    at_least (&m, p->q < Q_TARGET + packet_time (p, Q_BUSY) / 2 ? PROBE_GROWTH : 0, RATE_OWNER_ROUTER);
  if (busy && !p->competing)
    at_most (&m, answer_slope (p, m.value, now), owner_of_path (p, now));
  if (served_as_sent (p, now))
    at_least (&m, p->competing ? GROWTH : LONE_GROWTH, p->competing ? RATE_OWNER_OTHERS : RATE_OWNER_OWN_KIND);
  if (p->missing_queue > MISSING_QUEUE)
    at_least (&m, LONE_GROWTH, RATE_OWNER_OWN_KIND);
  if (p->loss.unexplained)
    at_most (&m, 0, RATE_OWNER_LOSS);
  if (p->rate_Bps > LOSS_NEAR * loss_cause_limit (&p->loss, now))
    at_most (&m, probe_growth (p, now) * loop_delay (p) / ALPHA, RATE_OWNER_LOSS);
  m.value = clamp (m.value, -0.5, 0.5);
  return m;
}

/* Growth ends there. */
static void
grow_to (const PathRate *p, Bound *rate, double most_Bps, RateOwner owner)
{
  if (rate->value > p->rate_Bps && rate->value > most_Bps)
    *rate = (Bound){fmax (p->rate_Bps, most_Bps), owner};
}

/* s of queue beyond what is left alone. */
static double
excess_queue (const PathRate *p, CcTime now)
{
  return fmax (p->q - Q_TARGET - packet_time (p, Q_BUSY) / 2 - router_queue (p, now), 0);
}

static void
run_law (PathRate *p, double T, CcTime now)
{
  double d = loop_delay (p), drain = p->competing ? 0 : yielding (p, now) * BETA * excess_queue (p, now) / d;
  Bound m = mismatch (p, now);
  Bound next;

  if (drain > ALPHA * fmax (m.value, 0))
    m.owner = owner_of_path (p, now);
  next = (Bound){p->rate_Bps * (1 + clamp (T / d * (ALPHA * m.value - drain), -0.3, 0.3)), m.owner};
  grow_to (p, &next, loss_cause_next_step (&p->loss), RATE_OWNER_LOSS);
  /* what was not sent has not been tried */
  grow_to (p, &next, application_limit (p, now) * p->receive_Bps, RATE_OWNER_APPLICATION);
  set_rate (p, next.value, next.owner);
}

/* Trains as they arrived prove that much, whether they were spread or not. */
static bool
take_start (PathRate *p)
{
  double rate_Bps = fmin (p->start_word, ETA * p->capacity_Bps);

  if (p->start_word == 0 || p->capacity_Bps == 0)
    return false;
  p->start_word = 0;
  if (rate_Bps <= p->rate_Bps)
    return false;
  set_rate (p, rate_Bps, RATE_OWNER_ROUTER);
  return true;
}

/* Or was, a short while ago. */
static bool
queue_is_others (const PathRate *p)
{
  return p->competing || p->testing || p->updated_at < p->wary_until ||
         p->q > Q_COMPETING + packet_time (p, MAX_PACKET_TIME);
}

/* Where loss is put to the test, or has been. */
static void
answer_loss (PathRate *p, CcTime now)
{
  LossPath path = {.rate_Bps = p->rate_Bps,
      .receive_Bps = p->receive_Bps,
      .packet_bytes = p->last.wire_bytes,
      .R = cc_seconds (p->R),
      .loop = loop_delay (p),
      .queue_is_others = queue_is_others (p)};
  bool testing = loss_cause_testing (&p->loss);

  if (testing && path.queue_is_others) {
    loss_cause_abort (&p->loss, now);
    set_rate (p, p->rate_before_loss_test, RATE_OWNER_OTHERS);
    return;
  }
  switch (loss_cause_judge (&p->loss, &path, now)) {
  case LOSS_BEGIN_TEST:
    p->rate_before_loss_test = p->rate_Bps;
    set_rate (p, p->loss.test_Bps, RATE_OWNER_LOSS);
    break;
  case LOSS_RATE_FREE:
    set_rate (p, fmin (p->rate_before_loss_test, loss_cause_next_step (&p->loss)), RATE_OWNER_LOSS);
    break;
  case LOSS_CONGESTION:
    set_rate (p, fmin (testing ? p->rate_before_loss_test : p->rate_Bps, p->loss.limit_Bps), RATE_OWNER_LOSS);
    break;
  case LOSS_GO_ON:
    break;
  }
}

/* True while that is what decides. */
static bool
answer_backlog (PathRate *p, CcTime now)
{
  Backlog *b = &p->backlog;
  double waited = cc_seconds (p->last_q);
  BacklogQueue queue = {
      has_jumped (p, now) ? fmax (p->q, waited) : p->q, waited, packet_time (p, MAX_PACKET_TIME), p->last.arrived_at};

  if (!is_alone (p, now) || p->competing || loss_cause_testing (&p->loss)) {
    backlog_forget (b);
    return false;
  }
  switch (backlog_step (b, &queue, now)) {
  case BACKLOG_BEGINS:
    p->jumps++;
    loss_cause_abort (&p->loss, now);
    break;
  case BACKLOG_STANDS:
    break;
  case BACKLOG_OVER:
    if (b->served_Bps > p->rate_Bps)
      set_rate (p, b->served_Bps, RATE_OWNER_OWN);
    return false;
  case BACKLOG_NOT_OURS:
    p->cross = (CrossTraffic){0};
    return false;
  case BACKLOG_NONE:
    return false;
  }
  note_busy (p, now);
  set_rate (p, b->rate_Bps, RATE_OWNER_OWN);
  return true;
}

static bool
worth_telling (PathRate *p)
{
  if (p->rate_Bps > 0.85 * p->reported_Bps)
    return false;
  p->reported_Bps = p->rate_Bps;
  return true;
}

bool
path_rate_on_timeout (PathRate *p, CcTime now)
{
  bool began = false;
  double T;

  if (!p->started || now < p->next_at)
    return false;
  T = cc_seconds (cc_time_since (now, p->updated_at));
  p->receive_Bps = receive_rate (p, now);
  if (p->rerouted) {
    take_route (p);
    began = true;
  } else if (p->jump) {
    react_to_jump (p, now);
  } else if (now >= p->hold_until && T > 0) {
    update_capacity (p, now);
    began = take_start (p);
    p->rate_lag += (p->rate_Bps - p->rate_lag) * fmin (T / (CAPACITY_MEMORY + cc_seconds (p->R)), 1);
    p->q_lag += (p->q - p->q_lag) * fmin (T / SLOPE_TIME, 1);
    p->long_share += ((p->q > Q_LONG) - p->long_share) * fmin (T / LONG_MEMORY, 1);
    remember_capacity (p, T);
    watch_missing_queue (p, T, now);
    if (p->competing)
      compete (p, now);
    else
      watch_competition (p, T, now);
    answer_loss (p, now);
    if (!answer_backlog (p, now) && !p->testing && !loss_cause_testing (&p->loss))
      run_law (p, fmin (T, 2 * MAX_PERIOD), now);
  } else if (!p->competing && now < p->wary_until) { /* a TCP's queue is one jump after another */
    watch_competition (p, T, now);
  }
  p->updated_at = now;
  p->next_at = cc_time_add (now, cc_duration (period (p)));
  return worth_telling (p) || began;
}

void
path_rate_report (const PathRate *p, PathReport *report)
{
  *report = (PathReport){.rate_Bps = p->rate_Bps,
      .capacity_Bps = p->capacity_Bps,
      .receive_Bps = p->receive_Bps,
      .queue_delay = cc_duration (p->q),
      .owner = p->rate_Bps < p->params.max_Bps ? p->owner : RATE_OWNER_MAX,
      .loss = loss_cause_loss (&p->loss),
      .excused = loss_cause_excused (&p->loss, queue_is_others (p))};
}
