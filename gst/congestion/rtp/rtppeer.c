/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppeer.h"

/* A peer is given up after as long a silence as it had spoken, within these bounds: who sent two packets before a call
   holds nobody up, and an outage of a few seconds gives a call to nobody else. The upper one is the least report
   interval of RFC 3550 6.2, for one only known by RTCP five of them (6.3.5). */
#define SHORTEST_SILENCE (200 * CC_MSECOND)
#define RTP_SILENCE (5 * CC_SECOND)
#define RTCP_SILENCE (25 * CC_SECOND)
/* The old address of a stream that has moved is silent at once; more than the gap between two frames at 10 a second. */
#define MOVE_SILENCE (100 * CC_MSECOND)
/* A stream keeps its turn for twice its longest gap of late, within these bounds. */
#define SHORTEST_TURN (20 * CC_MSECOND)
#define LONGEST_TURN (500 * CC_MSECOND)
#define GAP_FORGOTTEN 64 /* packets until a long gap counts a third */

void
rtp_peer_init (RtpPeer *p, RtpSessionKind kind, uint64_t fixed)
{
  *p = (RtpPeer){.kind = kind, .state = fixed != 0 ? RTP_PEER_FIXED : RTP_PEER_NOBODY, .address = fixed};
}

void
rtp_peer_set_kind (RtpPeer *p, RtpSessionKind kind)
{
  p->kind = kind;
}

static CcDuration
patience (const RtpPeer *p)
{
  CcDuration spoken = cc_time_since (p->heard_at, p->latched_at);
  CcDuration most = p->state == RTP_PEER_BY_RTCP ? RTCP_SILENCE : RTP_SILENCE;

  if (p->state == RTP_PEER_BY_RTCP && spoken < RTP_SILENCE)
    return RTP_SILENCE;
  return spoken < SHORTEST_SILENCE ? SHORTEST_SILENCE : spoken < most ? spoken : most;
}

static bool
is_silent (const RtpPeer *p, CcDuration since, CcTime now)
{
  return cc_time_since (now, p->heard_at) >= since;
}

static void
latch (RtpPeer *p, RtpPeerState state, uint64_t address, CcTime now)
{
  p->moves += p->state != RTP_PEER_NOBODY;
  p->state = state;
  p->address = address;
  p->latched_at = p->heard_at = now;
  p->n_candidates = 0;
}

static unsigned
stream_place (RtpPeer *p, uint32_t ssrc)
{
  unsigned oldest = 0;

  for (unsigned i = 0; i < p->n_streams; i++) {
    if (p->streams[i].ssrc == ssrc)
      return i;
    if (p->streams[i].at < p->streams[oldest].at)
      oldest = i;
  }
  return p->n_streams < RTP_PEER_SSRCS ? p->n_streams++ : oldest;
}

static void
note_rtp (RtpPeer *p, uint32_t ssrc, uint16_t seq, CcTime now)
{
  unsigned i = stream_place (p, ssrc);

  p->streams[i].ssrc = ssrc;
  p->streams[i].newest = seq;
  p->streams[i].at = p->heard_at = now;
}

static unsigned
candidate_place (RtpPeer *p, uint64_t address)
{
  unsigned oldest = 0;

  for (unsigned i = 0; i < p->n_candidates; i++) {
    if (p->candidates[i].address == address)
      return i;
    if (p->candidates[i].at < p->candidates[oldest].at)
      oldest = i;
  }
  if (p->n_candidates < RTP_PEER_CANDIDATES)
    oldest = p->n_candidates++;
  p->candidates[oldest].run = 0;
  return oldest;
}

static bool
proves_itself (RtpPeer *p, uint64_t address, uint32_t ssrc, uint16_t seq, CcTime now)
{
  unsigned i = candidate_place (p, address);
  bool goes_on = p->candidates[i].run > 0 && p->candidates[i].ssrc == ssrc && p->candidates[i].next == seq;

  p->candidates[i].address = address;
  p->candidates[i].ssrc = ssrc;
  p->candidates[i].next = (uint16_t)(seq + 1);
  p->candidates[i].run = goes_on ? p->candidates[i].run + 1 : 1;
  p->candidates[i].at = now;
  return p->candidates[i].run >= RTP_PEER_SEQUENTIAL;
}

/* A stream of the peer, a little further on. */
static bool
goes_on_with_stream (const RtpPeer *p, uint32_t ssrc, uint16_t seq)
{
  for (unsigned i = 0; i < p->n_streams; i++)
    if (p->streams[i].ssrc == ssrc)
      return (uint16_t)(seq - p->streams[i].newest) < RTP_PEER_MAX_AHEAD;
  return false;
}

static bool
takes_over (RtpPeer *p, uint64_t address, uint32_t ssrc, uint16_t seq, CcTime now)
{
  if (p->state == RTP_PEER_FIXED || !proves_itself (p, address, ssrc, seq, now))
    return false;
  if (p->state == RTP_PEER_NOBODY)
    return true;
  if (goes_on_with_stream (p, ssrc, seq) && is_silent (p, MOVE_SILENCE, now))
    return true;
  if (!is_silent (p, patience (p), now))
    return false;
  p->newcomers++;
  p->n_streams = 0;
  p->has_stream = false;
  return true;
}

bool
rtp_peer_on_rtp (RtpPeer *p, uint64_t address, uint32_t ssrc, uint16_t seq, CcTime now)
{
  if (p->kind == RTP_SESSION_GROUP || address == 0)
    return true;
  if (p->state != RTP_PEER_NOBODY && address == p->address) {
    note_rtp (p, ssrc, seq, now);
    return true;
  }
  if (takes_over (p, address, ssrc, seq, now)) {
    latch (p, RTP_PEER_BY_RTP, address, now);
    note_rtp (p, ssrc, seq, now);
    return true;
  }
  if (p->state == RTP_PEER_NOBODY || (p->state != RTP_PEER_FIXED && is_silent (p, patience (p), now)))
    return true;
  p->strangers++;
  return false;
}

bool
rtp_peer_on_rtcp (RtpPeer *p, uint64_t address, CcTime now)
{
  if (p->kind == RTP_SESSION_GROUP || address == 0 || p->state == RTP_PEER_NOBODY)
    return true;
  if (address == p->address) {
    p->heard_at = now;
    return true;
  }
  if (p->state != RTP_PEER_FIXED && is_silent (p, patience (p), now))
    return true;
  p->strangers++;
  return false;
}

void
rtp_peer_on_member (RtpPeer *p, uint64_t address, CcTime now)
{
  if (address == 0 || p->kind == RTP_SESSION_GROUP || address == p->address)
    return;
  if (p->state == RTP_PEER_NOBODY || (p->state != RTP_PEER_FIXED && is_silent (p, patience (p), now)))
    latch (p, RTP_PEER_BY_RTCP, address, now);
}

bool
rtp_peer_is (const RtpPeer *p, uint64_t address)
{
  return p->kind == RTP_SESSION_GROUP || address == 0 || (p->state != RTP_PEER_NOBODY && p->address == address);
}

unsigned
rtp_peer_members (const RtpPeer *p, unsigned members)
{
  return p->kind == RTP_SESSION_GROUP || members < RTP_PEER_SSRCS ? members : RTP_PEER_SSRCS;
}

static CcDuration
turn (const RtpPeer *p)
{
  CcDuration silence = 2 * p->stream_gap;

  return silence < SHORTEST_TURN ? SHORTEST_TURN : silence < LONGEST_TURN ? silence : LONGEST_TURN;
}

static void
note_stream (RtpPeer *p, CcTime now)
{
  CcDuration gap = cc_time_since (now, p->stream_at);

  p->stream_gap -= p->stream_gap / GAP_FORGOTTEN;
  p->stream_gap = gap > p->stream_gap ? gap : p->stream_gap;
  p->stream_at = now;
}

bool
rtp_peer_is_stream (RtpPeer *p, uint32_t ssrc, CcTime now)
{
  if (p->has_stream && p->stream == ssrc) {
    note_stream (p, now);
    return true;
  }
  if (p->has_stream && cc_time_since (now, p->stream_at) < turn (p))
    return false;
  p->has_stream = true;
  p->stream = ssrc;
  p->stream_gap = 0;
  p->stream_at = now;
  return true;
}

void
rtp_peer_end_stream (RtpPeer *p, uint32_t ssrc)
{
  p->has_stream = p->has_stream && p->stream != ssrc;
}
