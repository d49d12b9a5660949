/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcpacket.h"

#include "erfextension.h"

#include <string.h>

#define FIXED_HEADER 12
#define EXTENSION_HEAD 4
#define EXTENSION_BIT 0x10
#define LONGEST_START (FIXED_HEADER + 15 * 4 + EXTENSION_HEAD) /* with all CSRCs, up to the extension's length */

/* FALSE where the length of the extension is not in what is available. */
static gboolean
parse_extension (const guint8 *data, gsize available, GstTfrcHead *head)
{
  if (head->fixed_size + EXTENSION_HEAD > available)
    return FALSE;
  head->profile = GST_READ_UINT16_BE (data + head->fixed_size);
  head->block_size = 4 * (gsize)GST_READ_UINT16_BE (data + head->fixed_size + 2);
  head->head_size += EXTENSION_HEAD + head->block_size;
  return TRUE;
}

/* The head may reach beyond what is available. */
static gboolean
parse_start (const guint8 *data, gsize available, GstTfrcHead *head)
{
  if (available < FIXED_HEADER || data[0] >> 6 != 2)
    return FALSE;
  head->has_extension = (data[0] & EXTENSION_BIT) != 0;
  head->marker = (data[1] & 0x80) != 0;
  head->payload_type = data[1] & 0x7f;
  head->seq = GST_READ_UINT16_BE (data + 2);
  head->timestamp = GST_READ_UINT32_BE (data + 4);
  head->ssrc = GST_READ_UINT32_BE (data + 8);
  head->fixed_size = FIXED_HEADER + 4 * (gsize)(data[0] & 0x0f);
  head->head_size = head->fixed_size;
  head->profile = 0;
  head->block_size = 0;
  if (head->fixed_size > available)
    return FALSE;
  return !head->has_extension || parse_extension (data, available, head);
}

gboolean
gst_tfrc_head_parse (const guint8 *data, gsize available, gsize size, GstTfrcHead *head)
{
  available = MIN (available, size);
  return parse_start (data, available, head) && head->head_size <= available;
}

gboolean
gst_tfrc_head_of (GstBuffer *buffer, GstTfrcHead *head)
{
  guint8 data[LONGEST_START];
  gsize available = gst_buffer_extract (buffer, 0, data, sizeof data);

  return parse_start (data, available, head) && head->head_size <= gst_buffer_get_size (buffer);
}

typedef struct {
  guint id; /* 0: none */
  const guint8 *data;
  gsize size;
} Element;

/* Writes the head with one element into out. */
static gsize
put_element (const GstTfrcHead *head, const guint8 *data, const Element *element, guint8 out[GST_TFRC_HEAD_MAX])
{
  const guint8 *block = head->has_extension ? data + head->fixed_size + EXTENSION_HEAD : NULL;
  guint16 profile;
  gsize at = head->fixed_size + EXTENSION_HEAD, size;

  size = rtp_ext_put (head->profile, block, head->block_size, element->id, element->data, element->size, out + at,
      GST_TFRC_HEAD_MAX - at, &profile);
  if (size == 0)
    return 0;
  memcpy (out, data, head->fixed_size);
  out[0] |= EXTENSION_BIT;
  GST_WRITE_UINT16_BE (out + head->fixed_size, profile);
  GST_WRITE_UINT16_BE (out + head->fixed_size + 2, (guint16)(size / 4));
  return at + size;
}

/* One after the other, each into the head that has those before it. */
static gsize
put_elements (
    const GstTfrcHead *head, const guint8 *data, const Element *elements, guint n, guint8 out[GST_TFRC_HEAD_MAX])
{
  guint8 between[GST_TFRC_HEAD_MAX];
  GstTfrcHead last = *head;
  gsize size = 0;
  guint i;

  for (i = 0; i < n; i++) {
    if (elements[i].id == 0)
      continue;
    if (size > 0) {
      memcpy (between, out, size);
      data = between;
      if (!gst_tfrc_head_parse (data, size, size, &last))
        return 0;
    }
    size = put_element (&last, data, &elements[i], out);
    if (size == 0)
      return 0;
  }
  return size;
}

gsize
gst_tfrc_head_write (
    const GstTfrcHead *head, const guint8 *data, const GstTfrcElements *elements, guint8 out[GST_TFRC_HEAD_MAX])
{
  guint8 stamp[RTP_EXT_RTT_SENDTS_SIZE], number[RTP_EXT_TWCC_SIZE], rate[ERF_EXTENSION_SIZE];
  const Element all[] = {{elements->id, stamp, sizeof stamp}, {elements->twcc_id, number, sizeof number},
      {elements->rate_id, rate, sizeof rate}};

  rtp_ext_rtt_sendts_write (stamp, &elements->stamp);
  rtp_ext_twcc_write (number, elements->twcc_number);
  erf_extension_write_unset (rate);
  return put_elements (head, data, all, G_N_ELEMENTS (all), out);
}

gsize
gst_tfrc_head_growth (const GstTfrcHead *head, const guint8 *data, const GstTfrcElements *elements)
{
  const guint8 *block = head->has_extension ? data + head->fixed_size + EXTENSION_HEAD : NULL;
  guint8 out[GST_TFRC_HEAD_MAX];
  gsize size;

  if (elements->twcc_id == 0 && elements->rate_id == 0)
    return rtp_ext_growth (head->profile, block, head->block_size, elements->id, RTP_EXT_RTT_SENDTS_SIZE);
  size = gst_tfrc_head_write (head, data, elements, out);
  return size > head->head_size ? size - head->head_size : 0;
}

gsize
gst_tfrc_head_copy (const GstTfrcHead *head, const guint8 *data, guint8 out[GST_TFRC_HEAD_MAX])
{
  if (head->head_size > GST_TFRC_HEAD_MAX)
    return 0;
  memcpy (out, data, head->head_size);
  return head->head_size;
}

void
gst_tfrc_head_renumber (guint8 out[GST_TFRC_HEAD_MAX], guint16 by)
{
  GST_WRITE_UINT16_BE (out + 2, (guint16)(GST_READ_UINT16_BE (out + 2) - by));
}

gboolean
gst_tfrc_packet_number (GstBuffer *buffer, guint32 *ssrc, guint16 *seq)
{
  guint8 head[12];

  if (gst_buffer_extract (buffer, 0, head, sizeof head) < sizeof head)
    return FALSE;
  *seq = GST_READ_UINT16_BE (head + 2);
  *ssrc = GST_READ_UINT32_BE (head + 8);
  return TRUE;
}

gboolean
gst_tfrc_packet_osn (GstBuffer *buffer, guint16 *osn)
{
  guint8 data[GST_TFRC_HEAD_MAX];
  GstTfrcHead head;

  if (!gst_tfrc_head_parse (
          data, gst_buffer_extract (buffer, 0, data, sizeof data), gst_buffer_get_size (buffer), &head))
    return FALSE;
  if (gst_buffer_extract (buffer, head.head_size, data, GST_TFRC_OSN_SIZE) != GST_TFRC_OSN_SIZE)
    return FALSE;
  *osn = GST_READ_UINT16_BE (data);
  return TRUE;
}
