/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TFRC_SINK_H
#define GST_TFRC_SINK_H

#include <gst/base/gstbasesink.h>
#include <gst/gst.h>

#include "gsttfrctransmit.h"
#include "rtpkeyunit.h"

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SINK (gst_tfrc_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSink, gst_tfrc_sink, GST, TFRC_SINK, GstBaseSink)

#define GST_TYPE_TFRC_SINK_MODE (gst_tfrc_sink_mode_get_type ())
GType gst_tfrc_sink_mode_get_type (void);

#define GST_TFRC_SINK_CLOCK_RATE 90000 /* Hz, where the caps name none */

struct _GstTfrcSink {
  GstBaseSink parent;

  /* properties, under the object lock */
  gchar *host, *bind_address, *rate_sources;
  gint port, bind_port, dscp;
  guint extension_id, twcc_extension_id, rate_extension_id;
  GSocket *external_socket;
  GstTfrcSettings settings;
  GstCcSrtpParams srtp_params;

  GstTfrcTransmit transmit;
  GstCcSrtp *srtp; /* between READY and NULL; NULL: no key */
  GSocket *socket; /* between READY and NULL; under the object lock */
  GstTfrcAddress to;
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
void gst_tfrc_sink_init_properties (GstTfrcSink *self); /* their defaults */
/* gsttfrcsink.c: host or port are others now. */
void gst_tfrc_sink_peer_changed (GstTfrcSink *self);

GST_ELEMENT_REGISTER_DECLARE (tfrcsink);

G_END_DECLS
#endif
