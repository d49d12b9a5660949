/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtptfrcbwe.h"
#include "gsttfrcsink.h"
#include "gsttfrcsrc.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean sink = GST_ELEMENT_REGISTER (tfrcsink, plugin), src = GST_ELEMENT_REGISTER (tfrcsrc, plugin);
  gboolean bwe = GST_ELEMENT_REGISTER (rtptfrcbwe, plugin);

  return sink && src && bwe;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, tfrc, "Congestion controlled RTP over UDP", plugin_init,
    VERSION, GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
