/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframerows.h"

#include <errno.h>
#include <math.h>

gboolean
gst_frame_rows_open (GstFrameRows *rows, const gchar *location)
{
  *rows = (GstFrameRows){NULL, 0};
  if (location == NULL || location[0] == 0)
    return TRUE;
  rows->file = fopen (location, "w");
  if (rows->file == NULL)
    return FALSE;
  fputs ("number,captured,displayed,delay,gap,kind,psnr_y,ssim\n", rows->file);
  return TRUE;
}

static void
write_time (FILE *file, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    fprintf (file, "%" G_GUINT64_FORMAT ".%06u", time / GST_SECOND, (guint)(time % GST_SECOND / GST_USECOND));
  fputc (',', file);
}

static void
write_score (FILE *file, gdouble score, gchar end)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isnan (score))
    fputs (g_ascii_formatd (text, sizeof text, "%.4f", score), file);
  fputc (end, file);
}

static void
write_line (FILE *file, const GstFramePicture *p)
{
  static const gchar *const kinds[] = {"new", "repeated", "out-of-order", "restart"};

  if (!p->stamped) {
    fputs (",,,,,unreadable,,\n", file);
    return;
  }
  fprintf (file, "%u,", p->stamp.number);
  write_time (file, p->stamp.time);
  write_time (file, p->displayed);
  write_time (file, p->delay);
  write_time (file, p->gap);
  fprintf (file, "%s,", p->damaged ? "damaged" : kinds[p->verdict]);
  write_score (file, p->psnr, ',');
  write_score (file, p->ssim, '\n');
}

/* The first reason: what is tried after it may succeed. */
static void
note_error (GstFrameRows *rows, gboolean failed)
{
  if (failed && rows->error == 0)
    rows->error = errno;
}

void
gst_frame_rows_write (GstFrameRows *rows, const GstFramePicture *p)
{
  if (rows->file == NULL)
    return;
  write_line (rows->file, p);
  note_error (rows, ferror (rows->file) != 0);
}

static gboolean
is_complete (const GstFrameRows *rows)
{
  errno = rows->error;
  return rows->error == 0;
}

gboolean
gst_frame_rows_flush (GstFrameRows *rows)
{
  if (rows->file != NULL)
    note_error (rows, fflush (rows->file) != 0);
  return is_complete (rows);
}

gboolean
gst_frame_rows_close (GstFrameRows *rows)
{
  FILE *file = g_steal_pointer (&rows->file);

  if (file != NULL)
    note_error (rows, fclose (file) != 0);
  return is_complete (rows);
}
