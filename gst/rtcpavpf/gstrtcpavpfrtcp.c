/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP that arrives. A packet is walked twice: for who speaks, as what they say is to be ignored where their SSRC is
   taken by another, then for what they say. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"
#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#include <gst/net/gstnetaddressmeta.h>
#include <string.h>

#define MAX_SPEAKERS 64 /* in one packet; more are ignored */

typedef struct {
  guint32 ssrc;
  SsrcCname cname;
  gboolean ignored;
  gboolean proven; /* a member: it may set rates, and counts for the timing */
} Speaker;

typedef struct {
  GstRtcpAvpf *self;
  GSocketAddress *address;
  GstClockTime now, arrived_at;
  Speaker speakers[MAX_SPEAKERS];
  guint n_speakers, reports;
  gboolean has_bye, proven;
} RtcpContext;

/* ---- who speaks ---- */

static Speaker *
find_speaker (RtcpContext *c, guint32 ssrc)
{
  guint i;

  for (i = 0; i < c->n_speakers; i++)
    if (c->speakers[i].ssrc == ssrc)
      return &c->speakers[i];
  return NULL;
}

static void
on_speaks (gpointer user, guint32 ssrc)
{
  RtcpContext *c = user;

  if (find_speaker (c, ssrc) == NULL && c->n_speakers < MAX_SPEAKERS)
    c->speakers[c->n_speakers++] = (Speaker){.ssrc = ssrc, .cname = SSRC_CNAME_NONE};
}

static void
on_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  RtcpContext *c = user;
  Speaker *speaker = find_speaker (c, ssrc);

  if (speaker != NULL)
    speaker->cname = g_strcmp0 (cname, gst_rtcp_avpf_cname (c->self)) == 0 ? SSRC_CNAME_OWN : SSRC_CNAME_OTHER;
}

static void
on_malformed (gpointer user, guint packet_type)
{
  RtcpContext *c = user;

  c->self->bad_rtcp++;
}

static const RtcpHandlers introduction = {.speaks = on_speaks, .cname = on_cname, .malformed = on_malformed};

static gboolean
is_proven (RtpMemberVerdict verdict)
{
  switch (verdict) {
  case RTP_MEMBER_NEW:
  case RTP_MEMBER_KNOWN:
  case RTP_MEMBER_BECAME_SENDER:
  case RTP_MEMBER_NOT_SAMPLED: /* in a group too large to remember each */
    return TRUE;
  default:
    return FALSE;
  }
}

static void
introduce_one (RtcpContext *c, Speaker *s)
{
  RtpMemberVerdict verdict;

  s->ignored = gst_rtcp_avpf_members_is_own (c->self, s->ssrc, c->address, s->cname, c->now);
  if (s->ignored)
    return;
  verdict = gst_rtcp_avpf_members_on_rtcp (c->self, s->ssrc, s->cname != SSRC_CNAME_NONE, c->address, c->now);
  s->ignored = verdict == RTP_MEMBER_CONFLICT || verdict == RTP_MEMBER_STRAGGLER;
  s->proven = is_proven (verdict);
  c->proven |= s->proven;
}

static void
introduce (RtcpContext *c)
{
  guint i;

  for (i = 0; i < c->n_speakers; i++)
    introduce_one (c, &c->speakers[i]);
  if (c->proven)
    rtp_peer_on_member (&c->self->peer, gst_rtcp_avpf_host_id (c->address), c->now);
}

static gboolean
is_ignored (RtcpContext *c, guint32 ssrc)
{
  const Speaker *speaker = find_speaker (c, ssrc);

  return speaker == NULL || speaker->ignored;
}

/* Nobody lowers a rate who has not proved to take part. */
static gboolean
may_limit (RtcpContext *c, guint32 ssrc)
{
  const Speaker *speaker = find_speaker (c, ssrc);

  return speaker != NULL && !speaker->ignored && speaker->proven;
}

/* ---- what they say ---- */

static void
on_sender_report (gpointer user, const RtcpSenderInfo *info)
{
  RtcpContext *c = user;
  AvpfSource *s;

  if (is_ignored (c, info->ssrc))
    return;
  s = gst_rtcp_avpf_source_of (c->self, info->ssrc, c->address, c->now);
  if (s == NULL)
    return;
  s->last_heard = c->now;
  rtp_reception_on_sender_report (&s->reception, info->ntp_time, c->arrived_at);
}

static void
on_report_block (gpointer user, guint32 sender, const RtcpReportBlock *block)
{
  RtcpContext *c = user;

  if (!is_ignored (c, sender))
    gst_rtcp_avpf_media_on_report_block (c->self, sender, block, c->now);
}

static void
on_bye (gpointer user, guint32 ssrc)
{
  RtcpContext *c = user;
  AvpfSource *s = avpf_source_table_find (&c->self->table, ssrc);

  c->has_bye = TRUE;
  if (avpf_local_table_find (&c->self->locals, ssrc) != NULL)
    return;
  if ((s != NULL && !avpf_source_is_from (s, c->address)) ||
      !gst_rtcp_avpf_members_on_bye (c->self, ssrc, c->address, c->now)) {
    c->self->unproven++;
    return;
  }
  GST_DEBUG_OBJECT (c->self, "%08x says BYE", ssrc);
  rtp_peer_end_stream (&c->self->peer, ssrc);
  if (s != NULL)
    avpf_source_on_bye (s, c->now);
}

static void
on_pli (gpointer user, guint32 sender, guint32 media)
{
  RtcpContext *c = user;
  FbItem item = fb_item_pli (media);

  if (is_ignored (c, sender))
    return;
  gst_rtcp_avpf_on_others_feedback (c->self, &item, c->now);
  gst_rtcp_avpf_media_on_pli (c->self, sender, media, c->now);
}

static void
on_fir (gpointer user, guint32 sender, guint32 media, guint8 seq)
{
  RtcpContext *c = user;
  FbItem item = fb_item_fir (media);

  if (is_ignored (c, sender))
    return;
  gst_rtcp_avpf_on_others_feedback (c->self, &item, c->now);
  gst_rtcp_avpf_media_on_fir (c->self, sender, media, seq, c->now);
}

static void
on_nack (gpointer user, guint32 sender, guint32 media, const guint16 *seqs, guint n)
{
  RtcpContext *c = user;

  if (is_ignored (c, sender))
    return;
  gst_rtcp_avpf_on_others_nack (c->self, media, seqs, n, c->now);
  gst_rtcp_avpf_media_on_nack (c->self, sender, media, seqs, n, c->now);
}

static void
on_sli (gpointer user, guint32 sender, guint32 media, const RtcpSli *slices, guint n)
{
  RtcpContext *c = user;
  guint i;

  for (i = 0; i < n && !is_ignored (c, sender); i++) {
    FbItem item = fb_item_sli (media, &slices[i]);

    gst_rtcp_avpf_on_others_feedback (c->self, &item, c->now);
  }
}

static void
on_rpsi (gpointer user, guint32 sender, guint32 media, const RtcpRpsi *rpsi)
{
  RtcpContext *c = user;
  FbItem item = fb_item_rpsi (media, rpsi);

  if (!is_ignored (c, sender))
    gst_rtcp_avpf_on_others_feedback (c->self, &item, c->now);
}

static void
on_afb (gpointer user, guint32 sender, guint32 media, const guint8 *fci, gsize size)
{
  RtcpContext *c = user;
  FbItem item = fb_item_application (media, fci, size);

  if (!is_ignored (c, sender))
    gst_rtcp_avpf_on_others_feedback (c->self, &item, c->now);
}

static void
on_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  RtcpContext *c = user;

  if (may_limit (c, sender))
    gst_rtcp_avpf_media_on_tmmbr (c->self, sender, entry, c->now);
}

static void
on_tmmbn (gpointer user, guint32 sender, const RtcpTmmb *entries, guint n)
{
  RtcpContext *c = user;
  AvpfSource *s = is_ignored (c, sender) ? NULL : avpf_source_table_find (&c->self->table, sender);

  if (s != NULL && s->tmmbr != NULL)
    tmmbr_receiver_on_notification (s->tmmbr, entries, n);
}

static void
on_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  RtcpContext *c = user;

  if (may_limit (c, sender))
    gst_rtcp_avpf_media_on_remb (c->self, sender, remb, c->now);
}

static void
on_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  RtcpContext *c = user;

  if (may_limit (c, sender))
    gst_rtcp_avpf_media_on_path (c->self, sender, media, path, c->now);
}

static void
on_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  RtcpContext *c = user;

  if (!is_ignored (c, sender))
    gst_rtcp_avpf_media_on_tfrc (c->self, sender, media, report, c->now);
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
    .tfrc = on_tfrc};

/* ---- the packet ---- */

#define HEADER_BYTES 4
#define FEEDBACK_HEADER_BYTES 12

/* The packets as they lie one after the other; the walk has measured them. */
static void
scan (RtcpContext *c, const guint8 *data, gsize size)
{
  gsize at, length;

  for (at = 0; at + HEADER_BYTES <= size; at += length) {
    guint type = data[at + 1];

    length = HEADER_BYTES * (1 + (gsize)GST_READ_UINT16_BE (data + at + 2));
    if (at + length > size)
      return;
    if (type == RTCP_SR || type == RTCP_RR)
      c->reports++;
    else if ((type == RTCP_RTPFB || type == RTCP_PSFB) && length >= FEEDBACK_HEADER_BYTES)
      gst_rtcp_avpf_tell_feedback (c->self, type, data[at] & 0x1f, GST_READ_UINT32_BE (data + at + 4),
          GST_READ_UINT32_BE (data + at + 8), data + at + FEEDBACK_HEADER_BYTES, length - FEEDBACK_HEADER_BYTES);
  }
}

static gboolean
is_one_of_ours (GstRtcpAvpf *self, const guint8 *data, gsize size)
{
  guint64 hash = gst_rtcp_avpf_hash (data, size);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (self->sent_hashes); i++)
    if (self->sent_hashes[i] == hash)
      return TRUE;
  return FALSE;
}

static void
on_packet (RtcpContext *c, const guint8 *data, gsize size)
{
  GstRtcpAvpf *self = c->self;
  guint64 host = gst_rtcp_avpf_host_id (c->address);
  guint bytes = (guint)size + gst_rtcp_avpf_udp_ip_bytes (c->address);

  if (is_one_of_ours (self, data, size)) {
    self->looped++;
    return;
  }
  if (size == 0 || !rtcp_walk (data, size, &introduction, c)) {
    self->bad_rtcp++;
    return;
  }
  rtp_answers_on_received (&self->answers, host, bytes, c->now);
  if (!rtp_peer_on_rtcp (&self->peer, host, c->now))
    return;
  self->rtcp_received++;
  introduce (c);
  rtcp_walk (data, size, &contents, c);
  scan (c, data, size);
  if (c->proven)
    gst_rtcp_avpf_timing_on_received (self, bytes, c->reports, c->has_bye);
}

void
gst_rtcp_avpf_receive_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime age, GstClockTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  RtcpContext context = {
      .self = self, .address = meta != NULL ? meta->addr : NULL, .now = now, .arrived_at = age < now ? now - age : 0};
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  on_packet (&context, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}
