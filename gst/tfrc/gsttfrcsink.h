/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TFRC_SINK_H
#define GST_TFRC_SINK_H

#include <gst/base/gstbasesink.h>
#include <gst/gst.h>

#include "gsttfrcendpoint.h"
#include "gsttfrctransmit.h"
#include "rtpkeyunit.h"

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SINK (gst_tfrc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSink, gst_tfrc_sink, GST, TFRC_SINK, GstBaseSink)

struct _GstTfrcSink {
  GstBaseSink parent;

  /* properties, under the object lock */
  GstTfrcEndpoint endpoint;
  gchar *rate_sources;
  gchar *refused_rate_sources; /* why, until it was told: what is set before there is a bus is told at the start */
  guint extension_id, twcc_extension_id, rate_extension_id;
  GstTfrcSettings settings;
  GstCcSrtpParams srtp_params;

  GstTfrcTransmit transmit;
  GstCcSrtp *srtp;       /* between READY and NULL; NULL: no key */
  gboolean left_preroll; /* until READY, what async says is not the application's */

  /* the streaming thread's */
  GArray *packets; /* CcPacket, of the list at hand */
  guint malformed;
  guint stream_extension_id, stream_twcc_id, stream_rate_id;
  RtpCodec codec;
  gboolean has_frame, frame_is_key;
  guint32 frame;
  CcTime captured_at;
  guint old_frames; /* in a row */
};

/* gsttfrcsinkproperties.c, with get_property and set_property */
void gst_tfrc_sink_install_properties (GObjectClass *gobject);
void gst_tfrc_sink_init_properties (GstTfrcSink *self);     /* their defaults */
GstTfrcSettings gst_tfrc_sink_settings (GstTfrcSink *self); /* as they hold for whom it sends to */
void gst_tfrc_sink_tell_refused (GstTfrcSink *self);        /* what was set wrongly and not told yet */

GST_ELEMENT_REGISTER_DECLARE (tfrcsink);

G_END_DECLS
#endif
