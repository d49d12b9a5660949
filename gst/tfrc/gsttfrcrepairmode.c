/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcrepairmode.h"

GType
gst_tfrc_repair_get_type (void)
{
  static const GEnumValue values[] = {{GST_TFRC_REPAIR_AUTO, "Either, as round trip and losses make it worth", "auto"},
      {GST_TFRC_REPAIR_NONE, "Nothing: lost packets stay lost", "none"},
      {GST_TFRC_REPAIR_RTX, "Lost packets are asked for and sent again (RFC 4585, RFC 4588)", "rtx"},
      {GST_TFRC_REPAIR_FEC, "Redundancy is sent along, as much as losses are worth (RFC 8681)", "fec"},
      {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcRepair", values));
  return (GType)type;
}

GParamSpec *
gst_tfrc_repair_param_spec (const gchar *blurb, GParamFlags flags)
{
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_REPAIR, 0);
  return g_param_spec_enum ("repair", "Repair", blurb, GST_TYPE_TFRC_REPAIR, GST_TFRC_REPAIR_AUTO, flags);
}

gboolean
gst_tfrc_repair_allows (GstTfrcRepairMode mode, GstTfrcRepairMode by)
{
  return mode == GST_TFRC_REPAIR_AUTO || mode == by;
}
