/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The enumerations and flags of rtcpavpf's properties. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpf.h"

GType
gst_rtcp_avpf_feedback_get_type (void)
{
  static const GFlagsValue values[] = {
      {RTP_FEEDBACK_TFRC, "TFRC reports, once per round trip and at once on a new loss event", "tfrc"},
      {RTP_FEEDBACK_REMB, "Path rate as REMB, which common senders obey", "remb"},
      {RTP_FEEDBACK_PATH, "Path rate, capacity and queueing delay", "path"},
      {RTP_FEEDBACK_NACK, "Lost packets, where downstream or auto-nack asks for them (RFC 4585)", "nack"},
      {RTP_FEEDBACK_PLI, "Key unit requests as PLI (RFC 4585)", "pli"},
      {RTP_FEEDBACK_FIR, "Key unit requests as FIR, where all headers are wanted or PLI is not set (RFC 5104)", "fir"},
      {RTP_FEEDBACK_TWCC, "Arrival of every packet by its transport-wide number", "twcc"},
      {RTP_FEEDBACK_CCFB, "Arrival and ECN mark of every packet (RFC 8888)", "ccfb"},
      {RTP_FEEDBACK_TMMBR, "Path rate, or tmmbr-bitrate, as a limit (RFC 5104)", "tmmbr"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstRtcpAvpfFeedback", values));
  return type;
}

GType
gst_rtcp_avpf_repair_by_get_type (void)
{
  static const GFlagsValue values[] = {
      {GST_RTCP_AVPF_REPAIR_BY_RTX, "Lost packets sent again when asked for (RFC 4585, RFC 4588)", "rtx"},
      {GST_RTCP_AVPF_REPAIR_BY_FEC, "Redundancy, as much as losses are worth (RFC 8681)", "fec"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstRtcpAvpfRepairBy", values));
  return type;
}

GType
gst_rtcp_avpf_group_get_type (void)
{
  static const GEnumValue values[] = {
      {GST_RTCP_AVPF_GROUP_AUTO, "A group in multicast and where more than two take part", "auto"},
      {GST_RTCP_AVPF_GROUP_POINT_TO_POINT, "Two ends: a group only where more than two take part", "point-to-point"},
      {GST_RTCP_AVPF_GROUP_GROUP, "More than two may take part, however many are heard", "group"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRtcpAvpfGroup", values));
  return type;
}

GType
gst_rtcp_avpf_reconsideration_get_type (void)
{
  static const GEnumValue values[] = {
      {AVPF_RECONSIDER_UNCONDITIONAL, "Draw the interval again whenever the timer fires (RFC 3550)", "unconditional"},
      {AVPF_RECONSIDER_CONDITIONAL, "Only where the number of members has changed", "conditional"},
      {AVPF_RECONSIDER_NONE, "Never (RFC 1889)", "none"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRtcpAvpfReconsideration", values));
  return type;
}
