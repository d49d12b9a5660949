/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcmailbox.h"

#include <string.h>
#include <unistd.h>

void
gst_tfrc_mailbox_init (GstTfrcMailbox *m)
{
  memset (m, 0, sizeof *m);
  m->wakeup_fd = -1;
  g_mutex_init (&m->lock);
  g_cond_init (&m->cond);
}

void
gst_tfrc_mailbox_clear (GstTfrcMailbox *m)
{
  g_clear_object (&m->socket);
  g_mutex_clear (&m->lock);
  g_cond_clear (&m->cond);
}

/* ---- others', all under the lock ---- */

static void
wake (GstTfrcMailbox *m)
{
  guint64 one = 1;

  m->asleep = FALSE;
  if (m->wakeup_fd >= 0 && write (m->wakeup_fd, &one, sizeof one) < 0)
    GST_TRACE ("already woken");
}

gboolean
gst_tfrc_mailbox_queue (GstTfrcMailbox *m, const CcPacket *packets, guint n, guint malformed)
{
  gboolean failed;
  guint i;

  g_mutex_lock (&m->lock);
  failed = m->failed;
  m->malformed += malformed;
  for (i = 0; i < n; i++)
    if (m->queue.packets == NULL || failed)
      gst_buffer_unref (packets[i].handle);
    else
      gst_tfrc_queue_push (&m->queue, &packets[i]);
  if (m->asleep && n > 0)
    wake (m);
  g_mutex_unlock (&m->lock);
  return !failed;
}

void
gst_tfrc_mailbox_flush (GstTfrcMailbox *m)
{
  g_mutex_lock (&m->lock);
  gst_tfrc_queue_clear (&m->queue);
  m->flush = TRUE;
  wake (m);
  g_mutex_unlock (&m->lock);
}

gboolean
gst_tfrc_mailbox_drain (GstTfrcMailbox *m)
{
  gboolean done;

  g_mutex_lock (&m->lock);
  m->drain = TRUE;
  m->drained = FALSE;
  wake (m);
  while (m->queue.packets != NULL && !m->drained && !m->unlocked && !m->failed)
    g_cond_wait (&m->cond, &m->lock);
  done = m->queue.packets == NULL || m->drained || m->failed;
  m->drain = FALSE;
  g_mutex_unlock (&m->lock);
  return done;
}

void
gst_tfrc_mailbox_set_unlocked (GstTfrcMailbox *m, gboolean unlocked)
{
  g_mutex_lock (&m->lock);
  m->unlocked = unlocked;
  g_cond_broadcast (&m->cond);
  g_mutex_unlock (&m->lock);
}

void
gst_tfrc_mailbox_set_settings (GstTfrcMailbox *m, const GstTfrcSettings *settings)
{
  g_mutex_lock (&m->lock);
  m->settings = *settings;
  m->settings_changed = TRUE;
  wake (m);
  g_mutex_unlock (&m->lock);
}

void
gst_tfrc_mailbox_set_peer (GstTfrcMailbox *m, GSocket *socket, const GstTfrcAddress *to)
{
  g_mutex_lock (&m->lock);
  if (socket != NULL)
    g_set_object (&m->socket, socket);
  m->to = *to;
  m->peer_changed = TRUE;
  wake (m);
  g_mutex_unlock (&m->lock);
}

void
gst_tfrc_mailbox_get_stats (GstTfrcMailbox *m, GstTfrcStats *stats)
{
  g_mutex_lock (&m->lock);
  *stats = m->stats;
  stats->malformed = m->malformed;
  stats->overflowed = m->queue.overflowed;
  g_mutex_unlock (&m->lock);
}

void
gst_tfrc_mailbox_quit (GstTfrcMailbox *m)
{
  g_mutex_lock (&m->lock);
  m->quit = TRUE;
  wake (m);
  g_mutex_unlock (&m->lock);
}

/* ---- its life ---- */

void
gst_tfrc_mailbox_open (GstTfrcMailbox *m, int wakeup_fd, const GstTfrcStats *stats)
{
  g_mutex_lock (&m->lock);
  g_clear_object (&m->socket);
  memset (&m->queue, 0, sizeof m->queue);
  m->queue.packets = g_new (CcPacket, GST_TFRC_QUEUE_SIZE);
  m->asleep = m->quit = m->flush = m->drain = m->drained = m->unlocked = m->failed = FALSE;
  m->settings_changed = m->peer_changed = FALSE;
  m->malformed = 0;
  m->stats = *stats;
  m->wakeup_fd = wakeup_fd;
  g_mutex_unlock (&m->lock);
}

/* Others may go on: whatever comes is dropped. */
void
gst_tfrc_mailbox_close (GstTfrcMailbox *m)
{
  g_mutex_lock (&m->lock);
  gst_tfrc_queue_clear (&m->queue);
  g_clear_pointer (&m->queue.packets, g_free);
  m->drained = TRUE;
  g_clear_object (&m->socket);
  close (m->wakeup_fd);
  m->wakeup_fd = -1;
  g_cond_broadcast (&m->cond);
  g_mutex_unlock (&m->lock);
}

/* ---- the sending thread's ---- */

static void
take_packets (GstTfrcMailbox *m, GstTfrcMail *mail)
{
  CcPacket *empty = mail->packets;

  mail->packets = m->queue.packets;
  mail->n_packets = m->queue.n;
  m->queue.packets = empty;
  m->queue.n = 0;
  mail->n_given_up = m->queue.n_given_up;
  if (mail->n_given_up > 0)
    memcpy (mail->given_up, m->queue.given_up, mail->n_given_up * sizeof mail->given_up[0]);
  m->queue.n_given_up = 0;
}

void
gst_tfrc_mailbox_take (GstTfrcMailbox *m, GstTfrcMail *mail)
{
  g_mutex_lock (&m->lock);
  take_packets (m, mail);
  m->asleep = FALSE;
  mail->quit = m->quit;
  mail->flush = m->flush;
  mail->drain = m->drain;
  mail->settings_changed = m->settings_changed;
  mail->peer_changed = m->peer_changed;
  if (m->settings_changed)
    mail->settings = m->settings;
  if (m->peer_changed) {
    mail->to = m->to;
    mail->socket = g_steal_pointer (&m->socket);
  }
  m->flush = m->settings_changed = m->peer_changed = FALSE;
  g_mutex_unlock (&m->lock);
}

void
gst_tfrc_mailbox_publish (GstTfrcMailbox *m, const GstTfrcStats *stats)
{
  g_mutex_lock (&m->lock);
  m->stats = *stats;
  g_mutex_unlock (&m->lock);
}

gboolean
gst_tfrc_mailbox_may_sleep (GstTfrcMailbox *m, const GstTfrcStats *stats, gboolean drains, gboolean packets_wake)
{
  gboolean idle;

  g_mutex_lock (&m->lock);
  m->stats = *stats;
  idle = m->queue.n == 0 && !m->quit && !m->flush && !m->settings_changed && !m->peer_changed && (!m->drain || drains);
  m->asleep = idle && packets_wake;
  g_mutex_unlock (&m->lock);
  return idle;
}

void
gst_tfrc_mailbox_tell_drained (GstTfrcMailbox *m)
{
  g_mutex_lock (&m->lock);
  m->drain = FALSE;
  m->drained = TRUE;
  g_cond_broadcast (&m->cond);
  g_mutex_unlock (&m->lock);
}

void
gst_tfrc_mailbox_tell_failed (GstTfrcMailbox *m)
{
  g_mutex_lock (&m->lock);
  m->failed = TRUE;
  g_cond_broadcast (&m->cond);
  g_mutex_unlock (&m->lock);
}
