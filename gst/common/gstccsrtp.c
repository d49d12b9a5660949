/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccsrtp.h"

#ifdef HAVE_LIBSRTP

#include <gio/gio.h>
#include <srtp2/crypto_types.h>
#include <srtp2/srtp.h>
#include <string.h>

/* Packets that may come late and out of order: 100 ms at 10 000 packets/s. */
#define REPLAY_WINDOW 1024
#define RTCP_INDEX 4 /* bytes, RFC 3711 3.4 */
#define GCM_TAG 16
#define SMALLEST_RTP 12
#define SMALLEST_RTCP 8
/* RFC 3711 3.3.1: a receiver that comes late does not know how often the numbers have wrapped. It looks for that where
   packets of an SSRC that it does not know fail, as soon as so many of them are no accident. */
#define ACCIDENTS 5
/* 2^12 times are two days and a half at 1250 packets/s, and are through after 256 packets. */
#define ROLLOVERS (1u << 12)
#define ROLLOVERS_A_PACKET 16
/* Once something has opened, or all have been tried in vain, it looks at one packet in so many: who forges packets
   draws two checks for each and no more. */
#define SLOWLY 16
/* Packets of other SSRCs that wait until one that is looked for and sends no more gives way. */
#define PATIENCE 64
#define LARGEST (1 << 16)
/* What libsrtp2 never says of a session that takes any SSRC: our own RTCP came back. It was made with the key. */
#define REFLECTED srtp_err_status_no_ctx
/* When it is the key. RTCP opens for who comes late; RTP may need so long. */
#define SUSPICIOUS_RTCP 5
#define SUSPICIOUS_RTP 200

struct GstCcSrtp {
  GMutex lock;
  srtp_t out, in;
  gboolean one_key; /* for both ways */
  guint rtp_overhead, rtcp_overhead;
  GstCcSrtpCounts counts;
  guint suspicion; /* SUSPICIOUS_RTP is enough */
  gboolean told;

  srtp_policy_t policy; /* of what arrives */
  guint8 key[SRTP_MAX_KEY_LEN];

  guint failed;       /* RTP packets of unknown SSRCs since one has opened */
  gboolean succeeded; /* one has */
  gboolean searching; /* how often the numbers of searched_ssrc have wrapped; a stream of it is in the session */
  guint32 searched_ssrc, rollover;
  guint tried, turns, others;
  guint8 *scratch; /* LARGEST bytes, once something has been looked for */
};

gboolean
gst_cc_srtp_is_available (void)
{
  return TRUE;
}

/* Where somebody else in the process did so before (srtpenc), its debug module cannot be loaded twice, which says so.
 */
static gpointer
start_library (gpointer unused)
{
  srtp_err_status_t status = srtp_init ();

  return GINT_TO_POINTER (status == srtp_err_status_ok || status == srtp_err_status_bad_param);
}

static gboolean
library_runs (void)
{
  static GOnce once = G_ONCE_INIT;

  return GPOINTER_TO_INT (g_once (&once, start_library, NULL));
}

static gboolean
is_gcm (const GstCcSrtpPolicy *p)
{
  return p->cipher == GST_CC_SRTP_CIPHER_AES_128_GCM || p->cipher == GST_CC_SRTP_CIPHER_AES_256_GCM;
}

static guint
key_bytes (const GstCcSrtpPolicy *p)
{
  switch (p->cipher) {
  case GST_CC_SRTP_CIPHER_AES_256_ICM:
    return SRTP_AES_ICM_256_KEY_LEN_WSALT;
  case GST_CC_SRTP_CIPHER_AES_128_GCM:
    return SRTP_AES_GCM_128_KEY_LEN_WSALT;
  case GST_CC_SRTP_CIPHER_AES_256_GCM:
    return SRTP_AES_GCM_256_KEY_LEN_WSALT;
  default:
    return SRTP_AES_ICM_128_KEY_LEN_WSALT;
  }
}

static guint
tag_bytes (const GstCcSrtpPolicy *p)
{
  return is_gcm (p) ? GCM_TAG : p->auth == GST_CC_SRTP_AUTH_HMAC_SHA1_32 ? 4 : 10;
}

static void
fill_policy (const GstCcSrtpPolicy *p, srtp_crypto_policy_t *policy)
{
  static const srtp_cipher_type_id_t ciphers[] = {
      SRTP_NULL_CIPHER, SRTP_AES_ICM_128, SRTP_AES_ICM_256, SRTP_AES_GCM_128, SRTP_AES_GCM_256};

  memset (policy, 0, sizeof *policy);
  policy->cipher_type = ciphers[p->cipher];
  policy->cipher_key_len = (int)key_bytes (p);
  policy->auth_tag_len = (int)tag_bytes (p);
  policy->auth_type = is_gcm (p) ? SRTP_NULL_AUTH : SRTP_HMAC_SHA1;
  policy->auth_key_len = is_gcm (p) ? 0 : 20;
  policy->sec_serv = p->cipher == GST_CC_SRTP_CIPHER_NULL ? sec_serv_auth : sec_serv_conf_and_auth;
}

static gboolean
check_policy (const GstCcSrtpPolicy *p, const gchar *prefix, GError **error)
{
  if (p->auth != GST_CC_SRTP_AUTH_NULL || is_gcm (p))
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "%s-auth=null lets everybody change packets. Set it to hmac-sha1-80, or %s-cipher to aes-128-gcm", prefix,
      prefix);
  return FALSE;
}

static gboolean
take_key (const GstCcSrtpParams *params, GstBuffer *key, const gchar *name, guint8 *out, GError **error)
{
  gsize size = gst_buffer_get_size (key), wanted = MAX (key_bytes (&params->rtp), key_bytes (&params->rtcp));

  if (size == wanted) {
    gst_buffer_extract (key, 0, out, size);
    return TRUE;
  }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "%s has %" G_GSIZE_FORMAT " bytes. For this cipher give %" G_GSIZE_FORMAT ", key and salt, in %" G_GSIZE_FORMAT
      " hexadecimal digits",
      name, size, wanted, 2 * wanted);
  return FALSE;
}

/* The key stands where policy->key points to. */
static gboolean
create (srtp_t *session, srtp_policy_t *policy, srtp_ssrc_type_t direction, GError **error)
{
  srtp_err_status_t status;

  policy->ssrc.type = direction;
  status = srtp_create (session, policy);
  if (status == srtp_err_status_ok)
    return TRUE;
  *session = NULL;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
      "libsrtp2 does not take this cipher (status %d). Choose another one, or install a libsrtp2 built with OpenSSL or "
      "NSS",
      (int)status);
  return FALSE;
}

static gboolean
create_both (GstCcSrtp *srtp, const GstCcSrtpParams *params, GError **error)
{
  srtp_policy_t *policy = &srtp->policy;

  policy->key = srtp->key;
  policy->window_size = REPLAY_WINDOW;
  fill_policy (&params->rtp, &policy->rtp);
  fill_policy (&params->rtcp, &policy->rtcp);
  if (!take_key (params, params->key, "srtp-key", srtp->key, error) ||
      !create (&srtp->out, policy, ssrc_any_outbound, error))
    return FALSE;
  if (params->peer_key != NULL && !take_key (params, params->peer_key, "srtp-peer-key", srtp->key, error))
    return FALSE;
  return create (&srtp->in, policy, ssrc_any_inbound, error);
}

GstCcSrtp *
gst_cc_srtp_new (const GstCcSrtpParams *params, GError **error)
{
  GstCcSrtp *srtp;

  if (params->key == NULL) {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "srtp-key is missing. Set it, too");
    return NULL;
  }
  if (!library_runs ()) {
    g_set_error_literal (
        error, G_IO_ERROR, G_IO_ERROR_FAILED, "libsrtp2 fails its self-tests. Install the package libsrtp2-1 again");
    return NULL;
  }
  if (!check_policy (&params->rtp, "srtp", error) || !check_policy (&params->rtcp, "srtcp", error))
    return NULL;
  srtp = g_new0 (GstCcSrtp, 1);
  g_mutex_init (&srtp->lock);
  srtp->one_key = params->peer_key == NULL;
  srtp->rtp_overhead = tag_bytes (&params->rtp);
  srtp->rtcp_overhead = RTCP_INDEX + tag_bytes (&params->rtcp);
  if (!create_both (srtp, params, error))
    g_clear_pointer (&srtp, gst_cc_srtp_free);
  return srtp;
}

void
gst_cc_srtp_free (GstCcSrtp *srtp)
{
  if (srtp == NULL)
    return;
  if (srtp->out != NULL)
    srtp_dealloc (srtp->out);
  if (srtp->in != NULL)
    srtp_dealloc (srtp->in);
  explicit_bzero (srtp->key, sizeof srtp->key);
  g_free (srtp->scratch);
  g_mutex_clear (&srtp->lock);
  g_free (srtp);
}

guint
gst_cc_srtp_rtp_overhead (const GstCcSrtp *srtp)
{
  return srtp != NULL ? srtp->rtp_overhead : 0;
}

guint
gst_cc_srtp_rtcp_overhead (const GstCcSrtp *srtp)
{
  return srtp != NULL ? srtp->rtcp_overhead : 0;
}

/* ---- what leaves ---- */

typedef srtp_err_status_t (*Protect) (srtp_t session, void *data, int *size);

static gboolean
protect (GstCcSrtp *srtp, Protect how, guint8 *data, gsize *size, gsize smallest)
{
  int length = (int)*size;
  srtp_err_status_t status;

  if (*size < smallest || *size > G_MAXINT - GST_CC_SRTP_ROOM)
    return FALSE;
  g_mutex_lock (&srtp->lock);
  status = how (srtp->out, data, &length);
  g_mutex_unlock (&srtp->lock);
  *size = (gsize)length;
  return status == srtp_err_status_ok;
}

gboolean
gst_cc_srtp_protect_rtp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return protect (srtp, srtp_protect, data, size, SMALLEST_RTP);
}

gboolean
gst_cc_srtp_protect_rtcp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return protect (srtp, srtp_protect_rtcp, data, size, SMALLEST_RTCP);
}

/* ---- what arrives; under the lock ---- */

static srtp_err_status_t
try_rollover (GstCcSrtp *srtp, guint32 rollover, const guint8 *data, int *size)
{
  srtp_set_stream_roc (srtp->in, srtp->searched_ssrc, rollover);
  memcpy (srtp->scratch, data, (gsize)*size);
  return srtp_unprotect (srtp->in, srtp->scratch, size);
}

static gboolean
is_searched (const GstCcSrtp *srtp, guint32 ssrc)
{
  return srtp->searching && srtp->searched_ssrc == ssrc;
}

static gboolean
has_opened (GstCcSrtp *srtp, guint32 ssrc)
{
  guint32 rollover;

  return !is_searched (srtp, ssrc) && srtp_get_stream_roc (srtp->in, ssrc, &rollover) == srtp_err_status_ok;
}

/* One SSRC at a time. FALSE: it is another's turn. */
static gboolean
begin_search (GstCcSrtp *srtp, guint32 ssrc)
{
  if (is_searched (srtp, ssrc)) {
    srtp->others = 0;
    return TRUE;
  }
  if (srtp->failed < ACCIDENTS || (srtp->searching && srtp->others++ < PATIENCE))
    return FALSE;
  if (srtp->searching)
    srtp_remove_stream (srtp->in, g_htonl (srtp->searched_ssrc));
  srtp->policy.ssrc.type = ssrc_specific;
  srtp->policy.ssrc.value = ssrc;
  srtp->searching = srtp_add_stream (srtp->in, &srtp->policy) == srtp_err_status_ok;
  srtp->searched_ssrc = ssrc;
  srtp->rollover = srtp->tried = srtp->turns = srtp->others = 0;
  if (srtp->scratch == NULL)
    srtp->scratch = g_malloc (LARGEST);
  return srtp->searching;
}

static guint
rollovers_to_try (GstCcSrtp *srtp)
{
  gboolean slowly = srtp->succeeded || srtp->tried >= ROLLOVERS;

  return slowly && srtp->turns++ % SLOWLY > 0 ? 0 : ROLLOVERS_A_PACKET;
}

static srtp_err_status_t
search (GstCcSrtp *srtp, guint8 *data, int *size)
{
  guint i, n = rollovers_to_try (srtp);
  srtp_err_status_t status = srtp_err_status_auth_fail;

  for (i = 0; i <= n && status != srtp_err_status_ok; i++) {
    int length = *size;

    /* nought each time: what does not open may have been sent by others under the SSRC of who begins now */
    if (i > 0) {
      srtp->rollover = srtp->rollover % ROLLOVERS + 1;
      srtp->tried++;
    }
    status = try_rollover (srtp, i == 0 ? 0 : srtp->rollover, data, &length);
    if (status == srtp_err_status_ok) {
      memcpy (data, srtp->scratch, (gsize)length);
      *size = length;
      srtp->searching = FALSE;
    }
  }
  return status;
}

static srtp_err_status_t
open_rtp (GstCcSrtp *srtp, guint8 *data, int *size)
{
  guint32 ssrc = GST_READ_UINT32_BE (data + 8);
  srtp_err_status_t status;

  if (has_opened (srtp, ssrc))
    return srtp_unprotect (srtp->in, data, size);
  if (*size <= LARGEST && begin_search (srtp, ssrc))
    status = search (srtp, data, size);
  else
    status = srtp_unprotect (srtp->in, data, size);
  srtp->succeeded |= status == srtp_err_status_ok;
  srtp->failed = status == srtp_err_status_ok ? 0 : srtp->failed + 1;
  return status;
}

/* With one key for both ways what we sent is authentic when somebody sends it back. */
static gboolean
is_reflection (GstCcSrtp *srtp, const guint8 *data)
{
  guint32 rollover;

  return srtp->one_key &&
         srtp_get_stream_roc (srtp->out, GST_READ_UINT32_BE (data + 4), &rollover) == srtp_err_status_ok;
}

static srtp_err_status_t
open_rtcp (GstCcSrtp *srtp, guint8 *data, int *size)
{
  return is_reflection (srtp, data) ? REFLECTED : srtp_unprotect_rtcp (srtp->in, data, size);
}

static void
count (GstCcSrtp *srtp, srtp_err_status_t status, guint suspicion)
{
  if (status == srtp_err_status_ok) {
    srtp->counts.opened++;
  } else if (status == srtp_err_status_replay_fail || status == srtp_err_status_replay_old) {
    srtp->counts.replayed++;
  } else {
    srtp->counts.refused++;
    srtp->suspicion += status != REFLECTED ? suspicion : 0;
  }
}

typedef srtp_err_status_t (*Open) (GstCcSrtp *srtp, guint8 *data, int *size);

static gboolean
open_packet (GstCcSrtp *srtp, Open how, guint suspicion, guint8 *data, gsize *size, gsize smallest)
{
  srtp_err_status_t status = srtp_err_status_bad_param;
  int length = (int)*size;

  g_mutex_lock (&srtp->lock);
  if (*size >= smallest && *size <= G_MAXINT)
    status = how (srtp, data, &length);
  count (srtp, status, suspicion);
  g_mutex_unlock (&srtp->lock);
  *size = (gsize)length;
  return status == srtp_err_status_ok;
}

gboolean
gst_cc_srtp_open_rtp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return open_packet (srtp, open_rtp, 1, data, size, SMALLEST_RTP + srtp->rtp_overhead);
}

gboolean
gst_cc_srtp_open_rtcp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return open_packet (
      srtp, open_rtcp, SUSPICIOUS_RTP / SUSPICIOUS_RTCP, data, size, SMALLEST_RTCP + srtp->rtcp_overhead);
}

GstCcSrtpCounts
gst_cc_srtp_counts (GstCcSrtp *srtp)
{
  GstCcSrtpCounts counts = {0};

  if (srtp == NULL)
    return counts;
  g_mutex_lock (&srtp->lock);
  counts = srtp->counts;
  g_mutex_unlock (&srtp->lock);
  return counts;
}

gboolean
gst_cc_srtp_take_suspicion (GstCcSrtp *srtp)
{
  gboolean news;

  g_mutex_lock (&srtp->lock);
  news = !srtp->told && srtp->counts.opened == 0 && srtp->suspicion >= SUSPICIOUS_RTP;
  srtp->told |= news;
  g_mutex_unlock (&srtp->lock);
  return news;
}

#else /* HAVE_LIBSRTP */

#include <gio/gio.h>

gboolean
gst_cc_srtp_is_available (void)
{
  return FALSE;
}

GstCcSrtp *
gst_cc_srtp_new (const GstCcSrtpParams *params, GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
      "this plug-in was built without libsrtp2. Install libsrtp2-dev, then build it again");
  return NULL;
}

void
gst_cc_srtp_free (GstCcSrtp *srtp)
{
}

guint
gst_cc_srtp_rtp_overhead (const GstCcSrtp *srtp)
{
  return 0;
}

guint
gst_cc_srtp_rtcp_overhead (const GstCcSrtp *srtp)
{
  return 0;
}

gboolean
gst_cc_srtp_protect_rtp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return FALSE;
}

gboolean
gst_cc_srtp_protect_rtcp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return FALSE;
}

gboolean
gst_cc_srtp_open_rtp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return FALSE;
}

gboolean
gst_cc_srtp_open_rtcp (GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  return FALSE;
}

GstCcSrtpCounts
gst_cc_srtp_counts (GstCcSrtp *srtp)
{
  return (GstCcSrtpCounts){0};
}

gboolean
gst_cc_srtp_take_suspicion (GstCcSrtp *srtp)
{
  return FALSE;
}

#endif /* HAVE_LIBSRTP */

void
gst_cc_srtp_params_init (GstCcSrtpParams *params)
{
  const GstCcSrtpPolicy usual = {GST_CC_SRTP_CIPHER_AES_128_ICM, GST_CC_SRTP_AUTH_HMAC_SHA1_80};

  *params = (GstCcSrtpParams){.rtp = usual, .rtcp = usual};
}

void
gst_cc_srtp_params_clear (GstCcSrtpParams *params)
{
  gst_clear_buffer (&params->key);
  gst_clear_buffer (&params->peer_key);
}
