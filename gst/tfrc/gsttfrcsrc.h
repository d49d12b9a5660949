/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_TFRC_SRC_H
#define GST_TFRC_SRC_H

#include "gsttfrclatency.h"
#include "gsttfrcplayout.h"
#include "gsttfrcrepair.h"
#include "gsttfrcreceiveadvice.h"
#include "gsttfrcreply.h"
#include "gsttfrcrestore.h"
#include "gsttfrcsrtp.h"

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SRC (gst_tfrc_src_get_type ())
G_DECLARE_FINAL_TYPE (GstTfrcSrc, gst_tfrc_src, GST, TFRC_SRC, GstBin)

struct _GstTfrcSrc {
  GstBin parent;

  GstElement *udpsrc, *rtcpavpf, *rtxreceive, *jitterbuffer, *rtcpsink;
  GstPad *ghost;
  GstTfrcLatency latency;
  GstTfrcRestore restore;
  GstTfrcReceiveAdvice advice;
  GstTfrcSrtpGate gate;
  GstTfrcReply reply;
  GSocket *socket;    /* while not in NULL */
  gboolean is_moved;  /* it is not where it is to be: that was set since it was opened, or is taken */
  gulong group_probe; /* 0: no group is answered */

  gchar *address, *multicast_iface, *encoding_name;
  gint port, payload;
  GstCcSrtpParams srtp_params;
  GstCaps *caps;
  GstStructure *rtx_map; /* payload type -> that of its retransmissions; NULL: none come */
  guint clock_rate;
  GstTfrcPlayout playout; /* but for what it is repaired by */
  GstTfrcRepairMode repair;
  guint64 send_errors;
};

/* gsttfrcsrcproperties.c, with get_property and set_property */
void gst_tfrc_src_install_properties (GObjectClass *klass);
void gst_tfrc_src_init_properties (GstTfrcSrc *self); /* their defaults */

GST_ELEMENT_REGISTER_DECLARE (tfrcsrc);

G_END_DECLS
#endif
