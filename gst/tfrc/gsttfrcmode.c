/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcmode.h"

#include "ccsender.h"

GType
gst_tfrc_sink_mode_get_type (void)
{
  static const GEnumValue values[] = {
      {CC_MODE_LOW_DELAY, "The lower of TCP's fair share and the rate that keeps the path's queue short", "low-delay"},
      {CC_MODE_RFC5348, "TCP-friendly rate control to the letter of RFC 5348", "rfc5348"},
      {CC_MODE_BURST_CONTROL, "No control: every frame spread over its period", "burst-control"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcSinkMode", values));
  return (GType)type;
}

GParamSpec *
gst_tfrc_mode_param_spec (GParamFlags flags)
{
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_SINK_MODE, 0);
  return g_param_spec_enum ("mode", "Mode", "What sets the rate", GST_TYPE_TFRC_SINK_MODE, CC_MODE_LOW_DELAY, flags);
}
