/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcecn.h"

GType
gst_tfrc_ecn_get_type (void)
{
  static const GEnumValue values[] = {{GST_TFRC_ECN_NONE, "Packets may not be marked", "none"},
      {GST_TFRC_ECN_CLASSIC, "Routers may mark packets where they would drop them: ECT(0), RFC 3168", "classic"},
      {GST_TFRC_ECN_L4S, "Routers may mark packets as soon as a queue begins: ECT(1), RFC 9331", "l4s"},
      {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcEcn", values));
  return (GType)type;
}

GParamSpec *
gst_tfrc_ecn_param_spec (GParamFlags flags)
{
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_ECN, 0);
  return g_param_spec_enum ("ecn", "ECN",
      "Whether routers may mark RTP packets. Only for receivers that tell of marks: tfrcsrc, or reports by RFC 8888 "
      "with ECN; l4s with mode low-delay",
      GST_TYPE_TFRC_ECN, GST_TFRC_ECN_NONE, flags);
}

ArrivalEcn
gst_tfrc_ecn_wanted (GstTfrcEcn ecn)
{
  static const ArrivalEcn wanted[] = {ARRIVAL_NOT_ECT, ARRIVAL_ECT_0, ARRIVAL_ECT_1};

  return wanted[ecn];
}

gint
gst_tfrc_ecn_class (gint traffic_class, ArrivalEcn ecn)
{
  return ecn == ARRIVAL_NOT_ECT ? -1 : (traffic_class & ~ARRIVAL_CE) | (gint)ecn;
}
