/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframerows.h"

#include <math.h>

gboolean
gst_frame_rows_open (GstFrameRows *rows, const gchar *location)
{
  rows->file = NULL;
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

void
gst_frame_rows_write (GstFrameRows *rows, const GstFramePicture *p)
{
  static const gchar *const kinds[] = {"new", "repeated", "out-of-order", "restart"};
  FILE *file = rows->file;

  if (file == NULL)
    return;
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

gboolean
gst_frame_rows_close (GstFrameRows *rows)
{
  FILE *file = g_steal_pointer (&rows->file);
  gboolean failed;

  if (file == NULL)
    return TRUE;
  failed = ferror (file) != 0;
  return fclose (file) == 0 && !failed;
}
