/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The media sources that pass, so that they can be told a rate over RTCP: SSRC, where they send from, how much. A
   source counts after a few packets, and for as long as it sends; an address is believed when it comes twice in a row,
   looked at twice a second. What is sent to an address is less than what came from it, whoever sent that. */
#ifndef PAQM_SOURCES_H
#define PAQM_SOURCES_H

#include <gio/gio.h>
#include <gst/gst.h>

#include "paqmpacket.h"

G_BEGIN_DECLS

#define PAQM_SOURCES_MAX 4096
#define PAQM_SOURCES_PROOF 4 /* packets */

typedef struct {
  guint32 ssrc;
  GSocketAddress *address; /* NULL: not known */
  gdouble rate_Bps;        /* as it sent since it was last told, UDP and IP headers counted; 0: not known */
} PaqmTold;

typedef struct _PaqmSources PaqmSources;

PaqmSources *paqm_sources_new (void);
void paqm_sources_free (PaqmSources *sources);
void paqm_sources_clear (PaqmSources *sources);
guint paqm_sources_n (const PaqmSources *sources);
guint64 paqm_sources_refused (const PaqmSources *sources); /* packets of sources that found no place */
void paqm_sources_on_packet (PaqmSources *sources, const GstPaqmPacket *packet, const GstPaqmPacketFuncs *funcs,
    GstBuffer *buffer, GstClockTime now);
/* Everybody to tell now, a GArray of PaqmTold that owns its addresses; forgets who has been silent for `life`. */
GArray *paqm_sources_tell (PaqmSources *sources, GstClockTime life, GstClockTime now);

G_END_DECLS
#endif
