/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsession.h"

#include "gstccrtcp.h"
#include "gsttfrcgroup.h"

#include <string.h>

/* Sender reports more often than this tell nobody anything; the bandwidth is the receiver's. */
#define SR_INTERVAL (500 * CC_MSECOND)
#define SEND_FLAGS (MSG_DONTWAIT | MSG_NOSIGNAL)

/* ---- its life ---- */

static void
set_names (RtpSettings *settings, const gchar *cname)
{
  gchar *made = cname[0] == '\0' ? gst_cc_rtcp_new_cname () : NULL;

  g_strlcpy (settings->cname, made != NULL ? made : cname, sizeof settings->cname);
  g_free (made);
}

void
gst_tfrc_session_begin (GstTfrcSession *s, const GstTfrcSessionParams *params, CcTime now)
{
  RtpParticipantParams core = {
      .events = params->events, .rate_maker = params->rate_maker, .rate_maker_user = params->rate_maker_user};
  RtpSettings settings;

  memset (s, 0, sizeof *s);
  s->element = params->element;
  s->srtp = params->srtp;
  s->to = params->to;
  s->next = CC_TIME_NONE;
  rtp_settings_init (&settings);
  settings.feedback = 0;
  settings.turns.T_rr_interval = SR_INTERVAL;
  if (gst_tfrc_group_is_native (&s->to)) {
    settings.attendance.kind = RTP_SESSION_GROUP;
    settings.multicast = true;
  } else {
    settings.attendance.peer = gst_tfrc_address_read (&s->to);
  }
  settings.rtp_overhead_bytes = gst_cc_srtp_rtp_overhead (s->srtp);
  settings.rtcp_overhead_bytes = gst_cc_srtp_rtcp_overhead (s->srtp);
  set_names (&settings, params->cname);
  s->core = g_new0 (RtpParticipant, 1);
  gst_cc_participant_begin (s->core, &core, &settings, now);
}

void
gst_tfrc_session_clear (GstTfrcSession *s)
{
  if (s->core == NULL)
    return;
  rtp_participant_clear (s->core);
  g_clear_pointer (&s->core, g_free);
}

void
gst_tfrc_session_wake (GstTfrcSession *s)
{
  s->next = MIN (s->next, MIN (s->core->wake_at, s->core->turns.wake_at));
  s->core->wake_at = s->core->turns.wake_at = CC_TIME_NONE;
}

void
gst_tfrc_session_set_peer (GstTfrcSession *s, const GstTfrcAddress *to, CcTime now)
{
  RtpAddress peer = gst_tfrc_address_read (to);

  s->to = *to;
  rtp_participant_set_peer (s->core, &peer, now);
  gst_tfrc_session_wake (s);
}

/* ---- what leaves ---- */

void
gst_tfrc_session_on_sent (
    GstTfrcSession *s, const RtpPacket *packet, guint clock_rate, gboolean resends, CcTime captured_at, CcTime now)
{
  rtp_participant_on_sent (s->core, packet, clock_rate, resends, captured_at, now);
  s->speaks = TRUE;
  gst_tfrc_session_wake (s);
}

static void
send_packet (GstTfrcSession *s, int fd, const RtpOutgoing *out)
{
  const struct sockaddr *to = (const struct sockaddr *)&s->to.storage;
  _Alignas(guint64) guint8 bytes[RTCP_MTU + GST_CC_SRTP_ROOM];
  gsize size = out->size;

  if (size == 0 || out->withheld)
    return;
  memcpy (bytes, out->bytes, size);
  if (s->srtp != NULL && !gst_cc_srtp_protect_rtcp (s->srtp, bytes, &size))
    return;
  /* the first call may bring an error that waited for an earlier packet */
  if (sendto (fd, bytes, size, SEND_FLAGS, to, s->to.length) >= 0 ||
      sendto (fd, bytes, size, SEND_FLAGS, to, s->to.length) >= 0)
    s->sent++;
}

static void
set_rate (GstTfrcSession *s, double rate_Bps)
{
  RtpTurnsParams *turns = &s->core->settings.turns;
  double session_bps = 8 * MIN (rate_Bps, RTP_TURNS_LITTLE_Bps / turns->rtcp_fraction);

  if (session_bps == turns->session_bps)
    return;
  turns->session_bps = session_bps;
  rtp_participant_apply (s->core);
}

void
gst_tfrc_session_run (GstTfrcSession *s, int fd, double rate_Bps, CcTime now)
{
  RtpOutgoing out;

  if (gst_tfrc_session_next (s) > now)
    return;
  set_rate (s, rate_Bps);
  rtp_participant_run (s->core, now, &out);
  send_packet (s, fd, &out);
  s->next = rtp_participant_next_timeout (s->core, now);
  gst_tfrc_session_wake (s);
}

CcTime
gst_tfrc_session_next (const GstTfrcSession *s)
{
  return s->speaks ? s->next : CC_TIME_NONE;
}

void
gst_tfrc_session_say_bye (GstTfrcSession *s, int fd, CcTime now)
{
  RtpOutgoing out;

  if (!s->speaks)
    return;
  s->speaks = FALSE;
  if (rtp_participant_leave (s->core, now) != AVPF_LEAVE_NOW)
    return;
  rtp_participant_take_bye (s->core, &out);
  send_packet (s, fd, &out);
}

/* ---- what comes ---- */

gboolean
gst_tfrc_session_is_peer (const GstTfrcSession *s, const GstTfrcAddress *from)
{
  RtpAddress address = gst_tfrc_address_read (from);

  return rtp_attendance_may_be_peer (&s->core->attendance, &address);
}

gboolean
gst_tfrc_session_receive (GstTfrcSession *s, guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now)
{
  RtpAddress address = gst_tfrc_address_read (from);
  gboolean heard;

  if (!gst_tfrc_srtp_open_rtcp (s->element, s->srtp, data, &size))
    return FALSE;
  heard = rtp_participant_on_rtcp (s->core, data, size, &address, now, now);
  gst_tfrc_session_wake (s);
  return heard;
}
