/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP of tfrcsink and tfrcsrc: the properties that both have, and packets between them and their sockets. */
#ifndef GST_TFRC_SRTP_H
#define GST_TFRC_SRTP_H

#include <gst/gst.h>
#include <sys/uio.h>

#include "gstccsrtp.h"

G_BEGIN_DECLS

/* Of a class they stand one after the other, from `first` on. */
enum {
  GST_TFRC_SRTP_KEY,
  GST_TFRC_SRTP_PEER_KEY,
  GST_TFRC_SRTP_CIPHER,
  GST_TFRC_SRTP_AUTH,
  GST_TFRC_SRTCP_CIPHER,
  GST_TFRC_SRTCP_AUTH,
  GST_TFRC_SRTP_PROPERTIES
};

#define GST_TYPE_TFRC_SRTP_CIPHER (gst_tfrc_srtp_cipher_get_type ())
GType gst_tfrc_srtp_cipher_get_type (void);
#define GST_TYPE_TFRC_SRTP_AUTH (gst_tfrc_srtp_auth_get_type ())
GType gst_tfrc_srtp_auth_get_type (void);

void gst_tfrc_srtp_install_properties (GObjectClass *klass, guint first);
/* which: as above. FALSE: none of these. */
gboolean gst_tfrc_srtp_set_property (GstCcSrtpParams *params, guint which, const GValue *value);
gboolean gst_tfrc_srtp_get_property (const GstCcSrtpParams *params, guint which, GValue *value); /* no keys */

/* One warning where such a property was changed while packets pass, for which it is too late. Not with the object lock.
   has_key: they are protected. */
void gst_tfrc_srtp_tell_late (GstElement *element, const GstCcSrtpParams *params, guint which, gboolean has_key);

/* *srtp NULL where no key is set. FALSE, and an error has been posted, where what is set cannot be. Takes the object
   lock while it copies params, which are not changed from then on. */
gboolean gst_tfrc_srtp_start (GstElement *element, GstCcSrtpParams *params, GstCcSrtp **srtp);
/* Whether params have been set to something else since, so that the next run wants another start. */
gboolean gst_tfrc_srtp_is_changed (GstElement *element, const GstCcSrtpParams *params);

/* One warning where packets come and none opens. */
void gst_tfrc_srtp_tell (GstElement *element, GstCcSrtp *srtp);
void gst_tfrc_srtp_add_stats (GstStructure *structure, const GstCcSrtpCounts *counts);

/* Gathers and protects an RTP packet. out: capacity bytes. Returns its size, 0 where it must not leave. */
gsize gst_tfrc_srtp_gather (GstCcSrtp *srtp, const struct iovec *pieces, guint n, guint8 *out, gsize capacity);

/* Takes the buffer and returns what is to leave: itself where srtp is NULL; NULL: nothing. */
GstBuffer *gst_tfrc_srtp_protect_rtcp (GstCcSrtp *srtp, GstBuffer *buffer);

/* In place. TRUE where srtp is NULL; FALSE: it is to be ignored, of which the application has been told. */
gboolean gst_tfrc_srtp_open_rtcp (GstElement *element, GstCcSrtp *srtp, guint8 *data, gsize *size);

/* In front of rtcpavpf and behind it: what leaves `in` has been opened, what leaves `out` is protected. */
typedef struct {
  GstElement *element; /* that warns */
  GstCcSrtp *srtp;     /* NULL: packets pass as they are. Set while none do */
} GstTfrcSrtpGate;

void gst_tfrc_srtp_gate_attach (GstTfrcSrtpGate *gate, GstElement *element, GstElement *in, GstElement *out);

G_END_DECLS
#endif
