/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WGHT, this project's own application feedback (docs/wire-formats.md), from a sender to its receiver: how much more
   its call is to have than others (callweight.h). Whoever does not know it skips it by its name. */
#ifndef RTCPWEIGHT_H
#define RTCPWEIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_WEIGHT_SIZE 8

/* weight: in 1/256, rounded, below 256. */
size_t rtcp_weight_write (uint8_t *fci, size_t capacity, double weight);
/* Untouched where it returns false: another message, or an unknown version. What it says is not judged here. */
bool rtcp_weight_parse (const uint8_t *fci, size_t size, double *weight);

#ifdef __cplusplus
}
#endif
#endif
