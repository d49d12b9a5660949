/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A custom upstream event that tells what has become of a picture: from the receiver's end of the media
   (newpredreport) to its RTCP, and from the sender's RTCP to its encoder (newpred). Between the two it is RPSI or SLI
   (RFC 4585 6.3; RFC 7741 5 says what their fields mean for VP8). */
#ifndef GST_PICTURE_EVENT_H
#define GST_PICTURE_EVENT_H

#include <gst/gst.h>

#include "rtcppicture.h"

G_BEGIN_DECLS

#define GST_PICTURE_EVENT_NAME "GstCongestionPicture"

/* gboolean in a GstForceKeyUnit: the sender itself left out pictures, no receiver asks. */
#define GST_PICTURE_SKIPPED_FIELD "skipped"

typedef struct {
  guint32 ssrc;   /* of the media */
  guint8 payload; /* its payload type, 7 bits */
  guint id, bits; /* PictureID, or as many of its low bits as are known: 6, 7 or 15 */
  gboolean arrived;
} GstPictureInfo;

GstEvent *gst_picture_event_new (const GstPictureInfo *info);
/* FALSE, *info untouched: another event, or fields out of range. */
gboolean gst_picture_event_parse (GstEvent *event, GstPictureInfo *info);

#define GST_PICTURE_FCI_SIZE 8
/* As a payload specific message: RPSI where it arrived, else SLI. Returns the FCI's size. */
gsize gst_picture_info_to_fci (const GstPictureInfo *info, guint8 fci[GST_PICTURE_FCI_SIZE], guint *fmt);
/* What RPSI and SLI say, pushed upstream on the sink pad, an event a picture; names of more than 15 bits are nothing.
   No lock may be held. */
void gst_picture_event_push_rpsi (GstPad *sink_pad, guint32 media, const RtcpRpsi *rpsi);
void gst_picture_event_push_sli (GstPad *sink_pad, guint32 media, const RtcpSli *slices, guint n);
/* The same from the bytes of a message; other formats: nothing. */
void gst_picture_event_push_fci (GstPad *sink_pad, guint32 media, guint fmt, const guint8 *fci, gsize size);

G_END_DECLS
#endif
