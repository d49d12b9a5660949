/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first word of routers, in place of the rate to start with, where no packet has shown a limit yet: downwards at
   once, upwards when the first trains have shown how much comes through, and no further. */
#ifndef FIRSTWORD_H
#define FIRSTWORD_H

#include "ratewish.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double waiting_Bps; /* for the first trains; 0: no word is */
} FirstWord;

RateWish first_word_on_word (FirstWord *w, double word_Bps, double rate_Bps);
/* Trains as they arrived prove that much, whether they were spread or not. capacity_Bps: 0: none yet. */
RateWish first_word_step (FirstWord *w, double capacity_Bps, double rate_Bps);

#ifdef __cplusplus
}
#endif
#endif
