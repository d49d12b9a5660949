/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmpad.h"

#include "erfextension.h"
#include "gstccextension.h"

#include <string.h>

#define DEFAULT_CLASS GST_PAQM_CLASS_AUTO

enum { PROP_0, PROP_CLASS };

G_DEFINE_TYPE (GstPaqmPad, gst_paqm_pad, GST_TYPE_PAD)

GType
gst_paqm_class_get_type (void)
{
  static const GEnumValue values[] = {{GST_PAQM_CLASS_AUTO, "RTP and RTCP are media, all else is elastic", "auto"},
      {GST_PAQM_CLASS_MEDIA, "Media: follows explicit rates, or cannot wait", "media"},
      {GST_PAQM_CLASS_ELASTIC, "Elastic: TCP and what else slows down by loss", "elastic"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstPaqmClass", values));
  return type;
}

void
gst_paqm_pad_update_stream (GstPaqmPad *pad)
{
  if (!pad->stream_changed)
    return;
  gst_paqm_stream_unref (pad->stream);
  pad->stream = gst_paqm_stream_new (GST_PAD (pad));
  pad->stream_changed = FALSE;
}

/* ---- as children of the element, so that `sink_0::class=media` sets one's class ---- */

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  GObject *child;

  GST_OBJECT_LOCK (proxy);
  child = g_list_nth_data (GST_ELEMENT (proxy)->sinkpads, index);
  if (child != NULL)
    g_object_ref (child);
  GST_OBJECT_UNLOCK (proxy);
  return child;
}

static guint
get_children_count (GstChildProxy *proxy)
{
  guint n;

  GST_OBJECT_LOCK (proxy);
  n = GST_ELEMENT (proxy)->numsinkpads;
  GST_OBJECT_UNLOCK (proxy);
  return n;
}

void
gst_paqm_pad_child_proxy_init (gpointer iface, gpointer data)
{
  ((GstChildProxyInterface *)iface)->get_child_by_index = get_child_by_index;
  ((GstChildProxyInterface *)iface)->get_children_count = get_children_count;
}

/* ---- caps ---- */

void
gst_paqm_pad_caps_init (GstPaqmPadCaps *caps)
{
  *caps = (GstPaqmPadCaps){.rtt_id = GST_CC_EXTENSION_ID_DEFAULT};
}

void
gst_paqm_pad_caps_read (GstPaqmPadCaps *caps, const GstCaps *from)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (from, 0));

  gst_paqm_pad_caps_init (caps);
  caps->encrypted = g_str_equal (name, "application/x-srtp") || g_str_equal (name, "application/x-srtcp");
  caps->media = caps->encrypted || g_str_equal (name, "application/x-rtp") || g_str_equal (name, "application/x-rtcp");
  caps->rate_id = gst_cc_extension_id_of (from, ERF_EXTENSION_URI);
  if (gst_cc_extension_id_from_caps (from) != 0)
    caps->rtt_id = gst_cc_extension_id_from_caps (from);
}

/* ---- the pad ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_CLASS)
    g_atomic_int_set (&GST_PAQM_PAD (object)->cls, g_value_get_enum (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_CLASS)
    g_value_set_enum (value, g_atomic_int_get (&GST_PAQM_PAD (object)->cls));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
finalize (GObject *object)
{
  gst_paqm_stream_unref (GST_PAQM_PAD (object)->stream);
  G_OBJECT_CLASS (gst_paqm_pad_parent_class)->finalize (object);
}

static void
gst_paqm_pad_init (GstPaqmPad *pad)
{
  pad->cls = DEFAULT_CLASS;
  pad->stream_changed = TRUE;
  gst_paqm_pad_caps_init (&pad->caps);
}

static void
gst_paqm_pad_class_init (GstPaqmPadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  g_object_class_install_property (object_class, PROP_CLASS,
      g_param_spec_enum ("class", "Class", "Which of the two queues the packets of this pad wait in",
          GST_TYPE_PAQM_CLASS, DEFAULT_CLASS, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}
