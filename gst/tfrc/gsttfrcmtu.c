/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcmtu.h"

#include "fecsymbol.h"

#include <gst/rtp/rtp.h>

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define DEEPEST 64 /* elements and bins between a sink and its payloader */
/* Of a packet of redundancy: RTP header and a length besides, in front of the longest that it is made of. */
#define GROWTH (12 + FEC_HEAD_BYTES + 2)
#define BEFORE "gst-tfrc-mtu-before"
#define SET "gst-tfrc-mtu-set"

/* ---- payloaders ---- */

static void
set_mtu (GObject *payloader, guint bytes)
{
  guint before = GPOINTER_TO_UINT (g_object_get_data (payloader, BEFORE));
  guint set = GPOINTER_TO_UINT (g_object_get_data (payloader, SET)), mtu;

  g_object_get (payloader, "mtu", &mtu, NULL);
  if (set == 0 || mtu != set)
    before = mtu;
  if (bytes == 0 && set == 0)
    return;
  bytes = bytes > 0 && bytes < before ? bytes : before;
  g_object_set_data (payloader, BEFORE, GUINT_TO_POINTER (before));
  g_object_set_data (payloader, SET, GUINT_TO_POINTER (bytes < before ? bytes : 0));
  g_object_set (payloader, "mtu", bytes, NULL);
}

static void set_behind (GstPad *sink, guint bytes, guint depth);

/* Through elements, and through the walls of bins, whose pads are linked inside as well. */
static void
set_inside (GstPad *src, guint bytes, guint depth)
{
  GstIterator *links = gst_pad_iterate_internal_links (src);
  GValue link = G_VALUE_INIT;

  while (links != NULL && gst_iterator_next (links, &link) == GST_ITERATOR_OK) {
    set_behind (g_value_get_object (&link), bytes, depth);
    g_value_unset (&link);
  }
  g_clear_pointer (&links, gst_iterator_free);
}

static void
set_behind (GstPad *sink, guint bytes, guint depth)
{
  GstPad *src = depth > 0 ? gst_pad_get_peer (sink) : NULL;
  GstElement *element;

  if (src == NULL)
    return;
  element = gst_pad_get_parent_element (src); /* NULL: the inner side of a bin's pad */
  if (element != NULL && GST_IS_RTP_BASE_PAYLOAD (element))
    set_mtu (G_OBJECT (element), bytes);
  else
    set_inside (src, bytes, depth - 1);
  g_clear_object (&element);
  gst_object_unref (src);
}

void
gst_tfrc_mtu_set_upstream (GstPad *sink, guint bytes)
{
  set_behind (sink, bytes, DEEPEST);
}

void
gst_tfrc_mtu_limit_upstream (GstPad *sink, guint bytes)
{
  gst_tfrc_mtu_set_upstream (sink, bytes > 0 ? bytes - GROWTH : 0);
}

/* ---- the path ---- */

static void
forget (GstTfrcMtu *m)
{
  guint i;

  m->n_streams = 0;
  for (i = 0; i < GST_TFRC_MTU_STREAMS; i++)
    path_mtu_init (&m->streams[i]);
}

void
gst_tfrc_mtu_init (GstTfrcMtu *m, GstElement *element, GstPad *pad)
{
  *m = (GstTfrcMtu){.element = element, .pad = pad};
  forget (m);
}

/* NULL: it is unknown. */
static PathMtu *
stream_of (GstTfrcMtu *m, guint32 ssrc)
{
  guint i;

  for (i = 0; i < MIN (m->n_streams, GST_TFRC_MTU_STREAMS); i++)
    if (m->streams[i].ssrc == ssrc)
      return &m->streams[i];
  return NULL;
}

static void
tell (GstTfrcMtu *m, guint limit)
{
  m->told = limit;
  if (limit > 0)
    GST_INFO_OBJECT (m->element, "the path swallows packets of more than %u bytes", limit);
  gst_tfrc_mtu_limit_upstream (m->pad, limit);
}

void
gst_tfrc_mtu_restart (GstTfrcMtu *m)
{
  forget (m);
  if (m->told > 0)
    tell (m, 0);
}

void
gst_tfrc_mtu_on_sent (GstTfrcMtu *m, guint32 ssrc, guint16 seq, guint bytes, guint added)
{
  PathMtu *stream = stream_of (m, ssrc);

  m->added = added;
  if (stream == NULL)
    stream = &m->streams[m->n_streams++ % GST_TFRC_MTU_STREAMS];
  path_mtu_on_sent (stream, ssrc, seq, bytes);
}

void
gst_tfrc_mtu_on_report (GstTfrcMtu *m, guint32 ssrc, guint32 highest, gint32 lost, CcTime now)
{
  PathMtu *stream = stream_of (m, ssrc);

  if (stream != NULL)
    path_mtu_on_report (stream, ssrc, highest, lost, now);
}

void
gst_tfrc_mtu_on_icmp (GstTfrcMtu *m, guint ip_bytes, CcTime now)
{
  guint i;

  for (i = 0; i < GST_TFRC_MTU_STREAMS && ip_bytes > m->added; i++)
    path_mtu_on_told (&m->streams[i], ip_bytes - m->added, now);
}

gboolean
gst_tfrc_mtu_take_loss (GstTfrcMtu *m, CcTime now, PathMtuLoss *loss)
{
  guint i;

  for (i = 0; i < GST_TFRC_MTU_STREAMS; i++)
    if (path_mtu_take_loss (&m->streams[i], now, loss))
      return TRUE;
  return FALSE;
}

/* The path is the same for all. */
static guint
least (const GstTfrcMtu *m, CcTime now)
{
  guint i, found = 0;

  for (i = 0; i < GST_TFRC_MTU_STREAMS; i++) {
    guint limit = path_mtu_limit (&m->streams[i], now);

    found = found == 0 || (limit > 0 && limit < found) ? limit : found;
  }
  return found;
}

gboolean
gst_tfrc_mtu_run (GstTfrcMtu *m, CcTime now)
{
  guint limit = least (m, now);

  if (limit == m->told)
    return FALSE;
  tell (m, limit);
  return limit > 0;
}
