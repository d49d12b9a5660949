/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: a UDP payload, walked as RTCP with a handler for everything; each reads all it is handed. Then once more as a
   single packet with version, type and length put right, so that the bodies are reached. */
#include "fuzz.h"
#include "rtcpbytes.h"
#include "rtcpwalk.h"

#define SENDER "\x11\x11\x11\x11"
#define MEDIA "\x22\x22\x22\x22"

#define SEED(bytes)                                                                                                    \
  {                                                                                                                    \
    bytes, sizeof (bytes) - 1                                                                                          \
  }

const FuzzSeed fuzz_seeds[] = {
    /* SR with a report block, SDES, NACK */
    SEED ("\x81\xc8\0\x0c" SENDER "\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5" MEDIA "\x40\xff\xff\xfd\0\0\0\7"
          "\0\0\0\x09\0\0\0\x0a\0\0\0\x0b"
          "\x81\xca\0\4" SENDER "\1\3abc\7\2xy\0\0\0"
          "\x81\xcd\0\3" SENDER MEDIA "\0\x64\x80\x05"),
    /* RR, PLI, FIR */
    SEED ("\x80\xc9\0\1" SENDER "\x81\xce\0\2" SENDER MEDIA "\x84\xce\0\4" SENDER "\0\0\0\0" MEDIA "\x4d\0\0\0"),
    /* SLI, RPSI */
    SEED ("\x82\xce\0\3" SENDER MEDIA "\0\x08\x02\xc5\x83\xce\0\3" SENDER MEDIA "\1\x60\xb3\xc4"),
    /* REMB; another's application feedback, TFRC */
    SEED ("\x8f\xce\0\5" SENDER "\0\0\0\0REMB\1\x0b\xd0\x90" MEDIA),
    SEED ("\x8f\xce\0\4" SENDER MEDIA "mine\1\2\3\4\x82\xcd\0\6" SENDER MEDIA "\xde\xad\xbe\xef\0\0\x4e\x20"
          "\0\1\xe8\x48\4\0\0\0"),
    /* APP, BYE */
    SEED ("\x91\xcc\0\3" SENDER "test\1\2\3\4\x82\xcb\0\4" SENDER MEDIA "\4over\0\0\0"),
    /* XR */
    SEED ("\x80\xcf\0\x09\0\0\0\7\4\0\0\2\1\2\3\4\5\6\7\x08\x1e\0\0\0\5\0\0\3\0\0\0\1\0\0\0\2\0\0\0\3"),
    /* TMMBR, TMMBN */
    SEED ("\x83\xcd\0\4" SENDER "\0\0\0\0" MEDIA "\x0b\xd0\x90\x28\x84\xcd\0\4" SENDER "\0\0\0\0" MEDIA
          "\x0b\xd0\x90\x28"),
    /* CCFB: 2 reports from 10; TWCC: 3 packets, of which each has a small delta */
    SEED ("\x8b\xcd\0\5" SENDER MEDIA "\0\x0a\0\2\x80\1\x9f\xfe\0\0\0\0"),
    SEED ("\x8f\xcd\0\6" SENDER MEDIA "\0\1\0\3\0\0\1\0\x20\3\4\4\4\0\0\0"),
    {NULL, 0},
};

static uint64_t sum;

static void
read_all (const void *data, size_t size)
{
  const uint8_t *at = data;

  while (size-- > 0)
    sum += *at++;
}

static void
on_speaks (void *user, uint32_t ssrc)
{
  sum += ssrc;
}

static void
on_sr (void *user, const RtcpSenderInfo *info)
{
  read_all (info, sizeof *info);
}

static void
on_block (void *user, uint32_t sender, const RtcpReportBlock *block)
{
  FUZZ_CHECK (block->packets_lost >= -0x800000 && block->packets_lost <= 0x7fffff);
}

static void
on_sdes (void *user, uint32_t ssrc, RtcpSdesType type, const char *text)
{
  FUZZ_CHECK (type >= RTCP_SDES_CNAME && type <= RTCP_SDES_NOTE);
  FUZZ_CHECK (strlen (text) <= 255);
}

static void
on_text (void *user, uint32_t ssrc, const char *text)
{
  FUZZ_CHECK (strlen (text) <= 255);
}

static void
on_app (void *user, uint32_t ssrc, uint8_t subtype, const uint8_t name[4], const uint8_t *data, size_t size)
{
  FUZZ_CHECK (subtype <= 31);
  read_all (name, 4);
  read_all (data, size);
}

static void
on_xr_block (void *user, uint32_t sender, uint8_t type, uint8_t specific, const uint8_t *content, size_t size)
{
  FUZZ_CHECK (size % 4 == 0);
  read_all (content, size);
}

static void
on_tfrc (void *user, uint32_t sender, uint32_t media, const TfrcReport *report)
{
  FUZZ_CHECK (report->p >= 0 && report->p <= 1);
}

static void
on_remb (void *user, uint32_t sender, const RtcpRemb *remb)
{
  FUZZ_CHECK (remb->n_ssrcs <= RTCP_FB_REMB_MAX_SSRCS);
}

static void
on_path (void *user, uint32_t sender, uint32_t media, const RtcpPath *path)
{
  read_all (path, sizeof *path);
}

static void
on_pli (void *user, uint32_t sender, uint32_t media)
{
  sum += media;
}

static void
on_fir (void *user, uint32_t sender, uint32_t media, uint8_t seq)
{
  sum += seq;
}

static void
on_nack (void *user, uint32_t sender, uint32_t media, const uint16_t *seqs, unsigned n)
{
  FUZZ_CHECK (n > 0 && n <= RTCP_WALK_MAX_NACKS);
  read_all (seqs, 2 * n);
}

static void
on_sli (void *user, uint32_t sender, uint32_t media, const RtcpSli *slices, unsigned n)
{
  FUZZ_CHECK (n > 0 && n <= RTCP_WALK_MAX_SLICES);
  for (unsigned i = 0; i < n; i++)
    FUZZ_CHECK (slices[i].first >= 1 && slices[i].number >= 1);
}

static void
on_rpsi (void *user, uint32_t sender, uint32_t media, const RtcpRpsi *rpsi)
{
  FUZZ_CHECK (rpsi->n_bits >= 1 && rpsi->n_bits <= 8 * RTCP_RPSI_MAX_BYTES);
}

static void
on_afb (void *user, uint32_t sender, uint32_t media, const uint8_t *fci, size_t size)
{
  read_all (fci, size);
}

static void
on_ccfb (void *user, uint32_t sender, const RtcpCcfbReader *report)
{
  RtcpCcfbReader reader = *report;
  RtcpCcfbBlock block;

  while (rtcp_ccfb_next (&reader, &block))
    for (unsigned i = 0; i < block.num_reports; i++) {
      RtcpCcfbMetric metric = rtcp_ccfb_metric (&block, i);

      FUZZ_CHECK (metric.ecn <= 3 && metric.ato <= RTCP_CCFB_ATO_UNKNOWN);
    }
}

static void
on_twcc (void *user, uint32_t sender, uint32_t media, const RtcpTwccReader *report)
{
  RtcpTwccReader reader = *report;
  RtcpTwccStatus status;
  unsigned n = 0;

  while (rtcp_twcc_next (&reader, &status))
    FUZZ_CHECK (status.seq == (uint16_t)(report->base_seq + n++));
  FUZZ_CHECK (n == report->status_count);
}

static void
on_tmmbr (void *user, uint32_t sender, const RtcpTmmb *entry)
{
  FUZZ_CHECK (entry->overhead_bytes <= RTCP_TMMB_MAX_OVERHEAD);
}

static void
on_tmmbn (void *user, uint32_t sender, const RtcpTmmb *entries, unsigned n)
{
  while (n-- > 0)
    on_tmmbr (user, sender, &entries[n]);
}

static void
on_malformed (void *user, unsigned packet_type)
{
  FUZZ_CHECK (packet_type <= 255);
}

static const RtcpHandlers handlers = {.speaks = on_speaks,
    .sr = on_sr,
    .report_block = on_block,
    .cname = on_text,
    .sdes = on_sdes,
    .bye = on_speaks,
    .bye_reason = on_text,
    .app = on_app,
    .xr_block = on_xr_block,
    .tfrc = on_tfrc,
    .remb = on_remb,
    .path = on_path,
    .pli = on_pli,
    .fir = on_fir,
    .nack = on_nack,
    .sli = on_sli,
    .rpsi = on_rpsi,
    .afb = on_afb,
    .ccfb = on_ccfb,
    .twcc = on_twcc,
    .tmmbr = on_tmmbr,
    .tmmbn = on_tmmbn,
    .malformed = on_malformed};

static void
mend (uint8_t *data, size_t size)
{
  data[0] = (uint8_t)(0x80 | (data[0] & 0x3f));
  data[1] = (uint8_t)(200 + data[1] % 8);
  rtcp_put_u16 (data + 2, (uint16_t)(size / 4 - 1));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *copy = fuzz_exact (data, size);

  rtcp_walk (copy, size, &handlers, NULL);
  free (copy);
  if (size < 4)
    return 0;
  size -= size % 4;
  copy = fuzz_exact (data, size);
  mend (copy, size);
  FUZZ_CHECK (rtcp_walk (copy, size, &handlers, NULL));
  free (copy);
  return 0;
}
