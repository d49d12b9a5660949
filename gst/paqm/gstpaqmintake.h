/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets arrive: looked at and tagged without the lock, then kept, marked or dropped as the core says. An intake is
   what holds for all packets of one call. */
#ifndef GST_PAQM_INTAKE_H
#define GST_PAQM_INTAKE_H

#include "gstpaqmqueues.h"
#include "gstpaqmteller.h"

G_BEGIN_DECLS

typedef struct {
  GstPaqmPad *pad;
  GstPaqmQueues *queues;
  GstPaqmTeller *teller;
  const GstPaqmPacketFuncs *packets;
  GstPaqmLook look;
  GstPaqmTag tag;
  gboolean tags, tells;
  guint link_overhead;
  GstPaqmClass cls;
  GstClockTime now;
} GstPaqmIntake;

/* With the lock; pad, queues, teller and now are set. key: random, of flow ids. */
void gst_paqm_intake_open (GstPaqmIntake *in, const GstPaqmSettings *settings, const guint64 key[2]);
/* Without the lock; buffer: full, as is what returns. */
GstBuffer *gst_paqm_intake_prepare (const GstPaqmIntake *in, GstBuffer *buffer, GstPaqmPacket *packet);
/* With the lock; what returns is not wanted any more. */
GstBuffer *gst_paqm_intake_admit (const GstPaqmIntake *in, GstBuffer *buffer, const GstPaqmPacket *packet);
/* With the lock: a serialised event that does not stick waits behind the pad's packets; event: full. */
void gst_paqm_intake_admit_event (const GstPaqmIntake *in, GstEvent *event);

G_END_DECLS
#endif
