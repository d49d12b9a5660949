/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which parts make a picture, and when it is put out. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstsubpicturemerge.h"

/* ---- what is put out ---- */

static gboolean
streams_agree (const GstSubpictureMerge *self)
{
  const GstCaps *first = NULL;

  for (guint i = 0; i < SUBPICTURES_MAX; i++) {
    const SubpictureStream *s = &self->streams[i];

    if (s->pad == NULL || s->ended || s->caps == NULL)
      continue;
    if (first != NULL && !gst_caps_is_equal (first, s->caps))
      return FALSE;
    first = s->caps;
  }
  return TRUE;
}

/* Another size counts at once; streams that differ in less do not take turns in what the src pad says. */
static void
set_output_caps (GstSubpictureMerge *self, const SubpictureWaiting *w)
{
  gboolean same = self->caps != NULL && gst_caps_is_equal (self->caps, w->caps);

  if (same || (self->caps != NULL && subpicture_parts_fit (&self->part, &w->part) && !streams_agree (self)))
    return;
  gst_caps_replace (&self->caps, w->caps);
  gst_caps_take (&self->whole_caps, subpicture_caps_of_whole (self->pattern, w->caps));
  gst_video_info_from_caps (&self->whole, self->whole_caps);
}

void
gst_subpicture_merge_put_out (GstSubpictureMerge *self, SubpictureWaiting *w)
{
  guint missing = subpictures_count (self->pattern) - subpicture_waiting_parts (w);

  self->pictures++;
  self->incomplete += missing > 0;
  self->missing += missing;
  set_output_caps (self, w);
  self->last = w->time;
  self->part = w->part;
  subpicture_outlet_put (&self->outlet, self->whole_caps, subpicture_waiting_merge (w, self->pattern, &self->whole));
  subpicture_waiting_free (w);
}

gboolean
gst_subpicture_merge_is_lacked (const SubpictureStream *s, const SubpictureWaiting *w, guint number)
{
  gboolean gone_on = GST_CLOCK_TIME_IS_VALID (s->newest) && s->newest > w->time + subpicture_tolerance (&w->part);

  return w->parts[number] == NULL && s->pad != NULL && !s->ended && !s->silent && !gone_on;
}

/* Nothing more comes of it: each stream has gone on, or one that is live has gone on for too long. */
static gboolean
is_ready (const GstSubpictureMerge *self, const SubpictureWaiting *w)
{
  gboolean all = TRUE, overdue = FALSE;

  for (guint i = 0; i < subpictures_count (self->pattern); i++) {
    const SubpictureStream *s = &self->streams[i];

    overdue |= self->live && GST_CLOCK_TIME_IS_VALID (s->newest) && s->newest >= w->time + self->wait;
    all &= !gst_subpicture_merge_is_lacked (s, w, i);
  }
  return all || overdue;
}

void
gst_subpicture_merge_put_out_ready (GstSubpictureMerge *self)
{
  SubpictureWaiting *w;

  while ((w = g_queue_peek_head (&self->waiting)) != NULL && is_ready (self, w))
    gst_subpicture_merge_put_out (self, g_queue_pop_head (&self->waiting));
}

/* ---- how far streams are ---- */

void
gst_subpicture_merge_go_on (SubpictureStream *s, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time) && (!GST_CLOCK_TIME_IS_VALID (s->newest) || time > s->newest))
    s->newest = time;
}

/* Where packets are missing, a decoder may show what came beside them. */
void
gst_subpicture_merge_take_gap (GstSubpictureMerge *self, guint number, GstEvent *gap)
{
  SubpictureStream *s = &self->streams[number];
  GstClockTime end, duration;
  GstGapFlags flags;

  gst_event_parse_gap (gap, &end, &duration);
  gst_event_parse_gap_flags (gap, &flags);
  if (flags & GST_GAP_FLAG_MISSING_DATA)
    return;
  if (GST_CLOCK_TIME_IS_VALID (duration))
    end += duration;
  if (GST_CLOCK_TIME_IS_VALID (s->segment.stop))
    end = MIN (end, s->segment.stop);
  s->silent = FALSE;
  gst_subpicture_merge_go_on (s, gst_segment_to_running_time (&s->segment, GST_FORMAT_TIME, end));
  gst_subpicture_merge_put_out_ready (self);
}

/* ---- parts that come ---- */

static SubpictureWaiting *
picture_at (GstSubpictureMerge *self, GstClockTime time, guint number)
{
  SubpictureStream *s = &self->streams[number];
  SubpictureWaiting *made;

  for (GList *l = self->waiting.head; l != NULL; l = l->next) {
    SubpictureWaiting *w = l->data;
    GstClockTime apart = w->time > time ? w->time - time : time - w->time;

    if (apart <= subpicture_tolerance (&w->part) && w->parts[number] == NULL)
      return w;
  }
  made = subpicture_waiting_new (time, s->caps, &s->part);
  g_queue_insert_sorted (&self->waiting, made, subpicture_waiting_by_time, NULL);
  return made;
}

gboolean
gst_subpicture_merge_take_part (GstSubpictureMerge *self, guint number, GstClockTime time, GstBuffer *buffer)
{
  SubpictureStream *s = &self->streams[number];
  SubpictureWaiting *w;

  if (!GST_CLOCK_TIME_IS_VALID (time) ||
      (GST_CLOCK_TIME_IS_VALID (self->last) && time <= self->last + subpicture_tolerance (&self->part))) {
    self->late++;
    gst_buffer_unref (buffer);
    return TRUE;
  }
  w = picture_at (self, time, number);
  if (!subpicture_parts_fit (&w->part, &s->part)) {
    gst_buffer_unref (buffer);
    return FALSE;
  }
  w->duration = GST_BUFFER_DURATION (buffer);
  w->parts[number] = buffer;
  return TRUE;
}
