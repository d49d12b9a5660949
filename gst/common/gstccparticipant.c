/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccparticipant.h"

#include "gstccrandom.h"
#include "gstccrtcp.h"

#include <gst/video/video.h>

static void *
get_memory (void *user, size_t size)
{
  return g_try_malloc (size);
}

static void
put_memory (void *user, void *memory)
{
  g_free (memory);
}

static uint32_t
next_random (void *user)
{
  return g_random_int ();
}

static uint32_t
next_secret (void *user)
{
  return gst_cc_random32 ();
}

void
gst_cc_participant_begin (
    RtpParticipant *p, const RtpParticipantParams *params, const RtpSettings *settings, CcTime now)
{
  RtpParticipantParams all = *params;

  all.memory = (CcMemory){.get = get_memory, .put = put_memory};
  all.random = (CcRandom){.next = next_random};
  all.secrets = (CcRandom){.next = next_secret};
  if (!rtp_participant_init (p, &all, settings, now))
    g_error ("no memory for a participant");
  p->params.ntp_at_zero = gst_cc_rtcp_ntp_now () - rtp_participant_ntp (p, now);
}

GstEvent *
gst_cc_key_unit_event (const RtpEvent *event, guint count)
{
  GstEvent *made = gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, event->full, count);

  gst_structure_set (gst_event_writable_structure (made), "ssrc", G_TYPE_UINT, (guint)event->ssrc, NULL);
  return made;
}

GstEvent *
gst_cc_resend_event (const RtpEvent *event, guint16 seq)
{
  return gst_event_new_custom (
      GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new ("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT, (guint)seq,
                                     "ssrc", G_TYPE_UINT, (guint)event->ssrc, NULL));
}

GstEvent *
gst_cc_collision_event (const RtpEvent *event)
{
  return gst_event_new_custom (
      GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new ("GstRTPCollision", "ssrc", G_TYPE_UINT, (guint)event->ssrc, NULL));
}
