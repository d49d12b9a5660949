/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_RTP_JPEG_STRIP_DEPAY_H
#define GST_RTP_JPEG_STRIP_DEPAY_H

#include <gst/rtp/gstrtpbasedepayload.h>

#include "jpegstrips.h"
#include "rtpjpeg.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_JPEG_STRIP_DEPAY (gst_rtp_jpeg_strip_depay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpJpegStripDepay, gst_rtp_jpeg_strip_depay, GST, RTP_JPEG_STRIP_DEPAY, GstRTPBaseDepayload)

/* Tables that came under a number Q and may be left out later. */
typedef struct {
  gboolean known;
  JpegQuantizers quantizers;
} RtpJpegTables;

typedef struct {
  guint64 pictures, filled, dropped, strips_missing, strips_wrong, packets_refused;
} RtpJpegStripStats;

struct _GstRtpJpegStripDepay {
  GstRTPBaseDepayload parent;

  JpegStrips strips; /* n 0: nothing has come yet */
  RtpJpegTables tables[RTP_JPEG_Q_ONCE - RTP_JPEG_Q_TABLES];

  /* the picture that is coming */
  gboolean open, has_quantizers;
  guint32 timestamp;
  GstClockTime pts;
  JpegForm form;
  RtpJpegChunk chunk;
  GByteArray *bytes; /* of the chunk */
  JpegSpan *spans;   /* strips.n of them */

  guint width, height;     /* of the caps */
  RtpJpegStripStats stats; /* object lock */
};

GST_ELEMENT_REGISTER_DECLARE (rtpjpegstripdepay);

G_END_DECLS
#endif
