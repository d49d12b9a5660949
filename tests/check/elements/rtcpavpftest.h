/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of rtcpavpf share: the element on a test clock, RTP through one harness, RTCP through another, and an
   ear that sums up what it says. */
#ifndef RTCP_AVPF_TEST_H
#define RTCP_AVPF_TEST_H

#include "gstccrtcp.h"
#include "rtcpavpffixture.h"
#include "rtpextension.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

#define PAYLOAD_BYTES 960
#define H264_IDR 0x65
#define H264_SLICE 0x61
#define UDP_IP_BYTES 28

static G_GNUC_UNUSED void
setup (Fixture *f)
{
  fixture_open (f, "sink", "src");
  f->extension_id = 9;
  f->rtt_us = 50000;
  f->nal = H264_SLICE;
}

static G_GNUC_UNUSED void
add_stamp (Fixture *f, GstRTPBuffer *rtp)
{
  RtpRttSendts stamp = {.rtt = f->rtt_us * GST_USECOND, .sent_at_us = (guint32)(now_of (f) / GST_USECOND)};
  guint8 data[RTP_EXT_RTT_SENDTS_SIZE];

  if (f->extension_id == 0)
    return;
  rtp_ext_rtt_sendts_write (data, &stamp);
  if (f->extension_id <= 14)
    gst_rtp_buffer_add_extension_onebyte_header (rtp, (guint8)f->extension_id, data, sizeof data);
  else
    gst_rtp_buffer_add_extension_twobytes_header (rtp, 0, (guint8)f->extension_id, data, sizeof data);
}

/* A key unit with its parameter sets: STAP-A of an SPS and the first slice of an IDR picture. */
static G_GNUC_UNUSED void
write_nal (guint8 *payload, guint8 nal)
{
  static const guint8 key_unit[] = {0x78, 0, 2, 0x67, 0x42, 0, 2, H264_IDR, 0x88};

  if (nal == H264_IDR)
    memcpy (payload, key_unit, sizeof key_unit);
  else
    payload[0] = nal;
}

/* Stamped and received now. */
static G_GNUC_UNUSED GstBuffer *
rtp_packet (Fixture *f, guint32 ssrc, guint16 seq)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD_BYTES, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, (guint32)gst_util_uint64_scale (now_of (f), 90000, GST_SECOND));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  memset (gst_rtp_buffer_get_payload (&rtp), 0, PAYLOAD_BYTES);
  write_nal (gst_rtp_buffer_get_payload (&rtp), f->nal);
  add_stamp (f, &rtp);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_DTS (buffer) = now_of (f);
  return buffer;
}

static G_GNUC_UNUSED void
push (Fixture *f, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (f->rtp, buffer), GST_FLOW_OK);
}

static G_GNUC_UNUSED void
drop_output (GstHarness *h)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (h)) != NULL)
    gst_buffer_unref (buffer);
}

static G_GNUC_UNUSED void
stream (Fixture *f, guint packets)
{
  guint i;

  for (i = 0; i < packets; i++) {
    push (f, rtp_packet (f, MEDIA, f->seq++));
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
}

/* What RTCP said, summed up until forgotten. */
typedef struct {
  guint packets, bytes, blocks, cnames, tfrcs, paths, rembs, plis, firs, byes;
  guint8 fir_seq;
  guint32 media;      /* of the last feedback */
  guint32 media_bits; /* SSRCs below 32 that feedback was about */
  RtcpReportBlock block;
  TfrcReport tfrc;
  RtcpPath path;
  RtcpRemb remb;
  GSocketAddress *address; /* of the last packet */
  guint nacks, slis, rpsis, afbs, apps, twccs, ccfbs, tmmbrs, srs;
  guint16 nack[64]; /* the numbers of the last one */
  guint n_nack;
  RtcpTmmb tmmbr;
  guint reported, received; /* of the last TWCC or CCFB: packets reported on, and arrived */
  guint32 bye, speaker;     /* of the last BYE, packet */
  guint32 named[8];         /* SSRCs with a CNAME in the last packet */
  guint n_named;
  gchar tool[64];
} Heard;

static G_GNUC_UNUSED void
heard_block (gpointer user, guint32 sender, const RtcpReportBlock *block)
{
  Heard *h = user;

  h->blocks++;
  h->block = *block;
}

static void
heard_speaks (gpointer user, guint32 ssrc)
{
  ((Heard *)user)->speaker = ssrc;
}

static void
heard_sr (gpointer user, const RtcpSenderInfo *info)
{
  ((Heard *)user)->srs++;
}

static void
heard_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  Heard *h = user;

  h->cnames++;
  if (h->n_named < G_N_ELEMENTS (h->named))
    h->named[h->n_named++] = ssrc;
}

static void
heard_sdes (gpointer user, guint32 ssrc, RtcpSdesType type, const gchar *text)
{
  if (type == RTCP_SDES_TOOL)
    g_strlcpy (((Heard *)user)->tool, text, sizeof ((Heard *)user)->tool);
}

static void
heard_bye (gpointer user, guint32 ssrc)
{
  Heard *h = user;

  h->byes++;
  h->bye = ssrc;
}

static void
heard_nack (gpointer user, guint32 sender, guint32 media, const guint16 *seqs, guint n)
{
  Heard *h = user;

  h->nacks++;
  h->media = media;
  h->n_nack = MIN (n, G_N_ELEMENTS (h->nack));
  memcpy (h->nack, seqs, h->n_nack * sizeof *seqs);
}

static void
heard_sli (gpointer user, guint32 sender, guint32 media, const RtcpSli *slices, guint n)
{
  ((Heard *)user)->slis++;
}

static void
heard_rpsi (gpointer user, guint32 sender, guint32 media, const RtcpRpsi *rpsi)
{
  ((Heard *)user)->rpsis++;
}

static void
heard_afb (gpointer user, guint32 sender, guint32 media, const guint8 *fci, gsize size)
{
  ((Heard *)user)->afbs++;
}

static void
heard_app (gpointer user, guint32 ssrc, guint8 subtype, const guint8 name[4], const guint8 *data, gsize size)
{
  ((Heard *)user)->apps++;
}

static void
heard_twcc (gpointer user, guint32 sender, guint32 media, const RtcpTwccReader *report)
{
  RtcpTwccReader reader = *report;
  RtcpTwccStatus status;
  Heard *h = user;

  h->twccs++;
  h->media = media;
  h->reported = h->received = 0;
  while (rtcp_twcc_next (&reader, &status)) {
    h->reported++;
    h->received += status.received;
  }
}

static void
heard_ccfb (gpointer user, guint32 sender, const RtcpCcfbReader *report)
{
  RtcpCcfbReader reader = *report;
  RtcpCcfbBlock block;
  Heard *h = user;
  guint i;

  h->ccfbs++;
  h->reported = h->received = 0;
  while (rtcp_ccfb_next (&reader, &block))
    for (i = 0; i < block.num_reports; i++) {
      h->media = block.ssrc;
      h->reported++;
      h->received += rtcp_ccfb_metric (&block, i).received;
    }
}

static void
heard_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  Heard *h = user;

  h->tmmbrs++;
  h->tmmbr = *entry;
}

static G_GNUC_UNUSED void
heard_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  Heard *h = user;

  h->tfrcs++;
  h->tfrc = *report;
  h->media = media;
  h->media_bits |= media < 32 ? 1u << media : 0;
}

static G_GNUC_UNUSED void
heard_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  Heard *h = user;

  h->rembs++;
  h->remb = *remb;
}

static G_GNUC_UNUSED void
heard_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  Heard *h = user;

  h->paths++;
  h->path = *path;
}

static G_GNUC_UNUSED void
heard_pli (gpointer user, guint32 sender, guint32 media)
{
  Heard *h = user;

  h->plis++;
  h->media = media;
}

static G_GNUC_UNUSED void
heard_fir (gpointer user, guint32 sender, guint32 media, guint8 seq)
{
  Heard *h = user;

  h->firs++;
  h->fir_seq = seq;
  h->media = media;
}

static G_GNUC_UNUSED void
heard_malformed (gpointer user, guint packet_type)
{
  fail ("malformed packet %u sent", packet_type);
}

static const RtcpHandlers ears = {.speaks = heard_speaks,
    .sr = heard_sr,
    .sdes = heard_sdes,
    .nack = heard_nack,
    .sli = heard_sli,
    .rpsi = heard_rpsi,
    .afb = heard_afb,
    .app = heard_app,
    .twcc = heard_twcc,
    .ccfb = heard_ccfb,
    .tmmbr = heard_tmmbr,
    .report_block = heard_block,
    .cname = heard_cname,
    .bye = heard_bye,
    .tfrc = heard_tfrc,
    .remb = heard_remb,
    .path = heard_path,
    .pli = heard_pli,
    .fir = heard_fir,
    .malformed = heard_malformed};

static G_GNUC_UNUSED void
hear (GstBuffer *buffer, Heard *heard)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  heard->n_named = 0;
  heard->packets++;
  heard->bytes += (guint)map.size;
  g_clear_object (&heard->address);
  if (meta != NULL)
    heard->address = g_object_ref (meta->addr);
  fail_unless (rtcp_walk (map.data, map.size, &ears, heard));
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static G_GNUC_UNUSED void
listen (Fixture *f, Heard *heard)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (f->rtcp)) != NULL)
    hear (buffer, heard);
}

static G_GNUC_UNUSED guint64
stat (Fixture *f, const gchar *name)
{
  GstStructure *stats;
  const GValue *value;
  guint64 number;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, name);
  if (value == NULL)
    number = 0;
  else
    number = G_VALUE_HOLDS_UINT (value) ? g_value_get_uint (value) : g_value_get_uint64 (value);
  gst_structure_free (stats);
  return number;
}

static G_GNUC_UNUSED GstBuffer *
sender_report (guint32 ssrc, guint64 ntp)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  RtcpSenderInfo info = {.ssrc = ssrc, .ntp_time = ntp};

  rtcp_add_sr (&rtcp, &info, NULL, 0);
  rtcp_add_cname (&rtcp, ssrc, "sender");
  gst_cc_rtcp_close (&rtcp, buffer);
  return buffer;
}

static G_GNUC_UNUSED GstBuffer *
bye_of (guint32 ssrc)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, ssrc, NULL, 0);
  rtcp_add_bye (&rtcp, &ssrc, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  return buffer;
}

static G_GNUC_UNUSED GstBuffer *
from_address (GstBuffer *buffer, const gchar *host, guint16 port)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string (host, port);

  gst_buffer_add_net_address_meta (buffer, address);
  g_object_unref (address);
  return buffer;
}

#define TEST(name)                                                                                                     \
  static void run_##name (Fixture *f, Heard *heard);                                                                   \
  GST_START_TEST (name)                                                                                                \
  {                                                                                                                    \
    Fixture f;                                                                                                         \
    Heard heard = {0};                                                                                                 \
    setup (&f);                                                                                                        \
    run_##name (&f, &heard);                                                                                           \
    g_clear_object (&heard.address);                                                                                   \
    teardown (&f);                                                                                                     \
  }                                                                                                                    \
  GST_END_TEST;                                                                                                        \
  static void run_##name (Fixture *f, Heard *heard)

#endif
