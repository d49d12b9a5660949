/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a participant tells its host. The host is called in the middle of a call of its own: what leads back to the
   participant, and what waits for others, it writes down and does afterwards. */
#ifndef RTPEVENTS_H
#define RTPEVENTS_H

#include <stddef.h>
#include <string.h>

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  RTP_EVENT_VALIDATED,       /* ssrc has proved to take part */
  RTP_EVENT_SOURCE,          /* ssrc sends media */
  RTP_EVENT_RESTARTED,       /* its numbers began anew */
  RTP_EVENT_BYE,             /* ssrc has said so */
  RTP_EVENT_TIMEOUT,         /* ssrc has been silent for five intervals */
  RTP_EVENT_NEWCOMER,        /* another participant is in the peer's place: nobody of before counts */
  RTP_EVENT_COLLISION,       /* somebody else has ssrc, which was ours */
  RTP_EVENT_MEDIA_COLLISION, /* and media was sent under it: whoever chose it is to choose another */
  RTP_EVENT_FEEDBACK,        /* a message of RFC 4585 came: feedback */
  RTP_EVENT_KEY_UNIT,        /* a receiver wants a key unit of ssrc, with all headers where `full` */
  RTP_EVENT_RESEND,          /* packet seq of ssrc is to be sent again */
  RTP_EVENT_REPAIRED,        /* lost packets of ssrc come again from now on */
  RTP_EVENT_RATE,            /* what receivers and routers let ssrc send: rate */
  RTP_EVENTS
} RtpEventType;

typedef struct {
  unsigned type, fmt;
  uint32_t sender, media;
  const uint8_t *fci; /* during the call */
  size_t size;
} RtpFeedbackMessage;

typedef struct {
  double payload_bps, wire_bps; /* without and with the headers; infinity: nobody limits */
  CcDuration rtt;               /* 0: unknown */
} RtpMediaLimit;

typedef struct {
  RtpEventType type;
  uint32_t ssrc;
  bool full;
  uint32_t receiver; /* RESEND: who asks */
  uint16_t seq;
  RtpFeedbackMessage feedback;
  RtpMediaLimit rate;
} RtpEvent;

typedef struct {
  void (*tell) (void *user, const RtpEvent *event);
  void *user;
} RtpEvents;

static inline void
rtp_events_tell (const RtpEvents *events, const RtpEvent *event)
{
  if (events->tell != NULL)
    events->tell (events->user, event);
}

static inline void
rtp_events_tell_ssrc (const RtpEvents *events, RtpEventType type, uint32_t ssrc)
{
  RtpEvent event;

  memset (&event, 0, sizeof event);
  event.type = type;
  event.ssrc = ssrc;
  rtp_events_tell (events, &event);
}

#ifdef __cplusplus
}
#endif
#endif
