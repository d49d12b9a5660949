/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsrtp.h"

#include "gstccrtcp.h"

#include <string.h>

/* ---- properties ---- */

GType
gst_tfrc_srtp_cipher_get_type (void)
{
  static const GEnumValue values[] = {{GST_CC_SRTP_CIPHER_NULL, "None: packets are authenticated only", "null"},
      {GST_CC_SRTP_CIPHER_AES_128_ICM, "AES with a key of 128 bits in counter mode", "aes-128-icm"},
      {GST_CC_SRTP_CIPHER_AES_256_ICM, "AES with a key of 256 bits in counter mode", "aes-256-icm"},
      {GST_CC_SRTP_CIPHER_AES_128_GCM, "AES with a key of 128 bits in Galois/counter mode, which authenticates as well",
          "aes-128-gcm"},
      {GST_CC_SRTP_CIPHER_AES_256_GCM, "AES with a key of 256 bits in Galois/counter mode, which authenticates as well",
          "aes-256-gcm"},
      {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcSrtpCipher", values));
  return (GType)type;
}

GType
gst_tfrc_srtp_auth_get_type (void)
{
  static const GEnumValue values[] = {
      {GST_CC_SRTP_AUTH_NULL, "None: with a cipher in Galois/counter mode only", "null"},
      {GST_CC_SRTP_AUTH_HMAC_SHA1_32, "HMAC-SHA1, a tag of 4 bytes", "hmac-sha1-32"},
      {GST_CC_SRTP_AUTH_HMAC_SHA1_80, "HMAC-SHA1, a tag of 10 bytes", "hmac-sha1-80"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcSrtpAuth", values));
  return (GType)type;
}

#define FIXED (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define SECRET (G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void
install_policy (GObjectClass *klass, guint cipher, const gchar *cipher_name, guint auth, const gchar *auth_name,
    const gchar *packets)
{
  g_object_class_install_property (klass, cipher,
      g_param_spec_enum (
          cipher_name, "Cipher", packets, GST_TYPE_TFRC_SRTP_CIPHER, GST_CC_SRTP_CIPHER_AES_128_ICM, FIXED));
  g_object_class_install_property (klass, auth,
      g_param_spec_enum (
          auth_name, "Authentication", packets, GST_TYPE_TFRC_SRTP_AUTH, GST_CC_SRTP_AUTH_HMAC_SHA1_80, FIXED));
}

void
gst_tfrc_srtp_install_properties (GObjectClass *klass, guint first)
{
  g_object_class_install_property (klass, first + GST_TFRC_SRTP_KEY,
      g_param_spec_boxed ("srtp-key", "SRTP key",
          "Master key and salt, 30 bytes for aes-128-icm: RTP and RTCP are encrypted and authenticated, and what is "
          "not "
          "made with it is refused. From the next start on; another one for each call (NULL: no SRTP)",
          GST_TYPE_BUFFER, SECRET));
  g_object_class_install_property (klass, first + GST_TFRC_SRTP_PEER_KEY,
      g_param_spec_boxed ("srtp-peer-key", "SRTP key of the peer",
          "What arrives is made with this one (NULL: with srtp-key)", GST_TYPE_BUFFER, SECRET));
  install_policy (klass, first + GST_TFRC_SRTP_CIPHER, "srtp-cipher", first + GST_TFRC_SRTP_AUTH, "srtp-auth",
      "How RTP is protected where srtp-key is set");
  install_policy (klass, first + GST_TFRC_SRTCP_CIPHER, "srtcp-cipher", first + GST_TFRC_SRTCP_AUTH, "srtcp-auth",
      "How RTCP is protected where srtp-key is set");
}

static gboolean
is_same_key (GstBuffer *one, GstBuffer *other)
{
  GstMapInfo map;
  gboolean same;

  if (one == NULL || other == NULL || !gst_buffer_map (one, &map, GST_MAP_READ))
    return one == other;
  same = map.size == gst_buffer_get_size (other) && gst_buffer_memcmp (other, 0, map.data, map.size) == 0;
  gst_buffer_unmap (one, &map);
  return same;
}

static gboolean
set_value (GstCcSrtpParams *params, guint which, const GValue *value)
{
  switch (which) {
  case GST_TFRC_SRTP_KEY:
    params->key = g_value_dup_boxed (value);
    return TRUE;
  case GST_TFRC_SRTP_PEER_KEY:
    params->peer_key = g_value_dup_boxed (value);
    return TRUE;
  case GST_TFRC_SRTP_CIPHER:
    params->rtp.cipher = (GstCcSrtpCipher)g_value_get_enum (value);
    return TRUE;
  case GST_TFRC_SRTP_AUTH:
    params->rtp.auth = (GstCcSrtpAuth)g_value_get_enum (value);
    return TRUE;
  case GST_TFRC_SRTCP_CIPHER:
    params->rtcp.cipher = (GstCcSrtpCipher)g_value_get_enum (value);
    return TRUE;
  case GST_TFRC_SRTCP_AUTH:
    params->rtcp.auth = (GstCcSrtpAuth)g_value_get_enum (value);
    return TRUE;
  default:
    return FALSE;
  }
}

/* The same key once more is none to begin anew with: numbers would be used twice. */
gboolean
gst_tfrc_srtp_set_property (GstCcSrtpParams *params, guint which, const GValue *value)
{
  GstCcSrtpParams before = *params;

  if (!set_value (params, which, value))
    return FALSE;
  params->changed = params->changed || !is_same_key (before.key, params->key) ||
                    !is_same_key (before.peer_key, params->peer_key) ||
                    memcmp (&before.rtp, &params->rtp, sizeof before.rtp) != 0 ||
                    memcmp (&before.rtcp, &params->rtcp, sizeof before.rtcp) != 0;
  if (which == GST_TFRC_SRTP_KEY)
    gst_clear_buffer (&before.key);
  if (which == GST_TFRC_SRTP_PEER_KEY)
    gst_clear_buffer (&before.peer_key);
  return TRUE;
}

void
gst_tfrc_srtp_tell_late (GstElement *element, const GstCcSrtpParams *params, guint which, gboolean has_key)
{
  if (which >= GST_TFRC_SRTP_PROPERTIES || GST_STATE (element) <= GST_STATE_READY || !params->changed)
    return;
  GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
      ("SRTP settings are taken at the start: this run goes on %s. Set srtp-key and what belongs to it in NULL or "
       "READY, at both ends.",
          has_key ? "with those before" : "without SRTP"),
      (NULL));
}

gboolean
gst_tfrc_srtp_get_property (const GstCcSrtpParams *params, guint which, GValue *value)
{
  switch (which) {
  case GST_TFRC_SRTP_CIPHER:
    g_value_set_enum (value, params->rtp.cipher);
    return TRUE;
  case GST_TFRC_SRTP_AUTH:
    g_value_set_enum (value, params->rtp.auth);
    return TRUE;
  case GST_TFRC_SRTCP_CIPHER:
    g_value_set_enum (value, params->rtcp.cipher);
    return TRUE;
  case GST_TFRC_SRTCP_AUTH:
    g_value_set_enum (value, params->rtcp.auth);
    return TRUE;
  default:
    return FALSE;
  }
}

gboolean
gst_tfrc_srtp_start (GstElement *element, GstCcSrtpParams *params, GstCcSrtp **srtp)
{
  GstCcSrtpParams copy;
  GError *error = NULL;

  GST_OBJECT_LOCK (element);
  params->changed = FALSE;
  copy = *params;
  copy.key = copy.key != NULL ? gst_buffer_ref (copy.key) : NULL;
  copy.peer_key = copy.peer_key != NULL ? gst_buffer_ref (copy.peer_key) : NULL;
  GST_OBJECT_UNLOCK (element);
  *srtp = NULL;
  if (copy.key != NULL || copy.peer_key != NULL)
    *srtp = gst_cc_srtp_new (&copy, &error);
  gst_cc_srtp_params_clear (&copy);
  if (error == NULL)
    return TRUE;
  /* who tries again from READY must not pass without it */
  GST_OBJECT_LOCK (element);
  params->changed = TRUE;
  GST_OBJECT_UNLOCK (element);
  GST_ELEMENT_ERROR (element, LIBRARY, SETTINGS, ("SRTP cannot be used: %s.", error->message), (NULL));
  g_error_free (error);
  return FALSE;
}

gboolean
gst_tfrc_srtp_is_changed (GstElement *element, const GstCcSrtpParams *params)
{
  gboolean changed;

  GST_OBJECT_LOCK (element);
  changed = params->changed;
  GST_OBJECT_UNLOCK (element);
  return changed;
}

/* ---- what comes of it ---- */

void
gst_tfrc_srtp_tell (GstElement *element, GstCcSrtp *srtp)
{
  if (gst_cc_srtp_take_suspicion (srtp))
    GST_ELEMENT_WARNING (element, STREAM, DECRYPT,
        ("Packets come that were not made with the key, and none that was: nothing is accepted. Set the same srtp-key, "
         "srtp-cipher, srtp-auth, srtcp-cipher and srtcp-auth at both ends."),
        (NULL));
}

void
gst_tfrc_srtp_add_stats (GstStructure *structure, const GstCcSrtpCounts *counts)
{
  gst_structure_set (structure, "srtp-opened", G_TYPE_UINT64, counts->opened, "srtp-refused", G_TYPE_UINT64,
      counts->refused, "srtp-replayed", G_TYPE_UINT64, counts->replayed, NULL);
}

/* ---- packets ---- */

gsize
gst_tfrc_srtp_gather (GstCcSrtp *srtp, const struct iovec *pieces, guint n, guint8 *out, gsize capacity)
{
  gsize size = 0;
  guint i;

  for (i = 0; i < n; i++) {
    if (size + pieces[i].iov_len + GST_CC_SRTP_ROOM > capacity)
      return 0;
    memcpy (out + size, pieces[i].iov_base, pieces[i].iov_len);
    size += pieces[i].iov_len;
  }
  return gst_cc_srtp_protect_rtp (srtp, out, &size) ? size : 0;
}

GstBuffer *
gst_tfrc_srtp_protect_rtcp (GstCcSrtp *srtp, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  GstBuffer *result;
  GstMapInfo map;
  gboolean ok;

  if (srtp == NULL)
    return buffer;
  result = gst_buffer_new_allocate (NULL, size + GST_CC_SRTP_ROOM, NULL);
  gst_buffer_copy_into (result, buffer, GST_BUFFER_COPY_METADATA, 0, (gsize)-1); /* with the address it goes to */
  gst_buffer_map (result, &map, GST_MAP_WRITE);
  gst_buffer_extract (buffer, 0, map.data, size);
  ok = gst_cc_srtp_protect_rtcp (srtp, map.data, &size);
  gst_buffer_unmap (result, &map);
  gst_buffer_unref (buffer);
  gst_buffer_set_size (result, (gssize)size);
  if (!ok)
    gst_clear_buffer (&result);
  return result;
}

gboolean
gst_tfrc_srtp_open_rtcp (GstElement *element, GstCcSrtp *srtp, guint8 *data, gsize *size)
{
  if (srtp == NULL || gst_cc_srtp_open_rtcp (srtp, data, size))
    return TRUE;
  gst_tfrc_srtp_tell (element, srtp);
  return FALSE;
}

static gboolean
open_mapped (GstCcSrtp *srtp, GstMapInfo *map, gsize *size)
{
  *size = map->size;
  return rtcp_is_rtcp (map->data, map->size) ? gst_cc_srtp_open_rtcp (srtp, map->data, size)
                                             : gst_cc_srtp_open_rtp (srtp, map->data, size);
}

/* A list would pass unopened: there is none, and where there is one day nothing comes. */
static GstPadProbeReturn
open_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstTfrcSrtpGate *gate = user;
  gboolean opened = FALSE;
  GstBuffer *buffer;
  GstMapInfo map;
  gsize size = 0;

  (void)pad;
  if (gate->srtp == NULL)
    return GST_PAD_PROBE_OK;
  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER))
    return GST_PAD_PROBE_DROP;
  buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  if (gst_buffer_map (buffer, &map, GST_MAP_READWRITE)) {
    opened = open_mapped (gate->srtp, &map, &size);
    gst_buffer_unmap (buffer, &map);
  }
  if (!opened) {
    gst_tfrc_srtp_tell (gate->element, gate->srtp);
    return GST_PAD_PROBE_DROP;
  }
  gst_buffer_set_size (buffer, (gssize)size);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
protect_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstTfrcSrtpGate *gate = user;

  (void)pad;
  if (gate->srtp == NULL)
    return GST_PAD_PROBE_OK;
  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER))
    return GST_PAD_PROBE_DROP;
  GST_PAD_PROBE_INFO_DATA (info) = gst_tfrc_srtp_protect_rtcp (gate->srtp, GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_INFO_DATA (info) != NULL ? GST_PAD_PROBE_OK : GST_PAD_PROBE_HANDLED;
}

static void
add_probe (GstElement *of, const gchar *name, GstPadProbeCallback callback, GstTfrcSrtpGate *gate)
{
  GstPad *pad = gst_element_get_static_pad (of, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, callback, gate, NULL);
  gst_object_unref (pad);
}

void
gst_tfrc_srtp_gate_attach (GstTfrcSrtpGate *gate, GstElement *element, GstElement *in, GstElement *out)
{
  gate->element = element;
  add_probe (in, "src", open_buffer, gate);
  add_probe (out, "rtcp_src", protect_buffer, gate);
}
