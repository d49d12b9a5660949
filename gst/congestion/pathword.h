/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last word on the path: the report of a receiver that runs the law, or what is worked out here from reports of
   every packet, which counts for nothing while the receiver's own come. */
#ifndef PATHWORD_H
#define PATHWORD_H

#include "pathrate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  PathReport report;
  CcTime at;       /* CC_TIME_NONE: none */
  CcTime tfrc_at;  /* of the last TFRC report, with which the receiver's come; CC_TIME_NONE: none */
  bool is_ours;    /* worked out here */
  bool told_again; /* the last TFRC report had no news: nothing has arrived since, or it is a replay */
} PathWord;

void path_word_init (PathWord *w);
void path_word_on_tfrc_report (PathWord *w, CcTime now);
void path_word_on_old_tfrc_report (PathWord *w);
/* Behind the TFRC report that it came with. Returns whether it is a sign of life; else it may lower the rate alone. */
bool path_word_on_report (PathWord *w, const PathReport *report, CcTime now);
void path_word_work_out (PathWord *w, const PathReport *report, CcTime now);
/* Pure. */
bool path_word_is_absurd (const PathReport *report);
double path_word_excused (const PathWord *w, double loss_tolerance); /* of the packets: lost, and no congestion */

#ifdef __cplusplus
}
#endif
#endif
