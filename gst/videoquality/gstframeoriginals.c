/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframeoriginals.h"

#include "pictureerror.h"

#include <string.h>

#define REFERENCE_WAIT (200 * GST_MSECOND) /* for an original whose thread is behind */

void
gst_frame_originals_init (GstFrameOriginals *o, GstElement *element, const GstStampPlace *place)
{
  memset (o, 0, sizeof *o);
  o->element = element;
  o->place = place;
  gst_frame_references_init (&o->waiting);
}

void
gst_frame_originals_clear (GstFrameOriginals *o)
{
  gst_frame_references_clear (&o->waiting);
}

void
gst_frame_originals_open (GstFrameOriginals *o, guint limit)
{
  gst_frame_references_open (&o->waiting, limit);
  o->warned_stamp = o->warned_size = o->warned_room = FALSE;
}

void
gst_frame_originals_close (GstFrameOriginals *o)
{
  gst_frame_references_close (&o->waiting);
}

/* ---- the pad ---- */

static void
tell_unstamped (GstFrameOriginals *o)
{
  if (!o->warned_stamp)
    GST_ELEMENT_WARNING (o->element, STREAM, FORMAT,
        ("The originals have no stamp that can be read, so none is found. Take them from behind framestamp, as they "
         "leave it."),
        (NULL));
  o->warned_stamp = TRUE;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstFrameOriginals *o = gst_pad_get_element_private (pad);
  GstVideoFrame frame;
  LumaPlane plane;
  LumaStamp stamp;

  if (GST_VIDEO_INFO_FORMAT (&o->info) == GST_VIDEO_FORMAT_UNKNOWN ||
      !gst_video_frame_map (&frame, &o->info, buffer, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  plane = gst_stamp_luma (&frame);
  if (luma_stamp_read (&plane, &o->rect, &stamp))
    gst_frame_references_put (&o->waiting, &stamp, &plane);
  else
    tell_unstamped (o);
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
take_caps (GstFrameOriginals *o, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  return gst_video_info_from_caps (&o->info, caps) && gst_stamp_place_find (o->place, o->element, &o->info, &o->rect);
}

/* It ends here: nothing of it goes on. */
static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstFrameOriginals *o = gst_pad_get_element_private (pad);
  gboolean ok = TRUE;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    ok = take_caps (o, event);
    break;
  case GST_EVENT_STREAM_START:
  case GST_EVENT_FLUSH_STOP:
    gst_frame_references_begin (&o->waiting);
    break;
  case GST_EVENT_EOS:
    gst_frame_references_end (&o->waiting);
    break;
  default:
    break;
  }
  gst_event_unref (event);
  return ok;
}

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS || GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS)
    return gst_pad_query_default (pad, parent, query);
  return FALSE;
}

GstPad *
gst_frame_originals_request_pad (GstFrameOriginals *o, GstPadTemplate *templ)
{
  GstPad *pad = gst_pad_new_from_template (templ, "reference");
  gboolean taken;

  GST_OBJECT_LOCK (o->element);
  taken = o->pad != NULL;
  if (!taken)
    o->pad = pad;
  GST_OBJECT_UNLOCK (o->element);
  if (taken) {
    gst_object_unref (gst_object_ref_sink (pad));
    return NULL;
  }
  gst_video_info_init (&o->info);
  gst_frame_references_begin (&o->waiting);
  gst_pad_set_element_private (pad, o);
  gst_pad_set_chain_function (pad, chain);
  gst_pad_set_event_function (pad, take_event);
  gst_pad_set_query_function (pad, answer_query);
  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (o->element, pad);
  g_atomic_int_set (&o->present, TRUE);
  return pad;
}

void
gst_frame_originals_release_pad (GstFrameOriginals *o)
{
  GstPad *pad;

  g_atomic_int_set (&o->present, FALSE);
  gst_frame_references_end (&o->waiting);
  GST_OBJECT_LOCK (o->element);
  pad = o->pad;
  GST_OBJECT_UNLOCK (o->element);
  gst_pad_set_active (pad, FALSE);
  GST_OBJECT_LOCK (o->element);
  o->pad = NULL;
  GST_OBJECT_UNLOCK (o->element);
  gst_element_remove_pad (o->element, pad);
}

gboolean
gst_frame_originals_are_there (const GstFrameOriginals *o)
{
  return g_atomic_int_get (&o->present);
}

/* ---- comparing ---- */

static gboolean
same_size (GstFrameOriginals *o, const LumaPlane *picture, const LumaPlane *original)
{
  if (picture->width == original->width && picture->height == original->height)
    return TRUE;
  if (!o->warned_size)
    GST_ELEMENT_WARNING (o->element, STREAM, FORMAT,
        ("The reference has %d x %d pixels, the pictures %d x %d: they cannot be compared. Bring both to one size, "
         "with "
         "videoscale before framestamp.",
            original->width, original->height, picture->width, picture->height),
        (NULL));
  o->warned_size = TRUE;
  return FALSE;
}

static void
tell_room (GstFrameOriginals *o, const GstFramePicture *p)
{
  if (o->warned_room || !gst_frame_references_made_room (&o->waiting, p->stamp.number, gst_frame_picture_captured (p)))
    return;
  GST_ELEMENT_WARNING (o->element, STREAM, FAILED,
      ("Originals are gone before their pictures come, and PSNR and SSIM are without these. Set reference-frames to as "
       "many as are captured while a picture is on its way, more than %u.",
          o->waiting.limit),
      (NULL));
  o->warned_room = TRUE;
}

void
gst_frame_originals_compare (GstFrameOriginals *o, const LumaPlane *picture, const LumaRect *rect, GstFramePicture *p)
{
  LumaPlane *original =
      gst_frame_references_take (&o->waiting, p->stamp.number, gst_frame_picture_captured (p), REFERENCE_WAIT);

  if (original != NULL && same_size (o, picture, original)) {
    p->psnr = picture_error_psnr (picture, original, rect);
    p->ssim = picture_error_ssim (picture, original, rect);
  } else if (original == NULL) {
    tell_room (o, p);
  }
  g_free (original);
}
