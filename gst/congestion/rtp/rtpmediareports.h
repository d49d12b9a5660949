/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receivers said last of one of our SSRCs, and the lowest of the rates they and routers ask for: REMB, PATH, ERF.
   A rate that is not repeated ends; the last of all with a report that comes without it, as what nobody reports on is
   no reason to send more. */
#ifndef RTPMEDIAREPORTS_H
#define RTPMEDIAREPORTS_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_MEDIA_REPORTS 8                  /* receivers whose last report is kept */
#define RTP_MEDIA_RATE_LIFE (10 * CC_SECOND) /* of a rate that is not repeated */

typedef enum {
  RTP_MEDIA_RATE_REMB,
  RTP_MEDIA_RATE_PATH,   /* end to end */
  RTP_MEDIA_RATE_ROUTER, /* ERF, ECF */
  RTP_MEDIA_RATES
} RtpMediaRate;

/* What one receiver said last. */
typedef struct {
  uint32_t receiver;
  CcTime at; /* CC_TIME_NONE: free */
  double fraction_lost;
  int32_t packets_lost;
  CcDuration jitter, round_trip; /* round_trip 0: unknown */
  struct {
    uint64_t bps; /* 0: nothing */
    CcTime at;
  } rates[RTP_MEDIA_RATES];
} RtpMediaReport;

typedef struct {
  RtpMediaReport reports[RTP_MEDIA_REPORTS];
  CcTime blocked_at; /* a report block came, of anybody; CC_TIME_NONE: never */
} RtpMediaReports;

void rtp_media_reports_init (RtpMediaReports *r);
/* Of that receiver, which speaks now. Of more than fit the one silent longest is forgotten. */
RtpMediaReport *rtp_media_reports_of (RtpMediaReports *r, uint32_t receiver, CcTime now);
/* What was of it is void. True: it had a say in the rate. */
bool rtp_media_reports_forget (RtpMediaReports *r, uint32_t receiver);
void rtp_media_reports_forget_all (RtpMediaReports *r);
/* The lowest in force, bit/s of payload, headers_bps taken off each; infinity: none. */
double rtp_media_reports_rate (const RtpMediaReports *r, double headers_bps, CcTime now);
/* When the next of the rates ends; CC_TIME_NONE: none. Pure. */
CcTime rtp_media_reports_next_end (const RtpMediaReports *r, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
