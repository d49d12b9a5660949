/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the sending thread of a flow and all others: packets, settings and wishes one way, statistics the other. One
   lock, which the sending thread takes twice for each time it wakes. */
#ifndef GST_TFRC_MAILBOX_H
#define GST_TFRC_MAILBOX_H

#include "gsttfrcqueue.h"
#include "gsttfrcsettings.h"
#include "gsttfrcsocket.h"
#include "gsttfrcstats.h"

G_BEGIN_DECLS

typedef struct {
  GMutex lock;
  GCond cond;
  int wakeup_fd; /* readable when there is something to take; -1: closed */
  GstTfrcQueue queue;
  gboolean asleep; /* waits with an empty buffer: a packet has to wake it */
  gboolean quit, flush, drain, drained, unlocked, failed;
  GstTfrcSettings settings;
  GSocket *socket; /* to be taken over together with `to`; NULL: none */
  GstTfrcAddress to;
  gboolean settings_changed, peer_changed;
  guint64 malformed;
  GstTfrcStats stats;
} GstTfrcMailbox;

/* What was in it. */
typedef struct {
  gboolean quit, flush, drain, settings_changed, peer_changed;
  GstTfrcSettings settings; /* where settings_changed */
  GSocket *socket;          /* where peer_changed, the reader's; NULL: as before */
  GstTfrcAddress to;
  CcPacket *packets; /* GST_TFRC_QUEUE_SIZE places, given and taken in turn */
  guint n_packets;
  GstTfrcGivenUp given_up[GST_TFRC_MAX_GIVEN_UP];
  guint n_given_up;
} GstTfrcMail;

void gst_tfrc_mailbox_init (GstTfrcMailbox *m);
void gst_tfrc_mailbox_clear (GstTfrcMailbox *m);

/* Others'. Open, and none of these does anything but leave something, or wait. */
/* n packets, buffers taken. Never waits; where there is no room whole frames go. FALSE: the thread has failed. */
gboolean gst_tfrc_mailbox_queue (GstTfrcMailbox *m, const CcPacket *packets, guint n, guint malformed);
void gst_tfrc_mailbox_flush (GstTfrcMailbox *m);
/* Waits until all that is queued has left, and BYE. FALSE: unlocked meanwhile. */
gboolean gst_tfrc_mailbox_drain (GstTfrcMailbox *m);
void gst_tfrc_mailbox_set_unlocked (GstTfrcMailbox *m, gboolean unlocked);
void gst_tfrc_mailbox_set_settings (GstTfrcMailbox *m, const GstTfrcSettings *settings);
/* socket NULL: stays. The controller starts over, as the path is another. */
void gst_tfrc_mailbox_set_peer (GstTfrcMailbox *m, GSocket *socket, const GstTfrcAddress *to);
void gst_tfrc_mailbox_get_stats (GstTfrcMailbox *m, GstTfrcStats *stats);
void gst_tfrc_mailbox_quit (GstTfrcMailbox *m);

/* Of who begins and ends the sending thread. wakeup_fd: an eventfd, closed with the mailbox. */
void gst_tfrc_mailbox_open (GstTfrcMailbox *m, int wakeup_fd, const GstTfrcStats *stats);
void gst_tfrc_mailbox_close (GstTfrcMailbox *m);

/* The sending thread's. */
void gst_tfrc_mailbox_take (GstTfrcMailbox *m, GstTfrcMail *mail);
void gst_tfrc_mailbox_publish (GstTfrcMailbox *m, const GstTfrcStats *stats);
/* Publishes, and says whether there is nothing to take. drains: the wish for that is being fulfilled. packets_wake: its
   sleep is long enough for packets to end it. */
gboolean gst_tfrc_mailbox_may_sleep (
    GstTfrcMailbox *m, const GstTfrcStats *stats, gboolean drains, gboolean packets_wake);
void gst_tfrc_mailbox_tell_drained (GstTfrcMailbox *m);
void gst_tfrc_mailbox_tell_failed (GstTfrcMailbox *m);

G_END_DECLS
#endif
