/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every number of the low-delay law is a debt: LAW (NAME, value, what it would be without its rule). tests/sim/ablation
   takes them out one by one, docs/ablation.md shows what breaks. Where nothing is being ablated they are constants. */
#ifndef LAWNUMBER_H
#define LAWNUMBER_H

#define LAW_ETA 0.98       /* x what the path carries: so much is used, or no queue would ever go */
#define LAW_TRAIN_GAIN 2.0 /* x R: as frames leave beside others at most, so no train shows more than that */
#define LAW_TRIED LAW (TRIED, 3.0, 2.0)      /* x what is sent, or arrives: what was not sent has not been tried */
#define LAW_OF_LATE LAW (OF_LATE, 0.15, 1.5) /* s, the memory of what is so now: how q rises, what is served */

#ifdef LAW_ABLATION
#include "lawablation.h"
#define LAW(name, value, without) law_number (#name, value)
#else
#define LAW(name, value, without) ((double)(value))
#endif

#endif
