/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a buffer out of an encoder says of its frame. */
#ifndef GST_ENCODED_FRAME_H
#define GST_ENCODED_FRAME_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The formats that encoders make: a description of caps. */
#define ENCODED_VIDEO                                                                                                  \
  "video/x-h264; video/x-h265; video/x-vp8; video/x-vp9; video/x-av1; image/jpeg; video/x-theora; video/x-h263; "      \
  "video/mpeg, systemstream = (boolean) false; image/x-jpc; video/x-dirac; video/x-divx; video/x-flash-video"

typedef struct {
  GstClockTime stamp; /* running time; the clock's where there is none */
  gsize size;         /* bytes of the frame that travel */
  gboolean key;
  double quantizer; /* of a JPEG image; 0: unknown */
} EncodedFrame;

EncodedFrame encoded_frame_read (GstBuffer *buffer, const GstSegment *segment, gboolean is_jpeg);

G_END_DECLS
#endif
