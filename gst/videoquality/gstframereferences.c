/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframereferences.h"

#include <string.h>

#define KEPT_BEHIND 64 /* pictures: for those that come out of order */

typedef struct {
  guint32 number;
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
  r->ended = r->any = FALSE;
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

void
gst_frame_references_put (GstFrameReferences *r, guint32 number, const LumaPlane *plane)
{
  Reference *reference = g_new (Reference, 1);

  *reference = (Reference){number, copy_plane (plane)};
  g_mutex_lock (&r->lock);
  while (g_queue_get_length (&r->queue) >= r->limit && r->limit > 0)
    reference_free (g_queue_pop_head (&r->queue));
  g_queue_push_tail (&r->queue, reference);
  r->newest = number;
  r->any = TRUE;
  g_cond_broadcast (&r->cond);
  g_mutex_unlock (&r->lock);
}

static LumaPlane *
find (GstFrameReferences *r, guint32 number)
{
  LumaPlane *plane;
  GList *at;

  for (at = r->queue.head; at != NULL; at = at->next) {
    Reference *reference = at->data;

    if (reference->number != number)
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
         (gint32)(number - ((Reference *)g_queue_peek_head (&r->queue))->number) > KEPT_BEHIND)
    reference_free (g_queue_pop_head (&r->queue));
}

static gboolean
may_come (const GstFrameReferences *r, guint32 number)
{
  return r->open && !r->ended && (!r->any || (gint32)(number - r->newest) > 0);
}

LumaPlane *
gst_frame_references_take (GstFrameReferences *r, guint32 number, GstClockTime timeout)
{
  gint64 end = g_get_monotonic_time () + (gint64)(timeout / GST_USECOND);
  LumaPlane *plane;

  g_mutex_lock (&r->lock);
  while ((plane = find (r, number)) == NULL && may_come (r, number))
    if (!g_cond_wait_until (&r->cond, &r->lock, end))
      break;
  drop_older (r, number);
  g_mutex_unlock (&r->lock);
  return plane;
}
