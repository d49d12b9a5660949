/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a TFRC receiver tells the sender (RFC 5348 3.2.2), as it stands on the wire (rtcpfeedback.h). */
#ifndef TFRC_REPORT_H
#define TFRC_REPORT_H

#include "cctime.h"

typedef struct {
  uint32_t t_i_us;    /* send timestamp of the last packet received, us, sender's clock, wraps */
  CcDuration t_delay; /* from that packet's arrival to the report */
  double X_recv;      /* bytes/s */
  double p;           /* loss event rate, [0, 1] */
} TfrcReport;

#endif
