/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps of raw video as the ladder of the core (pictureladder.h) knows them, and back. */
#ifndef GST_PICTURE_FORMAT_H
#define GST_PICTURE_FORMAT_H

#include "pictureladder.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  PICTURE_CAPS_RAW,     /* can be scaled */
  PICTURE_CAPS_MEMORY,  /* raw video in a memory that only the hardware reaches */
  PICTURE_CAPS_ENCODED, /* no pictures at all */
} PictureCapsKind;

/* Fixed caps; *format is what they say, zeros where they do not. */
PictureCapsKind picture_format_read (const GstCaps *caps, PictureFormat *format);
gboolean picture_format_is_interlaced (const GstCaps *caps);
/* (transfer full) what a filter lets through for this step of the source; the source's own format: anything. */
GstCaps *picture_format_filter (const PictureFormat *format, const PictureFormat *source, const GstCaps *source_caps);

G_END_DECLS
#endif
