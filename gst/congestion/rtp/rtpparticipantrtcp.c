/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP that arrives. A packet is walked twice: for who speaks, as what they say is to be ignored where their SSRC is
   taken by another, then for what they say. */
#include "rtpparticipantprivate.h"

#include <string.h>

#include "rtcpbytes.h"
#include "rtcpsizeloss.h"
#include "rtcpweight.h"

#define MAX_SPEAKERS 64 /* in one packet; more are ignored */

typedef struct {
  uint32_t ssrc;
  SsrcCname cname;
  bool ignored;
  bool proven; /* a member: it may set rates, and counts for the timing */
} Speaker;

typedef struct {
  RtpParticipant *p;
  const RtpAddress *address;
  uint64_t host;
  CcTime now, arrived_at;
  Speaker speakers[MAX_SPEAKERS];
  unsigned n_speakers, reports;
  bool has_bye, proven;
} RtcpContext;

/* ---- who speaks ---- */

static Speaker *
find_speaker (RtcpContext *c, uint32_t ssrc)
{
  unsigned i;

  for (i = 0; i < c->n_speakers; i++)
    if (c->speakers[i].ssrc == ssrc)
      return &c->speakers[i];
  return NULL;
}

static void
on_speaks (void *user, uint32_t ssrc)
{
  RtcpContext *c = user;

  if (find_speaker (c, ssrc) == NULL && c->n_speakers < MAX_SPEAKERS)
    c->speakers[c->n_speakers++] = (Speaker){.ssrc = ssrc, .cname = SSRC_CNAME_NONE};
}

static void
on_cname (void *user, uint32_t ssrc, const char *cname)
{
  RtcpContext *c = user;
  Speaker *speaker = find_speaker (c, ssrc);

  if (speaker != NULL)
    speaker->cname = strcmp (cname, c->p->settings.cname) == 0 ? SSRC_CNAME_OWN : SSRC_CNAME_OTHER;
}

static void
on_malformed (void *user, unsigned packet_type)
{
  RtcpContext *c = user;

  c->p->stats.bad_rtcp++;
}

static const RtcpHandlers introduction = {.speaks = on_speaks, .cname = on_cname, .malformed = on_malformed};

/* 0: it speaks from where its media comes from. */
static uint64_t
host_of (RtcpContext *c, uint32_t ssrc)
{
  const RtpSource *s = rtp_sources_find (&c->p->sources, ssrc);

  return s != NULL && rtp_address_same_host (&s->address, c->address) ? 0 : c->host;
}

static bool
is_proven (RtpMemberVerdict verdict)
{
  switch (verdict) {
  case RTP_MEMBER_NEW:
  case RTP_MEMBER_KNOWN:
  case RTP_MEMBER_BECAME_SENDER:
  case RTP_MEMBER_NOT_SAMPLED: /* in a group too large to remember each */
    return true;
  default:
    return false;
  }
}

static void
introduce_one (RtcpContext *c, Speaker *s)
{
  RtpMemberVerdict verdict;

  s->ignored = rtp_participant_is_own (c->p, s->ssrc, c->host, s->cname, c->now);
  if (s->ignored)
    return;
  verdict =
      rtp_attendance_on_rtcp (&c->p->attendance, s->ssrc, s->cname != SSRC_CNAME_NONE, host_of (c, s->ssrc), c->now);
  rtp_participant_check_members (c->p, c->now);
  s->ignored = verdict == RTP_MEMBER_CONFLICT || verdict == RTP_MEMBER_STRAGGLER;
  s->proven = is_proven (verdict);
  c->proven |= s->proven;
  if (s->ignored)
    return;
  rtp_participant_on_repair_heard (c->p, s->ssrc, c->now);
  rtp_media_on_heard (&c->p->media, s->ssrc, c->now);
}

static void
introduce (RtcpContext *c)
{
  unsigned i;

  for (i = 0; i < c->n_speakers; i++)
    introduce_one (c, &c->speakers[i]);
  if (c->proven)
    rtp_attendance_on_member (&c->p->attendance, c->address, c->now);
}

static bool
is_ignored (RtcpContext *c, uint32_t ssrc)
{
  const Speaker *speaker = find_speaker (c, ssrc);

  return speaker == NULL || speaker->ignored;
}

/* Nobody lowers a rate who has not proved to take part. Who writes from where the user says that the peer is has. */
static bool
may_limit (RtcpContext *c, uint32_t ssrc)
{
  const Speaker *speaker = find_speaker (c, ssrc);

  return speaker != NULL && !speaker->ignored && (speaker->proven || rtp_attendance_is_named (&c->p->attendance));
}

/* Of two ends whoever sets a limit that lasts shows that it receives; of a group not all who do are kept. */
static RtpMediaBelief
belief_in (RtcpContext *c, uint32_t ssrc)
{
  const Speaker *speaker = find_speaker (c, ssrc);

  if (speaker == NULL || !speaker->proven)
    return RTP_BELIEF_NONE;
  return c->p->attendance.peer.kind == RTP_SESSION_GROUP ? RTP_BELIEF_FULL : RTP_BELIEF_IF_SHOWN;
}

/* The handler of that name, where whoever makes the rate has one. */
#define TELL(c, what, ...)                                                                                             \
  do {                                                                                                                 \
    const RtpParticipantParams *to = &(c)->p->params;                                                                  \
    if (to->rate_maker != NULL && to->rate_maker->what != NULL)                                                        \
      to->rate_maker->what (to->rate_maker_user, __VA_ARGS__);                                                         \
  } while (0)

/* ---- what they say ---- */

static void
on_sender_report (void *user, const RtcpSenderInfo *info)
{
  RtcpContext *c = user;
  RtpSource *s;

  if (is_ignored (c, info->ssrc))
    return;
  s = rtp_participant_source_of (c->p, info->ssrc, c->address, c->now);
  if (s == NULL)
    return;
  s->last_heard = c->now;
  rtp_reception_on_sender_report (&s->reception, info->ntp_time, c->arrived_at);
}

static void
on_report_block (void *user, uint32_t sender, const RtcpReportBlock *block)
{
  RtcpContext *c = user;

  if (!is_ignored (c, sender) &&
      rtp_media_on_report_block (&c->p->media, sender, block, rtp_participant_ntp (c->p, c->now), c->now))
    TELL (c, report_block, sender, block);
}

static bool
believes_bye (RtcpContext *c, const RtpSource *s, uint32_t ssrc)
{
  bool left;

  if ((s != NULL && !rtp_address_same_host (&s->address, c->address)) ||
      !rtp_attendance_on_bye (&c->p->attendance, ssrc, host_of (c, ssrc), c->now, &left))
    return false;
  if (left)
    rtp_participant_on_gone (c->p, ssrc, c->now);
  rtp_participant_check_members (c->p, c->now);
  return true;
}

static void
on_bye (void *user, uint32_t ssrc)
{
  RtcpContext *c = user;
  RtpSource *s = rtp_sources_find (&c->p->sources, ssrc);

  c->has_bye = true;
  if (rtp_locals_find (&c->p->locals, ssrc) != NULL)
    return;
  if (!believes_bye (c, s, ssrc)) {
    c->p->stats.unproven++;
    return;
  }
  rtp_peer_end_stream (&c->p->attendance.peer, ssrc);
  rtp_participant_on_repair_bye (c->p, ssrc);
  if (s != NULL)
    rtp_source_on_bye (s, c->now);
}

static void
on_pli (void *user, uint32_t sender, uint32_t media)
{
  RtcpContext *c = user;
  FbItem item = fb_item_pli (media);

  if (is_ignored (c, sender))
    return;
  fb_retention_on_received (&c->p->owed.retention, &item, c->now);
  rtp_media_on_pli (&c->p->media, media, c->now);
}

static void
on_fir (void *user, uint32_t sender, uint32_t media, uint8_t seq)
{
  RtcpContext *c = user;
  FbItem item = fb_item_fir (media);

  if (is_ignored (c, sender))
    return;
  fb_retention_on_received (&c->p->owed.retention, &item, c->now);
  rtp_media_on_fir (&c->p->media, sender, media, seq, c->now);
}

static void
on_nack (void *user, uint32_t sender, uint32_t media, const uint16_t *seqs, unsigned n)
{
  RtcpContext *c = user;

  if (is_ignored (c, sender))
    return;
  rtp_participant_on_others_nack (c->p, media, seqs, n, c->now);
  rtp_media_on_nack (&c->p->media, sender, media, seqs, n, c->now);
}

static void
on_sli (void *user, uint32_t sender, uint32_t media, const RtcpSli *slices, unsigned n)
{
  RtcpContext *c = user;
  unsigned i;

  for (i = 0; i < n && !is_ignored (c, sender); i++) {
    FbItem item = fb_item_sli (media, &slices[i]);

    fb_retention_on_received (&c->p->owed.retention, &item, c->now);
  }
}

static void
on_rpsi (void *user, uint32_t sender, uint32_t media, const RtcpRpsi *rpsi)
{
  RtcpContext *c = user;
  FbItem item = fb_item_rpsi (media, rpsi);

  if (!is_ignored (c, sender))
    fb_retention_on_received (&c->p->owed.retention, &item, c->now);
}

/* What only whoever sends the stream may say of it: NULL where somebody else does. */
static RtpSource *
its_own (const RtcpContext *c, uint32_t media)
{
  RtpSource *s = rtp_sources_find (&c->p->sources, media);

  return s != NULL && rtp_source_present (s) && rtp_address_same_host (&s->address, c->address) ? s : NULL;
}

static void
on_size_loss (RtcpContext *c, uint32_t media, const RtcpSizeLoss *loss)
{
  RtpSource *s = its_own (c, media);

  if (s != NULL && cc_receiver_excuse (&s->cc, loss->first, loss->last, c->now))
    rtp_participant_request_flow_report (c->p, c->now);
}

static void
on_weight (RtcpContext *c, uint32_t media, double weight)
{
  RtpSource *s = its_own (c, media);

  if (s != NULL)
    cc_receiver_on_weight (&s->cc, weight, c->now);
}

static void
on_afb (void *user, uint32_t sender, uint32_t media, const uint8_t *fci, size_t size)
{
  RtcpContext *c = user;
  FbItem item = fb_item_application (media, fci, size);
  RtcpSizeLoss loss;
  double weight;

  if (is_ignored (c, sender))
    return;
  fb_retention_on_received (&c->p->owed.retention, &item, c->now);
  if (rtcp_size_loss_parse (fci, size, &loss))
    on_size_loss (c, media, &loss);
  if (rtcp_weight_parse (fci, size, &weight))
    on_weight (c, media, weight);
}

static void
on_tmmbr (void *user, uint32_t sender, const RtcpTmmb *entry)
{
  RtcpContext *c = user;

  if (is_ignored (c, sender))
    return;
  rtp_media_on_tmmbr (&c->p->media, sender, entry, belief_in (c, sender), c->now);
  rtp_participant_check_media (c->p, c->now);
}

static void
on_tmmbn (void *user, uint32_t sender, const RtcpTmmb *entries, unsigned n)
{
  RtcpContext *c = user;
  RtpSource *s = is_ignored (c, sender) ? NULL : rtp_sources_find (&c->p->sources, sender);

  if (s != NULL && s->tmmbr != NULL)
    tmmbr_receiver_on_notification (s->tmmbr, entries, n);
}

static void
on_remb (void *user, uint32_t sender, const RtcpRemb *remb)
{
  RtcpContext *c = user;

  if (may_limit (c, sender) && rtp_media_on_remb (&c->p->media, sender, remb, c->now))
    TELL (c, remb, sender, remb);
}

static void
on_path (void *user, uint32_t sender, uint32_t media, const RtcpPath *path)
{
  RtcpContext *c = user;

  if (may_limit (c, sender) && rtp_media_on_path (&c->p->media, sender, media, path, c->now))
    TELL (c, path, sender, media, path);
}

static void
on_tfrc (void *user, uint32_t sender, uint32_t media, const TfrcReport *report)
{
  RtcpContext *c = user;

  if (!is_ignored (c, sender) && rtp_media_on_tfrc (&c->p->media, media))
    TELL (c, tfrc, sender, media, report);
}

static void
on_ccfb (void *user, uint32_t sender, const RtcpCcfbReader *report)
{
  RtcpContext *c = user;

  if (!is_ignored (c, sender) && rtp_media_on_ccfb (&c->p->media, report))
    TELL (c, ccfb, sender, report);
}

static void
on_twcc (void *user, uint32_t sender, uint32_t media, const RtcpTwccReader *report)
{
  RtcpContext *c = user;

  if (!is_ignored (c, sender) && rtp_media_on_twcc (&c->p->media, media))
    TELL (c, twcc, sender, media, report);
}

static const RtcpHandlers contents = {.sr = on_sender_report,
    .report_block = on_report_block,
    .bye = on_bye,
    .pli = on_pli,
    .fir = on_fir,
    .nack = on_nack,
    .sli = on_sli,
    .rpsi = on_rpsi,
    .afb = on_afb,
    .tmmbr = on_tmmbr,
    .tmmbn = on_tmmbn,
    .remb = on_remb,
    .path = on_path,
    .tfrc = on_tfrc,
    .ccfb = on_ccfb,
    .twcc = on_twcc};

/* ---- the packet ---- */

#define FEEDBACK_HEADER_BYTES 12

static void
tell_feedback (const RtcpContext *c, const uint8_t *message, size_t size)
{
  RtpEvent event = {.type = RTP_EVENT_FEEDBACK,
      .feedback = {.type = message[1],
          .fmt = message[0] & 0x1f,
          .sender = rtcp_get_u32 (message + 4),
          .media = rtcp_get_u32 (message + 8),
          .fci = message + FEEDBACK_HEADER_BYTES,
          .size = size - FEEDBACK_HEADER_BYTES}};

  rtp_events_tell (&c->p->params.events, &event);
}

static void
scan (RtcpContext *c, const uint8_t *data, size_t size)
{
  size_t at, length;

  for (at = 0; (length = rtcp_packet_at (data, size, at)) > 0; at += length) {
    unsigned type = data[at + 1];

    if (type == RTCP_SR || type == RTCP_RR)
      c->reports++;
    else if ((type == RTCP_RTPFB || type == RTCP_PSFB) && length >= FEEDBACK_HEADER_BYTES)
      tell_feedback (c, data + at, length);
  }
}

static bool
is_one_of_ours (RtpParticipant *p, const uint8_t *data, size_t size)
{
  uint64_t hash = rtp_participant_hash (data, size);
  unsigned i;

  for (i = 0; i < RTP_SENT_HASHES; i++)
    if (p->sent_hashes[i] == hash)
      return true;
  return false;
}

static bool
on_packet (RtcpContext *c, const uint8_t *data, size_t size)
{
  RtpParticipant *p = c->p;
  uint64_t heard = p->owed.retention.received;
  unsigned bytes = (unsigned)size + rtp_address_overhead_bytes (c->address) + p->settings.rtcp_overhead_bytes;

  if (is_one_of_ours (p, data, size)) {
    p->stats.looped++;
    return false;
  }
  if (size == 0 || !rtcp_walk (data, size, &introduction, c)) {
    p->stats.bad_rtcp++;
    return false;
  }
  rtp_answers_on_received (&p->attendance.answers, c->host, bytes, c->now);
  if (!rtp_attendance_may_be_peer (&p->attendance, c->address) ||
      !rtp_peer_on_rtcp (&p->attendance.peer, c->host, c->now))
    return false;
  p->stats.rtcp_received++;
  introduce (c);
  rtcp_walk (data, size, &contents, c);
  if (p->owed.retention.received != heard)
    rtp_participant_settle (p, c->now);
  scan (c, data, size);
  if (c->proven)
    rtp_turns_on_received (&p->turns, bytes, c->reports, c->has_bye);
  return true;
}

bool
rtp_participant_on_rtcp (
    RtpParticipant *p, const uint8_t *data, size_t size, const RtpAddress *from, CcTime arrived_at, CcTime now)
{
  RtcpContext context = {.p = p,
      .address = from,
      .host = rtp_attendance_host (&p->attendance, from),
      .now = now,
      .arrived_at = arrived_at};

  bool heard = on_packet (&context, data, size);

  rtp_participant_check_media (p, now);
  return heard;
}
