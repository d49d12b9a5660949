/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests for key units, spaced: one that comes too soon waits, and one waiting stands for all. No locks: the element
   guards it. */
#ifndef GST_KEY_UNIT_GATE_H
#define GST_KEY_UNIT_GATE_H

#include "cctime.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gboolean sent;
  CcTime sent_at; /* of the stream; where `sent` */
  GstEvent *waiting;
  guint64 asked, merged;
} KeyUnitGate;

/* From the start, nothing asked for yet. */
void key_unit_gate_restart (KeyUnitGate *gate);
/* What waits is dropped: a key unit has come, or a flush. */
void key_unit_gate_drop (KeyUnitGate *gate);
/* Whether an upstream event asks for a key unit at once. */
gboolean key_unit_gate_is_asked (GstEvent *event);
/* A request; spacing: the least distance of two. TRUE where it may go on now, else it waits (a reference is kept). */
gboolean key_unit_gate_admit (KeyUnitGate *gate, GstEvent *event, CcTime now, CcDuration spacing);
/* (transfer full) the one that waited and may go on now, or NULL. */
GstEvent *key_unit_gate_take (KeyUnitGate *gate, CcTime now, CcDuration spacing);

G_END_DECLS
#endif
