/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoders that code 4:4:4 where it is offered are held to 4:2:0, which every receiver decodes, by the caps asked of
   them. */
#ifndef GST_ENCODER_420_H
#define GST_ENCODER_420_H

#include "encodertable.h"

G_BEGIN_DECLS

/* In this thread such a question is under way: the answer must be the caps as they are. */
gboolean encoder_420_is_asking (void);
/* The answer to a caps query, what may leave the encoder, where there is something to narrow. */
void encoder_420_narrow (const EncoderRow *row, GstElement *encoder, GstQuery *query);

G_END_DECLS
#endif
