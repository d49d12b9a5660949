/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmtypes.h"

GType
gst_paqm_discipline_get_type (void)
{
  static const GEnumValue values[] = {
      {GST_PAQM_DISCIPLINE_PAQM, "Two queues kept short by drops, marks and explicit rates", "p-aqm"},
      {GST_PAQM_DISCIPLINE_FIFO, "One queue with tail drop, for comparison", "fifo"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstPaqmDiscipline", values));
  return type;
}

GType
gst_paqm_mode_get_type (void)
{
  static const GEnumValue values[] = {{GST_PAQM_MODE_RTP, "Buffers are payloads of UDP", "rtp"},
      {GST_PAQM_MODE_IP, "Buffers are IPv4 or IPv6 packets", "ip"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstPaqmMode", values));
  return type;
}

GType
gst_paqm_count_get_type (void)
{
  static const GEnumValue values[] = {{GST_PAQM_COUNT_EXACT, "Exact up to 512 flows, estimated beyond", "exact"},
      {GST_PAQM_COUNT_ESTIMATE, "Estimated by a bitmap", "estimate"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstPaqmCount", values));
  return type;
}

GType
gst_paqm_ecn_get_type (void)
{
  static const GFlagsValue values[] = {{0, "None are marked", "none"},
      {GST_PAQM_ECN_ELASTIC, "Mark elastic packets instead of dropping", "elastic"},
      {GST_PAQM_ECN_MEDIA, "Mark media packets instead of dropping, ECT(1) at a shallow queue", "media"},
      {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstPaqmEcn", values));
  return type;
}

GType
gst_paqm_signalling_get_type (void)
{
  static const GFlagsValue values[] = {{0, "Nothing is told", "none"},
      {GST_PAQM_SIGNAL_ERF_EXTENSION, "Explicit rate in the RTP header extension, which the receiver returns",
          "erf-extension"},
      {GST_PAQM_SIGNAL_ERF, "Explicit rate in a PATH block over RTCP, for SRTP", "erf"},
      {GST_PAQM_SIGNAL_ECF, "Each source's rate, lowered or raised with the aggregate, in a PATH block over RTCP",
          "ecf"},
      {GST_PAQM_SIGNAL_REMB, "Explicit rate as REMB over RTCP, which common senders obey", "remb"},
      {GST_PAQM_SIGNAL_TMMBR, "Explicit rate as TMMBR over RTCP (RFC 5104)", "tmmbr"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstPaqmSignalling", values));
  return type;
}
