/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* paqmshaper: pads, events, queries, properties and states around a GstPaqmRouter. */
#ifndef GST_PAQM_SHAPER_H
#define GST_PAQM_SHAPER_H

#include <gst/gst.h>

#include "gstpaqmrouter.h"

G_BEGIN_DECLS

#define GST_TYPE_PAQM_SHAPER (gst_paqm_shaper_get_type ())
G_DECLARE_FINAL_TYPE (GstPaqmShaper, gst_paqm_shaper, GST, PAQM_SHAPER, GstElement)

struct _GstPaqmShaper {
  GstElement parent;

  GstPad *srcpad;
  GstPaqmRouter router;

  /* under the router's lock */
  GstPaqmSettings settings; /* as set; the router has those that hold */
  gboolean settings_changed, running;
  guint sinks, sinks_at_eos;
  guint64 next_pad;
};

GST_ELEMENT_REGISTER_DECLARE (paqmshaper);

G_END_DECLS
#endif
