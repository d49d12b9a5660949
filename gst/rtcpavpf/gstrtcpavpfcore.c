/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The participant inside: what it needs of its host, and how the properties and caps reach it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccaddress.h"
#include "gstccparticipant.h"
#include "gstrtcpavpfprivate.h"

static void
tell (void *user, const RtpEvent *event)
{
  gst_rtcp_avpf_tell (user, event);
}

static GSocketAddress *
peer_address (const GstRtcpAvpfSettings *s)
{
  return s->peer_address != NULL ? g_inet_socket_address_new_from_string (s->peer_address, 0) : NULL;
}

static RtpAddress
fixed_peer (const GstRtcpAvpfSettings *s)
{
  GSocketAddress *address = peer_address (s);
  RtpAddress read = gst_cc_address_read (address);

  g_clear_object (&address);
  return read;
}

gboolean
gst_rtcp_avpf_has_readable_peer (GstRtcpAvpf *self)
{
  const GstRtcpAvpfSettings *s = &self->settings;
  GSocketAddress *address = peer_address (s);
  gboolean readable = s->peer_address == NULL || s->peer_address[0] == 0 || address != NULL;

  g_clear_object (&address);
  return readable;
}

static void
set_names (RtpSettings *settings, const GstStructure *sdes)
{
  static const gchar *const fields[RTP_SDES_ITEMS] = {"name", "email", "phone", "location", "tool", "note"};
  guint i;

  g_strlcpy (settings->cname, gst_structure_get_string (sdes, "cname"), sizeof settings->cname);
  for (i = 0; i < RTP_SDES_ITEMS; i++)
    settings->sdes[i] = gst_structure_get_string (sdes, fields[i]);
}

static void
set_retransmissions (RtpSettings *settings, const GstStructure *map)
{
  gint i, fields = map != NULL ? gst_structure_n_fields (map) : 0;
  guint type;

  for (i = 0; i < fields; i++)
    if (gst_structure_get_uint (map, gst_structure_nth_field_name (map, i), &type) && type < RTP_PAYLOAD_TYPES)
      settings->retransmissions[type] = TRUE;
}

static RtpSettings
core_settings (GstRtcpAvpf *self)
{
  const GstRtcpAvpfSettings *s = &self->settings;
  RtpSettings settings = {.turns = gst_rtcp_avpf_turns_params (&s->turns),
      .attendance = {.kind = gst_rtcp_avpf_turns_kind (&s->turns, self->multicast),
          .peer = fixed_peer (s),
          .max_members = s->max_members},
      .max_feedback_delay = s->turns.max_feedback_delay,
      .reduced_size = s->reduced_size,
      .feedback = s->feedback,
      .auto_pli = s->auto_pli,
      .auto_nack = s->auto_nack,
      .pli_interval = s->pli_interval,
      .nack_latency = s->nack_latency,
      .repair = s->repair && s->rtx_map == NULL,
      .repair_rtx = (s->repair_by & GST_RTCP_AVPF_REPAIR_BY_RTX) != 0,
      .repair_fec = (s->repair_by & GST_RTCP_AVPF_REPAIR_BY_FEC) != 0,
      .repair_latency = s->repair_latency,
      .tmmbr_bps = s->tmmbr_bitrate,
      .single_stream = s->single_stream,
      .multicast = self->multicast,
      .rtp_overhead_bytes = s->rtp_overhead,
      .rtcp_overhead_bytes = s->rtcp_overhead};

  set_names (&settings, s->sdes);
  set_retransmissions (&settings, s->rtx_map);
  return settings;
}

/* Caps go before properties. */
static void
set_stream (GstRtcpAvpf *self)
{
  const GstRtcpAvpfSettings *s = &self->settings;
  RtpStreamInfo info = self->caps;

  if (info.stamp_id == 0)
    info.stamp_id = s->extension_id;
  if (info.twcc_id == 0)
    info.twcc_id = s->twcc_extension_id;
  if (info.rate_id == 0)
    info.rate_id = s->rate_extension_id;
  rtp_participant_set_stream (self->core, &info);
}

const gchar *
gst_rtcp_avpf_cname (GstRtcpAvpf *self)
{
  return gst_structure_get_string (self->settings.sdes, "cname");
}

void
gst_rtcp_avpf_core_begin (GstRtcpAvpf *self, GstClockTime now)
{
  RtpSettings settings = core_settings (self);
  RtpParticipantParams params = {.events = {.tell = tell, .user = self}};

  if (self->core != NULL)
    rtp_participant_clear (self->core);
  else
    self->core = g_new0 (RtpParticipant, 1);
  gst_cc_participant_begin (self->core, &params, &settings, now);
  set_stream (self);
}

void
gst_rtcp_avpf_core_clear (GstRtcpAvpf *self)
{
  rtp_participant_clear (self->core);
  g_clear_pointer (&self->core, g_free);
}

void
gst_rtcp_avpf_core_apply (GstRtcpAvpf *self)
{
  self->core->settings = core_settings (self);
  rtp_participant_set_kind (self->core, self->core->settings.attendance.kind);
  rtp_participant_apply (self->core);
  set_stream (self);
  gst_rtcp_avpf_core_wake (self);
}

void
gst_rtcp_avpf_core_set_caps (GstRtcpAvpf *self, const RtpStreamInfo *caps)
{
  self->caps = *caps;
  set_stream (self);
}

void
gst_rtcp_avpf_core_wake (GstRtcpAvpf *self)
{
  GstClockTime when = MIN (self->core->wake_at, self->core->turns.wake_at);

  self->core->wake_at = self->core->turns.wake_at = CC_TIME_NONE;
  gst_rtcp_avpf_wake_before (self, when);
}
