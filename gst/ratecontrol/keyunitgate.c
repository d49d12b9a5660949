/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "keyunitgate.h"

#include <gst/video/video.h>

void
key_unit_gate_restart (KeyUnitGate *gate)
{
  gate->sent = FALSE;
  gate->asked = gate->merged = 0;
}

void
key_unit_gate_drop (KeyUnitGate *gate)
{
  gst_event_replace (&gate->waiting, NULL);
}

static gboolean
is_due (const KeyUnitGate *gate, CcTime now, CcDuration spacing)
{
  return !gate->sent || cc_time_since (now, gate->sent_at) >= spacing;
}

gboolean
key_unit_gate_is_asked (GstEvent *event)
{
  GstClockTime running_time;

  return gst_video_event_is_force_key_unit (event) &&
         gst_video_event_parse_upstream_force_key_unit (event, &running_time, NULL, NULL) &&
         !GST_CLOCK_TIME_IS_VALID (running_time);
}

gboolean
key_unit_gate_admit (KeyUnitGate *gate, GstEvent *event, CcTime now, CcDuration spacing)
{
  gate->asked++;
  if (is_due (gate, now, spacing)) {
    gate->sent = TRUE;
    gate->sent_at = now;
    return TRUE;
  }
  gate->merged++;
  gst_event_replace (&gate->waiting, event);
  return FALSE;
}

GstEvent *
key_unit_gate_take (KeyUnitGate *gate, CcTime now, CcDuration spacing)
{
  if (gate->waiting == NULL || !is_due (gate, now, spacing))
    return NULL;
  gate->sent_at = now;
  return g_steal_pointer (&gate->waiting);
}
