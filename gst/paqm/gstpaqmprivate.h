/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of paqmshaper. What has no other remark is called with the element's lock held. */
#ifndef GST_PAQM_PRIVATE_H
#define GST_PAQM_PRIVATE_H

#include "gstpaqmshaper.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (paqmshaper_debug);
#define GST_CAT_DEFAULT paqmshaper_debug

/* Reads the clock that everything here runs on; the lock does not matter. */
GstClockTime gst_paqm_shaper_now (GstPaqmShaper *self);

/* gstpaqmproperties.c: what the user sets. */
void gst_paqm_settings_init (GstPaqmSettings *settings);
void gst_paqm_shaper_install_properties (GObjectClass *klass); /* with get_property and set_property */
/* The settings become effective, and stay so; or the last good ones come back, and the reason is returned. */
const gchar *gst_paqm_shaper_apply (GstPaqmShaper *self, GstClockTime now);
/* Without the lock: the reason, as a message. */
void gst_paqm_shaper_warn_refused (GstPaqmShaper *self, const gchar *reason);

/* gstpaqmarrive.c: packets into the queues. Without the lock. */
const GstPaqmPacketFuncs *gst_paqm_shaper_packets (GstPaqmShaper *self);
GstFlowReturn gst_paqm_shaper_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer);
GstFlowReturn gst_paqm_shaper_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list);
/* A serialised event that does not stick waits behind the pad's packets; event: full. */
gboolean gst_paqm_shaper_queue_event (GstPaqmShaper *self, GstPaqmPad *pad, GstEvent *event);

/* gstpaqmsend.c: packets out of the queues, in a thread of its own. */
void gst_paqm_shaper_loop (gpointer pad); /* without the lock */
GstEvent *gst_paqm_shaper_new_stream_start (GstPaqmShaper *self, const gchar *name);
/* The thread, if it sleeps, looks again no later than at `at`. */
void gst_paqm_shaper_wake_before (GstPaqmShaper *self, GstClockTime at);
void gst_paqm_shaper_clear_queues (GstPaqmShaper *self);
/* The loops' periods, where they have ended. */
void gst_paqm_shaper_run_periods (GstPaqmShaper *self, GstClockTime now);

/* gstpaqmsignal.c: what sources are told. */
/* FALSE: nothing is to be told in packets. */
gboolean gst_paqm_shaper_get_tag (GstPaqmShaper *self, const GstPaqmPad *pad, GstPaqmTag *tag);
gdouble gst_paqm_shaper_told_rate (GstPaqmShaper *self); /* bytes/s; HUGE_VAL: none */
gboolean gst_paqm_shaper_tells_sources (GstPaqmShaper *self);
GstPad *gst_paqm_shaper_new_rtcp_pad (GstPaqmShaper *self, GstPadTemplate *templ); /* without the lock */

/* gstpaqmstats.c */
void gst_paqm_delay_note (GstPaqmDelay *delay, GstClockTime waited);
GstStructure *gst_paqm_shaper_take_stats (GstPaqmShaper *self); /* full */

G_END_DECLS
#endif
