/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user sets of a sending flow, and caps say; tfrcsink has it under its object lock, the sending thread a copy.
 */
#ifndef GST_TFRC_SETTINGS_H
#define GST_TFRC_SETTINGS_H

#include "ccsender.h"
#include "gsttfrcecn.h"
#include "gsttfrcratesources.h"
#include "gsttfrcrepairmode.h"
#include "rtpparticipant.h"

G_BEGIN_DECLS

#define GST_TFRC_CLOCK_RATE 90000 /* Hz, where the caps name none */
#define GST_TFRC_CNAME_SIZE (RTP_MAX_CNAME + 1)

typedef struct {
  CcMode mode;
  guint start_bitrate, min_bitrate, max_bitrate; /* bit/s on the wire */
  guint min_audio_bitrate;
  gboolean audio; /* by the caps */
  GstClockTime max_delay, stats_interval;
  guint loss_tolerance; /* percent */
  double path_weight;
  BurstControlParams burst;
  CircuitAction circuit_action;
  GstTfrcRepairMode repair;
  guint extension_id;               /* 0: packets are not stamped */
  guint twcc_extension_id;          /* 0: packets carry no transport-wide number */
  guint rate_extension_id;          /* 0: packets do not ask routers for a rate */
  GstTfrcEcn ecn;                   /* whether routers may mark RTP packets */
  guint clock_rate;                 /* of the RTP timestamps, Hz */
  gchar cname[GST_TFRC_CNAME_SIZE]; /* empty: one made up for each session */
  GstTfrcRateSources rate_sources;
} GstTfrcSettings;

G_END_DECLS
#endif
