/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A CSV file with a line for each picture. */
#ifndef GST_FRAME_ROWS_H
#define GST_FRAME_ROWS_H

#include "gstframefigures.h"

#include <stdio.h>

G_BEGIN_DECLS

typedef struct {
  FILE *file; /* NULL: none is wanted */
  int error;  /* why a line could not be written, as errno has it; 0: all could */
} GstFrameRows;

/* location: NULL or empty: none is wanted. FALSE: it cannot be written, errno says why. */
gboolean gst_frame_rows_open (GstFrameRows *rows, const gchar *location);
void gst_frame_rows_write (GstFrameRows *rows, const GstFramePicture *picture);
/* So far. FALSE: not all lines are in the file, errno says why. */
gboolean gst_frame_rows_flush (GstFrameRows *rows);
/* FALSE: not all has been written, errno says why. */
gboolean gst_frame_rows_close (GstFrameRows *rows);

G_END_DECLS
#endif
