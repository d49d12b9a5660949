/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What media sources are told: a rate in their packets, which the receiver returns, and over RTCP, sent to where each
   source's packets come from by a thread of its own, so that a full link delays it not.

   What has no other remark is called with the lock held, which is the element's. */
#ifndef GST_PAQM_TELLER_H
#define GST_PAQM_TELLER_H

#include "gstpaqmpad.h"
#include "gstpaqmsettings.h"
#include "paqmsources.h"

G_BEGIN_DECLS

/* What a period of the outer loop has brought. */
typedef struct {
  GstPaqmSignalling signalling;
  gdouble R_Bps; /* UDP and IP headers counted; HUGE_VAL: none */
  PaqmFeedback feedback;
  guint overhead_bytes; /* of UDP and IP */
  GstClockTime life;    /* silence after which a source is forgotten */
  GstClockTime at;
} GstPaqmNews;

typedef enum {
  GST_PAQM_TELLER_SILENT, /* nothing has left since the pad was activated */
  GST_PAQM_TELLER_BEGUN,
  GST_PAQM_TELLER_OVER /* EOS has left */
} GstPaqmTellerStream;

typedef struct {
  guint16 hop; /* who we are in explicit rates; never 0 */
  guint32 ssrc;
  gchar *cname;
  guint64 stream_id;
  GMutex *lock;

  GstPad *pad;            /* for RTCP, the element's; NULL: nobody asked for it */
  PaqmSources *sources;   /* who is told over RTCP */
  GCond due;              /* there is something to tell, or an end to it */
  gboolean active, ended; /* ended: as the packets, nothing more is to be told */
  GstPaqmTellerStream stream;
  GArray *told; /* of PaqmTold, as of news.at, whatever has passed since; NULL: nothing is due */
  GstPaqmNews news;
  guint64 tagged, sent; /* packets */
} GstPaqmTeller;

void gst_paqm_teller_init (GstPaqmTeller *teller, GMutex *lock, guint64 stream_id); /* without the lock */
void gst_paqm_teller_finalize (GstPaqmTeller *teller);                              /* without the lock */
void gst_paqm_teller_reset (GstPaqmTeller *teller);
GstPad *gst_paqm_teller_new_pad (GstPaqmTeller *teller, GstPadTemplate *templ); /* without the lock */

/* What a packet of this pad is told; FALSE: nothing. */
gboolean gst_paqm_teller_get_tag (const GstPaqmTeller *teller, const GstPaqmSettings *settings,
    const GstPaqmPadCaps *caps, gdouble R_Bps, GstPaqmTag *tag);
/* Whether sources are to be noted in `sources`, as they will be told over RTCP. */
gboolean gst_paqm_teller_tells_sources (const GstPaqmTeller *teller, GstPaqmSignalling signalling);
void gst_paqm_teller_tell (GstPaqmTeller *teller, const GstPaqmNews *news);
/* RTCP ends where the packets have; FALSE after that: they begin anew, and so does it. */
void gst_paqm_teller_set_ended (GstPaqmTeller *teller, gboolean ended);

G_END_DECLS
#endif
