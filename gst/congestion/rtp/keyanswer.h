/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the encoder is asked for a key unit that receivers want. One costs what a third of a second of pictures does, so
   no more often than that, nor twice in a round trip: a key unit that is on its way needs no second. What comes sooner:
   a PLI may be dropped, as whoever still needs it asks again (RFC 4585 6.3.1); a FIR is a command, to be obeyed as soon
   as possible (RFC 5104 4.3.1.2), and put off. Whether it is a new command fircommands.h says. */
#ifndef KEYANSWER_H
#define KEYANSWER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KEY_ANSWER_INTERVAL (300 * CC_MSECOND)
#define KEY_ANSWER_MAX_RTT (500 * CC_MSECOND) /* a longer round trip is not believed */

typedef struct {
  CcTime at;  /* of the last one asked for, CC_TIME_NONE: none yet */
  CcTime due; /* of one put off, CC_TIME_NONE: none */
  uint64_t asked, dropped, put_off;
} KeyAnswer;

void key_answer_init (KeyAnswer *k);
/* R: round-trip time, 0: unknown. True: ask the encoder now. */
bool key_answer_on_pli (KeyAnswer *k, CcDuration R, CcTime now);
/* Also what this end itself wants. */
bool key_answer_on_command (KeyAnswer *k, CcDuration R, CcTime now);
/* At `due`: one that was put off. */
bool key_answer_on_timeout (KeyAnswer *k, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
