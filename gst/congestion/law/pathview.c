/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathview.h"
#include "callweight.h"
#include "lawnumber.h"
#include "timeshare.h"
#include <math.h>

#define Q_BUSY LAW (Q_BUSY, 0.008, 0.030) /* s: above, the queue is busy all the time */
#define JUMP_BELOW 0.9                    /* x R arrives */
#define NOISY LAW (NOISY, 6.0, 0.0)       /* x the noise of q is no queue */
#define PAIR_GAIN 1.1                     /* x R: a train leaves faster */
#define TRAIL_TIME 0.4                    /* s, and a round trip: how late R shows */
#define SERVED 1.05                       /* x: hardly slower than they come */
#define MIN_PERIOD 0.05                   /* s */
#define MAX_PERIOD 0.1                    /* s */
#define MIN_LOOP LAW (MIN_LOOP, 0.2, 0.0) /* s */

void
path_view_init (PathView *v, double rate_Bps)
{
  QueueDelayParams delay;

  *v = (PathView){.weight = 1};
  long_wait_init (&v->long_wait);
  queue_delay_params_init (&delay);
  queue_delay_init (&v->delay, &delay);
  route_change_init (&v->route);
  ecn_marks_init (&v->marks);
  router_word_init (&v->word);
  v->rate_Bps = v->trail_Bps = rate_Bps;
}

void
path_view_on_rate (PathView *v, double rate_Bps)
{
  v->rate_Bps = rate_Bps;
}

/* At which a packet of ours passes the bottleneck, at least. Beside others that is all of the link, of which c is our
   share: by how much more nobody knows, and what is taken off too much is a queue that nobody yields to. */
static double
passing (const PathView *v)
{
  return cross_traffic_is_some (&v->cross) ? HUGE_VAL : fmax (v->share.known_Bps, v->rate_Bps);
}

/* A pause between trains is neither a train nor a queue. */
static void
take_pair (PathView *v, const PathPacket *packet)
{
  bool adjacent = packet->seq == v->last.seq + 1;
  double sent = (double)(int64_t)(packet->sent_at - v->last.sent_at) / 1e9;
  double arrived = (double)(int64_t)(packet->arrived_at - v->last.arrived_at) / 1e9;
  double bytes = (double)packet->wire_bytes + packet->beside_bytes;
  bool queued = sent < v->waited - 0.002;
  bool train = packet->frame == v->last.frame && bytes > PAIR_GAIN * v->trail_Bps * sent;

  if (sent < 0 || arrived < 0)
    return;
  cross_traffic_on_pair (
      &v->cross, &(TrafficPair){packet->frame == v->last.frame, queued, train, adjacent, bytes, arrived}, v->weight);
  if (!adjacent) /* what the queue had no room for took no time in it, what was lost elsewhere did */
    return;
  if (queued)
    packet_pairs_add (&v->served, bytes, sent, arrived, packet->arrived_at, LAW_OF_LATE);
  if (queued || train)
    bottleneck_share_on_pair (&v->share, train, bytes, sent, arrived, packet->arrived_at);
}

static void
take_frame (PathView *v, const PathPacket *packet, double standing, CcDuration delay)
{
  if (v->started && packet->frame == v->last.frame) {
    standing_queue_go_on (&v->queue, standing, delay);
    return;
  }
  standing_queue_begin_frame (
      &v->queue, &(StandingFrame){standing, delay, packet->arrived_at}, !v->started, packet->wire_bytes / v->rate_Bps);
  if (v->started)
    v->rerouted |= route_change_on_frame (
        &v->route, cc_seconds (standing_queue_ended (&v->queue).delay), v->rate_Bps, packet->arrived_at);
}

void
path_view_on_packet (PathView *v, const PathPacket *packet)
{
  CcTime now = packet->arrived_at;
  CcDuration delay = queue_delay_on_packet (&v->delay, packet->sent_at, now);
  double standing = standing_queue_before (&v->queue, packet->wire_bytes, delay, passing (v));

  receive_rate_on_packet (&v->received, packet->wire_bytes + packet->beside_bytes, now);
  ecn_marks_on_packet (&v->marks, packet->ecn, now);
  if (v->started && packet->seq <= v->last.seq)
    return; /* late: its bytes count, its order says nothing */
  if (v->started)
    take_pair (v, packet);
  take_frame (v, packet, standing, delay);
  v->started = true;
  if (packet->R > 0)
    v->R = packet->R;
  v->last = *packet;
  v->waited = cc_seconds (delay);
  long_wait_on_packet (&v->long_wait, v->waited, path_view_no_queue (v), now);
}

void
path_view_receive (PathView *v, CcTime now)
{
  v->receive_Bps = receive_rate_Bps (&v->received, now);
  v->receive_now_Bps = receive_rate_of_late (&v->received, now);
}

void
path_view_update (PathView *v, bool others_queue, double T, CcTime now)
{
  bottleneck_share_update (&v->share, others_queue || cross_traffic_is_some (&v->cross), now);
  v->trail_Bps += (v->rate_Bps - v->trail_Bps) * fmin (T / (TRAIL_TIME + cc_seconds (v->R)), 1);
  standing_queue_update (&v->queue, T);
  time_share_count (&v->long_share, v->queue.q > LONG_WAIT / 2, T);
  ecn_marks_update (&v->marks);
  bottleneck_share_remember (&v->share, T, v->receive_Bps);
}

BacklogQueue
path_view_backlog (PathView *v, CcTime now)
{
  BacklogQueue queue = {.waited = v->waited, .one_packet = path_view_no_queue (v), .arrived_at = v->last.arrived_at};

  queue.standing = path_view_queue_has_jumped (v, now) ? fmax (v->queue.q, v->waited) : v->queue.q;
  packet_pairs_fade (&v->served, now, LAW_OF_LATE);
  queue.served_Bps = packet_pairs_rate (&v->served, PACKET_PAIRS_TELL);
  return queue;
}

double
path_view_jumped_to (PathView *v, CcTime now)
{
  double c = bottleneck_share_of_late (&v->share);

  long_wait_init (&v->long_wait);
  bottleneck_share_update (&v->share, false, now);
  return c;
}

void
path_view_take_capacity (PathView *v, double capacity_Bps)
{
  bottleneck_share_take (&v->share, capacity_Bps);
}

void
path_view_meet_queue (PathView *v, CcTime now)
{
  filled_path_meet (&v->filled, v->receive_Bps, now);
}

void
path_view_note_limit (PathView *v, CcTime now)
{
  bool stands = path_view_queue_stands (v, now);

  if (stands || v->marks.fraction > 0)
    path_view_meet_queue (v, now);
  v->met_limit |= stands || path_view_shows_limit (v);
}

void
path_view_wait_anew (PathView *v)
{
  long_wait_init (&v->long_wait);
}

void
path_view_forget_cross (PathView *v)
{
  v->cross = (CrossTraffic){0};
}

/* The queue that R went down for was none, nor does the step tell of a capacity. */
void
path_view_take_route (PathView *v)
{
  v->rerouted = false;
  queue_delay_reset (&v->delay);
  standing_queue_forget (&v->queue);
  v->waited = 0;
  long_wait_init (&v->long_wait);
  bottleneck_share_forget (&v->share, v->rate_Bps);
  v->trail_Bps = v->rate_Bps;
}

double
path_view_period (const PathView *v)
{
  return fmin (fmax (cc_seconds (v->R), MIN_PERIOD), MAX_PERIOD);
}

double
path_view_loop (const PathView *v)
{
  return fmax ((v->R > 0 ? cc_seconds (v->R) : MAX_PERIOD) + path_view_period (v), MIN_LOOP);
}

double
path_view_no_queue (const PathView *v)
{
  double call_Bps = fmax (call_weight_share (v, v->share.known_Bps), call_weight_rate (v));

  return fmax (fmin (v->last.wire_bytes / call_Bps, Q_BUSY), NOISY * v->queue.noise);
}

bool
path_view_queue_is_short (const PathView *v)
{
  return v->queue.q < Q_BUSY + path_view_no_queue (v);
}

bool
path_view_queue_stands (const PathView *v, CcTime now)
{
  return v->queue.q > Q_BUSY + path_view_no_queue (v) + router_word_queue (&v->word, now);
}

bool
path_view_queue_is_outrun (const PathView *v)
{
  return packet_pairs_are_spread (&v->share.busy, PACKET_PAIRS_TELL, SERVED);
}

/* None shows them a share of the path. One of their own serves them slower than they come. */
bool
path_view_singles_pass (const PathView *v)
{
  return !v->share.trains && (v->share.capacity_Bps == 0 || v->rate_Bps < SERVED * v->share.capacity_Bps);
}

bool
path_view_is_alone (const PathView *v, CcTime now)
{
  return cross_traffic_is_none (&v->cross) && router_word_queue (&v->word, now) == 0;
}

bool
path_view_shows_limit (const PathView *v)
{
  return v->share.dispersed && v->share.capacity_Bps > 0;
}

/* What arrives of late: alone, gaps and all. */
bool
path_view_queue_has_jumped (const PathView *v, CcTime now)
{
  double c = path_view_is_alone (v, now) ? packet_pairs_rate (&v->served, PACKET_PAIRS_TELL)
                                         : bottleneck_share_of_late (&v->share);

  return long_wait_lasts (&v->long_wait, now) && c > 0 && c < JUMP_BELOW * v->rate_Bps;
}
