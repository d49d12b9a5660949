/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP and SRTCP (RFC 3711, RFC 7714) of one flow both ways, by libsrtp2: packets are protected and opened in place.
   Nothing is allocated for a packet, only for an SSRC that has proved to have the key. */
#ifndef GST_CC_SRTP_H
#define GST_CC_SRTP_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Bytes that have to be free behind a packet that is to be protected. */
#define GST_CC_SRTP_ROOM 160

/* Numbered and called as those of srtpenc. */
typedef enum {
  GST_CC_SRTP_CIPHER_NULL,
  GST_CC_SRTP_CIPHER_AES_128_ICM,
  GST_CC_SRTP_CIPHER_AES_256_ICM,
  GST_CC_SRTP_CIPHER_AES_128_GCM,
  GST_CC_SRTP_CIPHER_AES_256_GCM
} GstCcSrtpCipher;

typedef enum { GST_CC_SRTP_AUTH_NULL, GST_CC_SRTP_AUTH_HMAC_SHA1_32, GST_CC_SRTP_AUTH_HMAC_SHA1_80 } GstCcSrtpAuth;

/* What either kind of packet is protected by; auth does not count where the cipher is GCM, which has its own. */
typedef struct {
  GstCcSrtpCipher cipher;
  GstCcSrtpAuth auth;
} GstCcSrtpPolicy;

typedef struct {
  GstBuffer *key, *peer_key; /* master key and salt of what is sent, of what arrives; peer_key NULL: the same */
  GstCcSrtpPolicy rtp, rtcp;
  gboolean changed; /* since an end was made of it; the user's to set and to clear */
} GstCcSrtpParams;

typedef struct {
  guint64 opened, refused, replayed; /* packets that arrived; refused: not made with the key, or our own come back */
} GstCcSrtpCounts;

typedef struct GstCcSrtp GstCcSrtp;

gboolean gst_cc_srtp_is_available (void); /* whether libsrtp2 is there */

/* No key, the usual policies. */
void gst_cc_srtp_params_init (GstCcSrtpParams *params);
void gst_cc_srtp_params_clear (GstCcSrtpParams *params);

/* NULL with error set, whose message names the cure, where it cannot be. */
GstCcSrtp *gst_cc_srtp_new (const GstCcSrtpParams *params, GError **error);
void gst_cc_srtp_free (GstCcSrtp *srtp); /* NULL: nothing */

/* Bytes that a packet grows by; srtp NULL: 0. */
guint gst_cc_srtp_rtp_overhead (const GstCcSrtp *srtp);
guint gst_cc_srtp_rtcp_overhead (const GstCcSrtp *srtp);

/* In place, from any thread. protect: GST_CC_SRTP_ROOM bytes behind the packet are free. FALSE: it must not leave. */
gboolean gst_cc_srtp_protect_rtp (GstCcSrtp *srtp, guint8 *data, gsize *size);
gboolean gst_cc_srtp_protect_rtcp (GstCcSrtp *srtp, guint8 *data, gsize *size);
/* FALSE: nobody who has the key sent it, or it came before; the bytes are of no use. */
gboolean gst_cc_srtp_open_rtp (GstCcSrtp *srtp, guint8 *data, gsize *size);
gboolean gst_cc_srtp_open_rtcp (GstCcSrtp *srtp, guint8 *data, gsize *size);

GstCcSrtpCounts gst_cc_srtp_counts (GstCcSrtp *srtp); /* srtp NULL: zeros */
/* TRUE once: packets come and the key has opened none. */
gboolean gst_cc_srtp_take_suspicion (GstCcSrtp *srtp);

G_END_DECLS
#endif
