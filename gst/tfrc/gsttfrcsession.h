/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The participant (rtpparticipant.h) of a sending flow on its socket: its RTCP leaves for the receiver that the user
   names, and what comes from there is opened and handed over. All rules of RTP are the participant's. For the sending
   thread only. */
#ifndef GST_TFRC_SESSION_H
#define GST_TFRC_SESSION_H

#include "gstccparticipant.h"
#include "gsttfrcsocket.h"
#include "gsttfrcsrtp.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* that warns */
  GstCcSrtp *srtp;     /* NULL: packets are not protected */
  GstTfrcAddress to;
  const gchar *cname; /* empty: one made up for this session */
  RtpEvents events;
  const RtcpHandlers *rate_maker;
  void *rate_maker_user;
} GstTfrcSessionParams;

typedef struct {
  GstElement *element;
  GstCcSrtp *srtp;
  GstTfrcAddress to;
  RtpParticipant *core; /* NULL: it has not begun */
  gboolean speaks;      /* from the first packet on to the BYE */
  CcTime next;          /* when the participant wants to run */
  guint64 sent;         /* RTCP packets */
} GstTfrcSession;

void gst_tfrc_session_begin (GstTfrcSession *s, const GstTfrcSessionParams *params, CcTime now);
void gst_tfrc_session_clear (GstTfrcSession *s);
void gst_tfrc_session_set_peer (GstTfrcSession *s, const GstTfrcAddress *to, CcTime now);

/* RTP leaves; resends: it was sent before. */
void gst_tfrc_session_on_sent (
    GstTfrcSession *s, const RtpPacket *packet, guint clock_rate, gboolean resends, CcTime captured_at, CcTime now);
/* Whether RTCP from there is the receiver's. */
gboolean gst_tfrc_session_is_peer (const GstTfrcSession *s, const GstTfrcAddress *from);
/* RTCP of the receiver. data: overwritten. FALSE: ignored. */
gboolean gst_tfrc_session_receive (GstTfrcSession *s, guint8 *data, gsize size, const GstTfrcAddress *from, CcTime now);
/* What has become due; rate_Bps: what the flow may send, of which RTCP is a share. */
void gst_tfrc_session_run (GstTfrcSession *s, int fd, double rate_Bps, CcTime now);
CcTime gst_tfrc_session_next (const GstTfrcSession *s); /* CC_TIME_NONE: nothing */
/* After a call of the participant's own functions. */
void gst_tfrc_session_wake (GstTfrcSession *s);
void gst_tfrc_session_say_bye (GstTfrcSession *s, int fd, CcTime now);

G_END_DECLS
#endif
