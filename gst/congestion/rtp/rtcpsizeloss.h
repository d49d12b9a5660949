/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SIZE, this project's own application feedback (docs/wire-formats.md), from a sender to its receiver: of these packets
   the path has swallowed the ones that were too large. Whoever does not know it skips it by its name. */
#ifndef RTCPSIZELOSS_H
#define RTCPSIZELOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint16_t first, last; /* RTP sequence numbers, both included */
} RtcpSizeLoss;

#define RTCP_SIZE_LOSS_SIZE 12

size_t rtcp_size_loss_write (uint8_t *fci, size_t capacity, const RtcpSizeLoss *loss);
/* Untouched where it returns false: another message, or an unknown version. */
bool rtcp_size_loss_parse (const uint8_t *fci, size_t size, RtcpSizeLoss *loss);

#ifdef __cplusplus
}
#endif
#endif
