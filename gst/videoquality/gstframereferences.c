/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframereferences.h"

#include <string.h>

#define KEPT_BEHIND 64       /* pictures: for those that come out of order */
#define APART_MAX GST_SECOND /* where originals and pictures have a framestamp each */

typedef struct {
  LumaStamp stamp;
  LumaPlane *plane;
} Reference;

static void
reference_free (gpointer data)
{
  Reference *reference = data;

  g_free (reference->plane);
  g_free (reference);
}

static LumaPlane *
copy_plane (const LumaPlane *from)
{
  gsize size = (gsize)from->width * (gsize)from->height;
  LumaPlane *to = g_malloc (sizeof *to + size);
  gint x, y;

  *to = (LumaPlane){(guint8 *)(to + 1), from->width, 1, from->width, from->height};
  for (y = 0; y < from->height; y++) {
    if (from->step == 1)
      memcpy (luma_at (to, 0, y), luma_at (from, 0, y), (gsize)from->width);
    else
      for (x = 0; x < from->width; x++)
        *luma_at (to, x, y) = *luma_at (from, x, y);
  }
  return to;
}

void
gst_frame_references_init (GstFrameReferences *r)
{
  memset (r, 0, sizeof *r);
  g_mutex_init (&r->lock);
  g_cond_init (&r->cond);
  g_queue_init (&r->queue);
}

void
gst_frame_references_clear (GstFrameReferences *r)
{
  g_queue_clear_full (&r->queue, reference_free);
  g_mutex_clear (&r->lock);
  g_cond_clear (&r->cond);
}

void
gst_frame_references_open (GstFrameReferences *r, guint limit)
{
  g_mutex_lock (&r->lock);
  g_queue_clear_full (&r->queue, reference_free);
  r->limit = limit;
  r->open = TRUE;
  r->ended = r->any = r->any_gone = FALSE;
  g_mutex_unlock (&r->lock);
}

void
gst_frame_references_close (GstFrameReferences *r)
{
  g_mutex_lock (&r->lock);
  r->open = FALSE;
  g_cond_broadcast (&r->cond);
  g_mutex_unlock (&r->lock);
}

void
gst_frame_references_begin (GstFrameReferences *r)
{
  g_mutex_lock (&r->lock);
  r->ended = r->any = FALSE;
  g_mutex_unlock (&r->lock);
}

void
gst_frame_references_end (GstFrameReferences *r)
{
  g_mutex_lock (&r->lock);
  r->ended = TRUE;
  g_cond_broadcast (&r->cond);
  g_mutex_unlock (&r->lock);
}

static void
make_room (GstFrameReferences *r)
{
  Reference *oldest = g_queue_pop_head (&r->queue);

  r->gone = oldest->stamp;
  r->any_gone = TRUE;
  reference_free (oldest);
}

void
gst_frame_references_put (GstFrameReferences *r, const LumaStamp *stamp, const LumaPlane *plane)
{
  Reference *reference = g_new (Reference, 1);

  *reference = (Reference){*stamp, copy_plane (plane)};
  g_mutex_lock (&r->lock);
  while (g_queue_get_length (&r->queue) >= r->limit && r->limit > 0)
    make_room (r);
  g_queue_push_tail (&r->queue, reference);
  r->newest = *stamp;
  r->any = TRUE;
  g_cond_broadcast (&r->cond);
  g_mutex_unlock (&r->lock);
}

static gboolean
is_original (const LumaStamp *stamp, guint32 number, guint64 captured)
{
  return stamp->number == number && (captured == 0 || ABS (GST_CLOCK_DIFF (stamp->time, captured)) <= APART_MAX);
}

static LumaPlane *
find (GstFrameReferences *r, guint32 number, guint64 captured)
{
  LumaPlane *plane;
  GList *at;

  for (at = r->queue.tail; at != NULL; at = at->prev) {
    Reference *reference = at->data;

    if (!is_original (&reference->stamp, number, captured))
      continue;
    plane = g_steal_pointer (&reference->plane);
    reference_free (reference);
    g_queue_delete_link (&r->queue, at);
    return plane;
  }
  return NULL;
}

static void
drop_older (GstFrameReferences *r, guint32 number)
{
  while (!g_queue_is_empty (&r->queue) &&
         (gint32)(number - ((Reference *)g_queue_peek_head (&r->queue))->stamp.number) > KEPT_BEHIND)
    reference_free (g_queue_pop_head (&r->queue));
}

/* By the time, as a sender may begin anew; by the number where that tells nothing: a fast source stamps several
   pictures in a unit of it. */
static gboolean
is_newer (const LumaStamp *newest, guint32 number, guint64 captured)
{
  if (captured == 0 || captured == newest->time)
    return (gint32)(number - newest->number) > 0;
  return captured > newest->time;
}

static gboolean
may_come (const GstFrameReferences *r, guint32 number, guint64 captured)
{
  return r->open && !r->ended && (!r->any || is_newer (&r->newest, number, captured));
}

LumaPlane *
gst_frame_references_take (GstFrameReferences *r, guint32 number, guint64 captured, GstClockTime timeout)
{
  gint64 end = g_get_monotonic_time () + (gint64)(timeout / GST_USECOND);
  LumaPlane *plane;

  g_mutex_lock (&r->lock);
  while ((plane = find (r, number, captured)) == NULL && may_come (r, number, captured))
    if (!g_cond_wait_until (&r->cond, &r->lock, end))
      break;
  drop_older (r, number);
  g_mutex_unlock (&r->lock);
  return plane;
}

gboolean
gst_frame_references_made_room (GstFrameReferences *r, guint32 number, guint64 captured)
{
  gboolean made;

  g_mutex_lock (&r->lock);
  made = r->any_gone && !is_newer (&r->gone, number, captured);
  g_mutex_unlock (&r->lock);
  return made;
}
