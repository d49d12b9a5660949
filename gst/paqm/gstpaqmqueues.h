/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets wait in front of the link: the core, the two FIFOs it decides about, and when the link is free. Where its
   capacity is not known, a packet goes as soon as downstream has taken the one before.

     gst_paqm_queues_judge ()   a packet is to be kept, marked or dropped; gst_paqm_queues_put () what is kept
     gst_paqm_queues_take ()    what may leave now; gst_paqm_queues_on_pushed () once downstream has the one
                               packet of a batch that names its queue
     gst_paqm_queues_run_periods ()   the loops' periods; TRUE where there is something new to tell

   No thread, no lock: the caller's. */
#ifndef GST_PAQM_QUEUES_H
#define GST_PAQM_QUEUES_H

#include "gstcccompat.h"
#include <gst/gst.h>

#include "gstpaqmsettings.h"
#include "gstpaqmstream.h"
#include "linkslots.h"
#include "paqmpacket.h"

G_BEGIN_DECLS

/* What waits: a packet, or a serialised event that goes in its place. */
typedef struct {
  GstMiniObject *object;
  GstPaqmStream *stream;
  guint size_bytes; /* on the link; 0: an event */
  gboolean media;
  GstClockTime at; /* arrived */
} GstPaqmItem;

/* How long packets of a class waited. */
typedef struct {
  guint64 packets;
  gdouble sum;  /* s */
  gdouble mean; /* s, of the last 64 or so */
  GstClockTime most;
} GstPaqmDelay;

typedef struct {
  Paqm *paqm; /* 52 kB, beyond what an instance may have */
  CcPcg32 pcg;
  LinkSlots slots;
  GstCcDeque *fifo[PAQM_CLASSES]; /* of GstPaqmItem */
  GstPaqmDelay delay[PAQM_CLASSES];
  guint64 ip_bytes, link_bytes; /* of media, arrived */
} GstPaqmQueues;

#define GST_PAQM_BATCH 32

/* Packets, or one event; of one stream. */
typedef struct {
  GstPaqmItem items[GST_PAQM_BATCH]; /* the caller's */
  guint n;
  gint queue; /* of the one packet whose departure is yet to be told; -1: none */
} GstPaqmBatch;

void gst_paqm_queues_init (GstPaqmQueues *queues, guint64 seed);
void gst_paqm_queues_finalize (GstPaqmQueues *queues);
void gst_paqm_queues_clear (GstPaqmQueues *queues); /* what waits is thrown away */
void gst_paqm_queues_reset (GstPaqmQueues *queues); /* and all is forgotten, but not the settings */
/* Returns why the settings are refused, and nothing changes; NULL: they hold. */
const gchar *gst_paqm_queues_apply (GstPaqmQueues *queues, const GstPaqmSettings *settings, GstClockTime now);

/* What becomes of a packet; where it is kept, gst_paqm_queues_put () takes it. */
PaqmVerdict gst_paqm_queues_judge (
    GstPaqmQueues *queues, const PaqmArrival *arrival, const GstPaqmPacket *packet, GstClockTime now);
void gst_paqm_queues_put (GstPaqmQueues *queues, PaqmClass cls, const GstPaqmItem *item); /* item: full */
void gst_paqm_queues_take (GstPaqmQueues *queues, GstPaqmBatch *batch, GstClockTime now);
void gst_paqm_queues_on_pushed (GstPaqmQueues *queues, const GstPaqmBatch *batch, GstClockTime now);
gboolean gst_paqm_queues_run_periods (GstPaqmQueues *queues, GstClockTime now);

gboolean gst_paqm_queues_are_empty (const GstPaqmQueues *queues);
/* The link is free; whether anything waits or not. */
GstClockTime gst_paqm_queues_next_departure (const GstPaqmQueues *queues, GstClockTime now);
/* Something may be due. */
GstClockTime gst_paqm_queues_next_timeout (const GstPaqmQueues *queues, GstClockTime now);
/* The core's rate counts what the link adds; those who follow this one count UDP and IP. Bytes/s; HUGE_VAL: none. */
gdouble gst_paqm_queues_told_rate (const GstPaqmQueues *queues);
/* How long media waits at most, with the flows there are; 0: the capacity is not known. */
GstClockTime gst_paqm_queues_longest_wait (const GstPaqmQueues *queues);

static inline gboolean
gst_paqm_item_is_event (const GstPaqmItem *item)
{
  return item->size_bytes == 0;
}

G_END_DECLS
#endif
