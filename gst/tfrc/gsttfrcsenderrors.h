/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the application is told of packets that could not be sent: one warning for each kind of mistake, with its cure.
 */
#ifndef GST_TFRC_SEND_ERRORS_H
#define GST_TFRC_SEND_ERRORS_H

#include "gsttfrcbatch.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element;
  guint warned;   /* bits of the kinds told already */
  guint64 failed; /* packets, when that was last looked at */
} GstTfrcSendErrors;

void gst_tfrc_send_errors_init (GstTfrcSendErrors *e, GstElement *element);
void gst_tfrc_send_errors_tell (GstTfrcSendErrors *e, const GstTfrcBatch *batch);
/* Those that ICMP brought since, which are counted in batch. Returns what it says of the path: bytes of an IP packet at
   most; 0: nothing. */
guint gst_tfrc_send_errors_take (GstTfrcSendErrors *e, GstTfrcBatch *batch, int fd);

G_END_DECLS
#endif
