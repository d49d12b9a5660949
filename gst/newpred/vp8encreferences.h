/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* vp8enc told for each picture which reference buffers it may use and fill. It takes a pattern of such flags for
   temporal layers, at any time, and looks at it for each picture anew: a pattern of one picture, changed between two of
   them, is a choice for each. */
#ifndef VP8ENC_REFERENCES_H
#define VP8ENC_REFERENCES_H

#include <gst/gst.h>

#include "referencechoice.h"

G_BEGIN_DECLS

gboolean vp8enc_references_can (GstElement *encoder);
/* Before the first picture: key pictures only where asked for. Returns a reason, with its cure, why the references
   would not be what is planned; NULL: none, and `found` is what the encoder was set to. */
const gchar *vp8enc_references_begin (GstElement *encoder, GstStructure **found);
/* For the next picture, on the encoder's thread. */
void vp8enc_references_set (GstElement *encoder, const ReferencePlan *plan);
/* The encoder's own choice again, as it was found; takes `found`. */
void vp8enc_references_end (GstElement *encoder, GstStructure *found);

G_END_DECLS
#endif
