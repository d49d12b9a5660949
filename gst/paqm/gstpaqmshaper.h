/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_PAQM_SHAPER_H
#define GST_PAQM_SHAPER_H

#include "gstcccompat.h"
#include <gst/gst.h>

#include "gstpaqmpad.h"
#include "linkslots.h"
#include "paqm.h"
#include "paqmpacket.h"
#include "paqmsources.h"

G_BEGIN_DECLS

#define GST_TYPE_PAQM_SHAPER (gst_paqm_shaper_get_type ())
G_DECLARE_FINAL_TYPE (GstPaqmShaper, gst_paqm_shaper, GST, PAQM_SHAPER, GstElement)

typedef enum { GST_PAQM_DISCIPLINE_PAQM, GST_PAQM_DISCIPLINE_FIFO } GstPaqmDiscipline;
typedef enum { GST_PAQM_MODE_RTP, GST_PAQM_MODE_IP } GstPaqmMode;
typedef enum { GST_PAQM_COUNT_EXACT, GST_PAQM_COUNT_ESTIMATE } GstPaqmCount;
typedef enum { GST_PAQM_ECN_ELASTIC = 1 << 0, GST_PAQM_ECN_MEDIA = 1 << 1 } GstPaqmEcn;
typedef enum {
  GST_PAQM_SIGNAL_ERF_EXTENSION = 1 << 0,
  GST_PAQM_SIGNAL_ERF = 1 << 1,
  GST_PAQM_SIGNAL_ECF = 1 << 2,
  GST_PAQM_SIGNAL_REMB = 1 << 3,
  GST_PAQM_SIGNAL_TMMBR = 1 << 4
} GstPaqmSignalling;

#define GST_TYPE_PAQM_DISCIPLINE (gst_paqm_discipline_get_type ())
GType gst_paqm_discipline_get_type (void);
#define GST_TYPE_PAQM_MODE (gst_paqm_mode_get_type ())
GType gst_paqm_mode_get_type (void);
#define GST_TYPE_PAQM_COUNT (gst_paqm_count_get_type ())
GType gst_paqm_count_get_type (void);
#define GST_TYPE_PAQM_ECN (gst_paqm_ecn_get_type ())
GType gst_paqm_ecn_get_type (void);
#define GST_TYPE_PAQM_SIGNALLING (gst_paqm_signalling_get_type ())
GType gst_paqm_signalling_get_type (void);

/* The properties as they were set. */
typedef struct {
  guint64 capacity; /* bit/s */
  GstPaqmDiscipline discipline;
  GstPaqmMode mode;
  guint target[PAQM_CLASSES], limit[PAQM_CLASSES], fifo_limit; /* bytes */
  GstClockTime target_time[PAQM_CLASSES];                      /* 0: target */
  gdouble burst;                                               /* media targets */
  gdouble alpha, beta, utilisation;
  GstClockTime tau2, rtt, flow_life;
  guint64 min_rate; /* bit/s per flow */
  GstPaqmEcn ecn;
  GstPaqmSignalling signalling;
  guint extension_id;
  gboolean add_extension;
  GstPaqmCount flow_counting;
  gboolean strikes;
  gint overhead;
  guint link_overhead;
  GstClockTime stats_interval;
} GstPaqmSettings;

/* What waits in a FIFO: a packet, or a serialised event that goes in its place. */
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

struct _GstPaqmShaper {
  GstElement parent;

  GstPad *srcpad, *rtcp_srcpad; /* rtcp_srcpad: while requested */
  GstClock *system_clock;
  guint64 key[2]; /* random: of flow ids and stream ids */
  guint16 hop;    /* who we are in explicit rates; never 0 */
  guint32 ssrc;
  gchar *cname;

  GMutex lock; /* all below; never held while pushing, posting or notifying */
  GstPaqmSettings settings, applied;
  gboolean settings_changed, running;

  Paqm *paqm; /* 52 kB, beyond what an instance may have */
  CcPcg32 pcg;
  LinkSlots slots;
  GstCcDeque *fifo[PAQM_CLASSES]; /* of GstPaqmItem */
  GstPaqmStream *sent_stream;     /* whose events went ahead last */
  gboolean started, eos_sent;
  guint sinks, sinks_at_eos;
  guint64 next_pad;

  GstClockID wait_id; /* of the thread that sleeps now */
  GstClockTime wait_until;
  GstFlowReturn srcresult; /* FLUSHING: inactive or flushing */

  PaqmSources *sources; /* who is told over RTCP */
  GCond tell;           /* there is something to tell, or an end to it */
  gboolean tell_due, rtcp_active, rtcp_started;

  GstPaqmDelay delay[PAQM_CLASSES];
  guint64 ip_bytes, link_bytes; /* of media, arrived */
  guint64 tagged, rtcp_sent;
  GstClockTime stats_at;
};

GST_ELEMENT_REGISTER_DECLARE (paqmshaper);

G_END_DECLS
#endif
