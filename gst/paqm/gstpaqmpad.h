/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shaper's sink pads: what is known of one. */
#ifndef GST_PAQM_PAD_H
#define GST_PAQM_PAD_H

#include <gst/gst.h>

#include "gstpaqmstream.h"
#include "paqm.h"

G_BEGIN_DECLS

typedef enum { GST_PAQM_CLASS_AUTO, GST_PAQM_CLASS_MEDIA, GST_PAQM_CLASS_ELASTIC } GstPaqmClass;
#define GST_TYPE_PAQM_CLASS (gst_paqm_class_get_type ())
GType gst_paqm_class_get_type (void);

#define GST_TYPE_PAQM_PAD (gst_paqm_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstPaqmPad, gst_paqm_pad, GST, PAQM_PAD, GstPad)

/* What caps say of a pad. */
typedef struct {
  gboolean media;     /* RTP or RTCP */
  gboolean encrypted; /* header extensions must stay as they are */
  guint rtt_id, rate_id;
} GstPaqmPadCaps;

struct _GstPaqmPad {
  GstPad parent;

  guint64 number; /* no two pads of an element have the same */
  gint cls;       /* GstPaqmClass, atomic */

  /* of the pad's streaming thread */
  GstPaqmPadCaps caps;
  GstPaqmStream *stream;
  gboolean stream_changed;

  /* under the element's lock */
  gboolean eos, flushes; /* flushes: the element, not only itself */
  PaqmClass last_cls;    /* of the last packet */
  guint64 last_flow;     /* of a packet that had one; 0: none yet */
};

/* Without the element's lock, in the pad's streaming thread. */
void gst_paqm_pad_update_stream (GstPaqmPad *pad);
void gst_paqm_pad_caps_init (GstPaqmPadCaps *caps);
void gst_paqm_pad_caps_read (GstPaqmPadCaps *caps, const GstCaps *from);
/* The sink pads as the element's children. */
void gst_paqm_pad_child_proxy_init (gpointer iface, gpointer data);

G_END_DECLS
#endif
