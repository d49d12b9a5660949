/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture that waits for its parts. */
#ifndef SUBPICTURE_WAITING_H
#define SUBPICTURE_WAITING_H

#include "subpictureplanes.h"

G_BEGIN_DECLS

typedef struct {
  GstClockTime time, duration; /* running time */
  GstCaps *caps;               /* of its parts */
  GstVideoInfo part;
  GstBuffer *parts[SUBPICTURES_MAX];
} SubpictureWaiting;

SubpictureWaiting *subpicture_waiting_new (GstClockTime time, GstCaps *caps, const GstVideoInfo *part);
void subpicture_waiting_free (SubpictureWaiting *w);
gint subpicture_waiting_by_time (gconstpointer a, gconstpointer b, gpointer user);
guint subpicture_waiting_parts (const SubpictureWaiting *w);
GstBuffer *subpicture_waiting_merge (SubpictureWaiting *w, SubpicturesPattern pattern, const GstVideoInfo *whole);

/* Pictures that belong together differ by what their ways made of their time stamps: by this at most. */
GstClockTime subpicture_tolerance (const GstVideoInfo *part);
/* Whether they make one picture; their rates may differ. */
gboolean subpicture_parts_fit (const GstVideoInfo *a, const GstVideoInfo *b);

G_END_DECLS
#endif
