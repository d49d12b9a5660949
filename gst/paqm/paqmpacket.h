/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a buffer is to the shaper, one implementation for each `mode`:

     rtp   a buffer is a UDP datagram's payload: RTP or RTCP; all else is elastic
     ip    a buffer begins with an IPv4 or IPv6 header

   The functions keep nothing and are called by several threads at a time. */
#ifndef PAQM_PACKET_H
#define PAQM_PACKET_H

#include <gio/gio.h>
#include <gst/gst.h>

#include "cctime.h"

G_BEGIN_DECLS

typedef struct {
  guint64 key[2];      /* random: nobody can choose flow ids that collide */
  gint overhead_bytes; /* of UDP and IP; -1: by the address the packet came from. Mode ip counts what is there */
  guint rtt_id;        /* header extension id of rtt-sendts; 0: not looked for */
  gboolean is_media;   /* the pad's caps or class say so: no guess by the bytes */
} GstPaqmLook;

typedef struct {
  gboolean media; /* RTP or RTCP */
  gboolean rtp;   /* has a source that can be told a rate */
  gboolean rtcp;
  guint32 ssrc;     /* of RTP */
  guint64 flow;     /* 0: none of its own, goes with the pad's latest packet */
  guint size_bytes; /* with UDP and IP headers, without the link's */
  gboolean ect;     /* may be marked CE */
  gboolean l4s;     /* at once: ECT(1) */
  CcDuration rtt;   /* as rtt-sendts has it; 0: not told */
  gboolean tagged;  /* not for look (): a router's rate was set */
} GstPaqmPacket;

typedef struct {
  gdouble rate_Bps; /* explicit rate per flow, UDP and IP headers counted; HUGE_VAL: none */
  guint16 hop;
  guint extension_id; /* 1-255 */
  gboolean add;       /* where the packet has no such element */
} GstPaqmTag;

typedef struct {
  void (*look) (GstBuffer *buffer, const GstPaqmLook *how, GstPaqmPacket *packet);
  /* CE; buffer: full, as is what returns. Called where `ect` was set. */
  GstBuffer *(*mark) (GstBuffer *buffer);
  /* Lowers the explicit rate in an RTP packet's header extension; the same ownership. *changed: whether it did. */
  GstBuffer *(*tag) (GstBuffer *buffer, const GstPaqmTag *tag, gboolean *changed);
  /* Where RTCP for the packet's source goes; full, NULL: not known. */
  GSocketAddress *(*sender) (GstBuffer *buffer);
} GstPaqmPacketFuncs;

extern const GstPaqmPacketFuncs gst_paqm_packet_rtp; /* paqmrtp.c */
extern const GstPaqmPacketFuncs gst_paqm_packet_ip;  /* paqmip.c */

G_END_DECLS
#endif
