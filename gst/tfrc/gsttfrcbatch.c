/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcbatch.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#define PROTECTED_SIZE (1 << 17) /* more than UDP takes: that is the system's to say */

void
gst_tfrc_batch_init (GstTfrcBatch *batch)
{
  memset (batch, 0, sizeof *batch);
}

void
gst_tfrc_batch_free (GstTfrcBatch *batch)
{
  g_free (batch->protected_packets);
  g_free (batch);
}

/* Memory that is never written to is only a number. */
void
gst_tfrc_batch_set_srtp (GstTfrcBatch *batch, GstCcSrtp *srtp)
{
  batch->srtp = srtp;
  if (srtp != NULL && batch->protected_packets == NULL)
    batch->protected_packets = g_malloc (GST_TFRC_BATCH_SIZE * PROTECTED_SIZE);
}

static void
unmap_slot (GstTfrcSlot *slot)
{
  guint i;

  if (slot->merged)
    gst_buffer_unmap (slot->buffer, &slot->maps[0]);
  else
    for (i = 0; i < slot->n_maps; i++)
      gst_memory_unmap (slot->maps[i].memory, &slot->maps[i]);
  slot->n_maps = 0;
  slot->merged = FALSE;
}

static gboolean
map_merged (GstTfrcSlot *slot)
{
  unmap_slot (slot);
  slot->merged = gst_buffer_map (slot->buffer, &slot->maps[0], GST_MAP_READ);
  slot->n_maps = slot->merged ? 1 : 0;
  return slot->merged;
}

static gboolean
map_pieces (GstTfrcSlot *slot)
{
  guint i, n = gst_buffer_n_memory (slot->buffer);

  slot->n_maps = 0;
  slot->merged = FALSE;
  if (n > GST_TFRC_BATCH_PIECES)
    return map_merged (slot);
  for (i = 0; i < n; i++) {
    if (!gst_memory_map (gst_buffer_peek_memory (slot->buffer, i), &slot->maps[i], GST_MAP_READ))
      return FALSE;
    slot->n_maps++;
  }
  return n > 0;
}

/* A head spread over several memories is rare enough to pay for a merge. */
static gboolean
map_head (GstTfrcSlot *slot, GstTfrcHead *head)
{
  gsize size = gst_buffer_get_size (slot->buffer);

  if (!map_pieces (slot))
    return FALSE;
  if (gst_tfrc_head_parse (slot->maps[0].data, slot->maps[0].size, size, head))
    return TRUE;
  return slot->n_maps > 1 && map_merged (slot) &&
         gst_tfrc_head_parse (slot->maps[0].data, slot->maps[0].size, size, head);
}

/* An IPv4 address is mapped where the socket speaks IPv6, and its packets are IPv4's all the same. */
static void
fill_control (GstTfrcBatch *batch, GstTfrcSlot *slot, gint tos, struct msghdr *message)
{
  gboolean v4 = batch->to.overhead == GST_TFRC_OVERHEAD_V4;

  message->msg_control = tos >= 0 ? slot->control.bytes : NULL;
  message->msg_controllen = tos >= 0 ? sizeof slot->control.bytes : 0;
  if (tos < 0)
    return;
  slot->control.header.cmsg_level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
  slot->control.header.cmsg_type = v4 ? IP_TOS : IPV6_TCLASS;
  slot->control.header.cmsg_len = CMSG_LEN (sizeof tos);
  memcpy (CMSG_DATA (&slot->control.header), &tos, sizeof tos);
}

/* new_size bytes of slot->head take the place of the packet's first `skip`. */
static void
fill_message (GstTfrcBatch *batch, GstTfrcSlot *slot, struct msghdr *message, gsize new_size, gsize skip)
{
  guint i, n = 0;

  if (new_size > 0)
    slot->pieces[n++] = (struct iovec){slot->head, new_size};
  for (i = 0; i < slot->n_maps; i++) {
    gsize size = slot->maps[i].size, off = MIN (skip, size);

    if (size > off)
      slot->pieces[n++] = (struct iovec){slot->maps[i].data + off, size - off};
    skip -= off;
  }
  message->msg_name = &batch->to.storage;
  message->msg_namelen = batch->to.length;
  message->msg_iov = slot->pieces;
  message->msg_iovlen = n;
}

/* Returns the size of the head in slot->head, 0 where the packet leaves with its own. */
static gsize
rewrite_head (GstTfrcBatch *batch, GstTfrcSlot *slot, const GstTfrcRewrite *rewrite, const GstTfrcHead *head)
{
  const guint8 *data = slot->maps[0].data;
  gsize size = gst_tfrc_head_write (head, data, &rewrite->elements, slot->head);

  if (size == 0 || rewrite->elements.id == 0)
    batch->unstamped++;
  if (size == 0 && (rewrite->renumber != 0 || rewrite->resent))
    size = gst_tfrc_head_copy (head, data, slot->head);
  if (size > 0)
    gst_tfrc_head_renumber (slot->head, rewrite->renumber);
  return size;
}

static gsize
message_bytes (const struct msghdr *message)
{
  gsize i, size = 0;

  for (i = 0; i < message->msg_iovlen; i++)
    size += message->msg_iov[i].iov_len;
  return size;
}

/* A cipher wants the packet in one piece. FALSE: it must not leave. */
static gboolean
protect_message (GstTfrcBatch *batch, GstTfrcSlot *slot, struct msghdr *message)
{
  guint8 *out = batch->protected_packets + (gsize)batch->count * PROTECTED_SIZE;
  gsize size;

  if (message_bytes (message) + GST_CC_SRTP_ROOM > PROTECTED_SIZE) {
    batch->too_large++;
    return FALSE;
  }
  size = gst_tfrc_srtp_gather (batch->srtp, message->msg_iov, (guint)message->msg_iovlen, out, PROTECTED_SIZE);

  slot->pieces[0] = (struct iovec){out, size};
  message->msg_iovlen = 1;
  batch->unprotected += size == 0;
  return size > 0;
}

static gboolean
drop (GstTfrcSlot *slot)
{
  unmap_slot (slot);
  gst_buffer_unref (slot->buffer);
  return FALSE;
}

gboolean
gst_tfrc_batch_add (GstTfrcBatch *batch, GstBuffer *buffer, const GstTfrcRewrite *rewrite, GstTfrcHead *head)
{
  GstTfrcSlot *slot = &batch->slots[batch->count];
  struct msghdr *message = &batch->messages[batch->count].msg_hdr;
  gsize new_size, skip;

  slot->buffer = buffer;
  if (!map_head (slot, head))
    return drop (slot);
  new_size = rewrite_head (batch, slot, rewrite, head);
  skip = new_size > 0 ? head->head_size : 0;
  if (new_size > 0 && rewrite->resent) {
    GST_WRITE_UINT16_BE (slot->head + new_size, rewrite->osn);
    new_size += GST_TFRC_OSN_SIZE;
    skip += GST_TFRC_OSN_SIZE;
  }
  fill_message (batch, slot, message, new_size, skip);
  fill_control (batch, slot, rewrite->tos, message);
  if (batch->srtp != NULL && !protect_message (batch, slot, message))
    return drop (slot);
  batch->count++;
  return TRUE;
}

void
gst_tfrc_batch_clear (GstTfrcBatch *batch)
{
  guint i;

  for (i = 0; i < batch->count; i++) {
    unmap_slot (&batch->slots[i]);
    gst_buffer_unref (batch->slots[i].buffer);
  }
  batch->count = 0;
  batch->sent = 0;
}

/* Some errors tell of an earlier packet and only happen to be reported now: this one deserves another try. */
static gboolean
may_be_of_another (int error)
{
  return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH || error == EMSGSIZE ||
         error == EHOSTDOWN || error == EPROTO;
}

static void
count_error (GstTfrcBatch *batch, int error)
{
  batch->last_errno = error;
  if (error == EMSGSIZE)
    batch->too_large++;
  else if (error == ECONNREFUSED)
    batch->refused++;
  else if (error == EHOSTUNREACH || error == ENETUNREACH || error == EHOSTDOWN)
    batch->unreachable++;
  else
    batch->errors++;
}

gboolean
gst_tfrc_batch_flush (GstTfrcBatch *batch, int fd)
{
  guint tries = 0;

  while (batch->sent < batch->count) {
    int n = sendmmsg (fd, batch->messages + batch->sent, batch->count - batch->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n > 0) {
      batch->sent += (guint)n;
      tries = 0;
    } else if (n < 0 && errno == EAGAIN) {
      return FALSE;
    } else if (n < 0 && errno != EINTR && !(may_be_of_another (errno) && tries++ == 0)) {
      count_error (batch, errno);
      batch->sent++;
      tries = 0;
    }
  }
  gst_tfrc_batch_clear (batch);
  return TRUE;
}
