/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_RTP_JPEG_STRIP_PAY_H
#define GST_RTP_JPEG_STRIP_PAY_H

#include <gst/rtp/gstrtpbasepayload.h>

#include "jpegscan.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_JPEG_STRIP_PAY (gst_rtp_jpeg_strip_pay_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpJpegStripPay, gst_rtp_jpeg_strip_pay, GST, RTP_JPEG_STRIP_PAY, GstRTPBasePayload)

struct _GstRtpJpegStripPay {
  GstRTPBasePayload parent;

  guint interval; /* as set; 0: chosen */
  JpegHeader header;
  JpegForm form; /* as it is sent; interval 0 before the first picture */
  GArray *ends;
  gboolean warned;
};

GST_ELEMENT_REGISTER_DECLARE (rtpjpegstrippay);

G_END_DECLS
#endif
