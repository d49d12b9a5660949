/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What SRTP costs a packet at either end, by cipher and by whether the packet was made with the key. Prints a table;
   has no opinion. */
#include "gstccsrtp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PACKETS 50000
#define PACKET_BYTES 1224 /* a payload of 1200, RTP with the send time */

typedef struct {
  guint8 data[PACKET_BYTES + GST_CC_SRTP_ROOM];
  gsize size;
} Packet;

static double
cpu_us (void)
{
  struct timespec at;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &at);
  return (double)at.tv_sec * 1e6 + (double)at.tv_nsec / 1e3;
}

static GstCcSrtp *
new_end (GstCcSrtpPolicy policy, gsize key_bytes, guint8 byte)
{
  GstCcSrtpParams params;
  GstCcSrtp *srtp;

  gst_cc_srtp_params_init (&params);
  params.rtp = params.rtcp = policy;
  params.key = gst_buffer_new_allocate (NULL, key_bytes, NULL);
  gst_buffer_memset (params.key, 0, byte, key_bytes);
  srtp = gst_cc_srtp_new (&params, NULL);
  gst_cc_srtp_params_clear (&params);
  return srtp;
}

static void
fill (Packet *p, guint32 ssrc, guint16 seq)
{
  memset (p->data, 0x55, PACKET_BYTES);
  p->data[0] = 0x80;
  p->data[1] = 96;
  GST_WRITE_UINT16_BE (p->data + 2, seq);
  GST_WRITE_UINT32_BE (p->data + 8, ssrc);
  p->size = PACKET_BYTES;
}

static double
cost_of (gboolean (*how) (GstCcSrtp *, guint8 *, gsize *), GstCcSrtp *end, Packet *packets, gboolean expected)
{
  double begin = cpu_us ();
  guint i;

  for (i = 0; i < PACKETS; i++)
    if (how (end, packets[i].data, &packets[i].size) != expected)
      exit (1);
  return (cpu_us () - begin) / PACKETS;
}

static void
measure (const char *name, GstCcSrtpPolicy policy, gsize key_bytes, Packet *packets)
{
  GstCcSrtp *from = new_end (policy, key_bytes, 1), *to = new_end (policy, key_bytes, 1);
  double protect, open, forged, invented;
  guint i;

  for (i = 0; i < PACKETS; i++)
    fill (&packets[i], 1, (guint16)i);
  protect = cost_of (gst_cc_srtp_protect_rtp, from, packets, TRUE);
  open = cost_of (gst_cc_srtp_open_rtp, to, packets, TRUE);
  for (i = 0; i < PACKETS; i++)
    fill (&packets[i], 1, (guint16)(PACKETS + i % 10000));
  forged = cost_of (gst_cc_srtp_open_rtp, to, packets, FALSE);
  for (i = 0; i < PACKETS; i++)
    fill (&packets[i], 2 + i, (guint16)i);
  invented = cost_of (gst_cc_srtp_open_rtp, to, packets, FALSE);
  printf ("%-28s %8.2f %8.2f %8.2f %8.2f\n", name, protect, open, forged, invented);
  gst_cc_srtp_free (from);
  gst_cc_srtp_free (to);
}

int
main (int argc, char **argv)
{
  const GstCcSrtpPolicy icm = {GST_CC_SRTP_CIPHER_AES_128_ICM, GST_CC_SRTP_AUTH_HMAC_SHA1_80};
  const GstCcSrtpPolicy icm_256 = {GST_CC_SRTP_CIPHER_AES_256_ICM, GST_CC_SRTP_AUTH_HMAC_SHA1_80};
  const GstCcSrtpPolicy gcm = {GST_CC_SRTP_CIPHER_AES_128_GCM, GST_CC_SRTP_AUTH_NULL};
  const GstCcSrtpPolicy gcm_256 = {GST_CC_SRTP_CIPHER_AES_256_GCM, GST_CC_SRTP_AUTH_NULL};
  Packet *packets;

  gst_init (&argc, &argv);
  if (!gst_cc_srtp_is_available ()) {
    puts ("built without libsrtp2");
    return 0;
  }
  packets = g_new (Packet, PACKETS);
  printf ("us of CPU per packet of %d bytes; forged: under the SSRC of the call, under ever new ones\n", PACKET_BYTES);
  printf ("%-28s %8s %8s %8s %8s\n", "", "protect", "open", "forged", "new SSRC");
  measure ("aes-128-icm, hmac-sha1-80", icm, 30, packets);
  measure ("aes-256-icm, hmac-sha1-80", icm_256, 46, packets);
  measure ("aes-128-gcm", gcm, 28, packets);
  measure ("aes-256-gcm", gcm_256, 44, packets);
  g_free (packets);
  return 0;
}
