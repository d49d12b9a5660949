/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feeds RTP frames of PACKET_BYTES a packet to a sink element, as a payloader would. */
#ifndef FEED_H
#define FEED_H

#include <gst/gst.h>

#define PACKET_BYTES 1200
#define WIRE_BYTES (PACKET_BYTES + 12 + 28) /* with the header extension, UDP and IPv4 */
#define FEED_CAPS                                                                                                      \
  "application/x-rtp,media=(string)video,clock-rate=(int)90000,encoding-name=(string)X-BENCH,payload=(int)96,"         \
  "ssrc=(uint)1234"

typedef struct {
  GstElement *sink;
  GstPad *pad;
  gboolean lists;       /* a frame is one GstBufferList, not so many buffers */
  GstClockTime spacing; /* of the packets' time stamps, for a sink that waits for its clock; 0: none has one */
  guint16 seq;
  guint64 pushed, stamped; /* packets */
} Feed;

/* FALSE: no such element. bitrate, bit/s on the wire: of tfrcsink, fixed; else 0. */
gboolean feed_open (Feed *feed, const gchar *factory, const gchar *mode, guint port, guint bitrate);
/* From now on the sink sends packet after packet, `spacing` apart, by the clock. */
void feed_by_clock (Feed *feed, GstClockTime spacing);
void feed_close (Feed *feed);
void feed_frame (Feed *feed, guint packets, guint32 timestamp);
/* Frames of `packets` packets `fps` times a second for `seconds`, then waits until all have left. */
void feed_run (Feed *feed, guint packets, guint fps, gdouble seconds);
/* Of tfrcsink's statistics; 0 for another element. */
guint64 feed_stat (const Feed *feed, const gchar *name);

/* CPU time of this process so far, s. */
gdouble cpu_seconds (void);
/* Keeps this process on one CPU where there is more than one. */
void keep_to_cpu (guint cpu);

#endif
