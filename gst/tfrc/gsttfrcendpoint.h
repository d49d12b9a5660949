/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a flow is sent, and from where: what the user names, and the socket and address it comes to. A change of host
   or port while it is open is a new path from the same socket; where that is not to be had the one before stays. */
#ifndef GST_TFRC_ENDPOINT_H
#define GST_TFRC_ENDPOINT_H

#include "gsttfrcsocket.h"

G_BEGIN_DECLS

/* Of a class they stand one after the other, from `first` on. */
enum {
  GST_TFRC_ENDPOINT_HOST,
  GST_TFRC_ENDPOINT_PORT,
  GST_TFRC_ENDPOINT_BIND_ADDRESS,
  GST_TFRC_ENDPOINT_BIND_PORT,
  GST_TFRC_ENDPOINT_SOCKET,
  GST_TFRC_ENDPOINT_DSCP,
  GST_TFRC_ENDPOINT_MULTICAST_IFACE,
  GST_TFRC_ENDPOINT_TTL_MC,
  GST_TFRC_ENDPOINT_PROPERTIES
};

/* All under the element's object lock. */
typedef struct {
  GstElement *element;
  gchar *host, *bind_address, *multicast_iface;
  gint port, bind_port, dscp, ttl_mc;
  gchar *used_host; /* where it is open, with used_port */
  gint used_port;
  guint wishes;      /* host or port set, or it closed: who looked one up while another came has no answer to it */
  GSocket *given;    /* by the user; NULL: none */
  GSocket *socket;   /* in use; NULL: it is not open */
  GstTfrcAddress to; /* of the receiver, for that socket */
  gboolean group;    /* of receivers (gsttfrcgroup.h): it is for one run */
} GstTfrcEndpoint;

void gst_tfrc_endpoint_init (GstTfrcEndpoint *e, GstElement *element);
void gst_tfrc_endpoint_clear (GstTfrcEndpoint *e);

void gst_tfrc_endpoint_install_properties (GObjectClass *klass, guint first);
/* which: as above; the caller holds the lock. FALSE: none of these. */
gboolean gst_tfrc_endpoint_set_property (GstTfrcEndpoint *e, guint which, const GValue *value);
gboolean gst_tfrc_endpoint_get_property (const GstTfrcEndpoint *e, guint which, GValue *value);

/* Takes the lock, not while names are resolved, which may take long. FALSE, and an error has been posted: no such
   receiver. may_be_group: it need not be a single one. */
gboolean gst_tfrc_endpoint_open (GstTfrcEndpoint *e, gboolean may_be_group);
void gst_tfrc_endpoint_close (GstTfrcEndpoint *e);
/* Whether a move has to ask for a name, which may take as long as the network lets it: not for a thread of others.
   wish: the one that holds. */
gboolean gst_tfrc_endpoint_must_ask (GstTfrcEndpoint *e, guint *wish);
/* Host or port are others now. FALSE: it is not open, or a warning has been posted, and they are as they were; or
   another wish came or comes first, which is not told. Until TRUE the receiver is the one before. */
gboolean gst_tfrc_endpoint_move (GstTfrcEndpoint *e, guint wish);
/* Where a name is asked for still, waits for the answer: a run begins with what was set before it. */
void gst_tfrc_endpoint_settle (GstTfrcEndpoint *e);
void gst_tfrc_endpoint_apply_dscp (GstTfrcEndpoint *e);
/* The socket in use, to be unreferenced, and where to. NULL: it is not open. */
GSocket *gst_tfrc_endpoint_get (GstTfrcEndpoint *e, GstTfrcAddress *to);

G_END_DECLS
#endif
