/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both elements share: the pattern as a property, frames as planes, queries and events of pads. */
#ifndef SUBPICTURE_PLANES_H
#define SUBPICTURE_PLANES_H

#include <gst/video/video.h>

#include "subpictures.h"

G_BEGIN_DECLS

#define SUBPICTURE_CAPS "video/x-raw, format = (string) { I420, YV12, GRAY8 }"
#define SUBPICTURE_DEFAULT_PATTERN SUBPICTURES_QUAD
#define SUBPICTURE_PLANES_MAX 3

#define GST_TYPE_SUBPICTURE_PATTERN (gst_subpicture_pattern_get_type ())
GType gst_subpicture_pattern_get_type (void);
GParamSpec *subpicture_pattern_pspec (void);

SubpicturesPlane subpicture_plane (GstVideoFrame *frame, guint plane);
/* Of sink pads: any size is taken, whatever the other pads have, and nobody allocates for another's size. */
gboolean subpicture_sink_query (GstPad *pad, GstObject *parent, GstQuery *query);
/* Whether it has left by this src pad since the last flush that forgets it. */
gboolean subpicture_pad_has_sent (GstPad *pad, GstEventType type);
/* Copies of caps with the size of a part, or from that of a part to the whole. NULL: the whole cannot be split. */
GstCaps *subpicture_caps_of_part (SubpicturesPattern pattern, GstCaps *whole);
GstCaps *subpicture_caps_of_whole (SubpicturesPattern pattern, GstCaps *part);

G_END_DECLS
#endif
