/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* REPR, this project's own application feedback (docs/wire-formats.md): a receiver offers to take what mends losses of
   one source in a stream of its own, whose SSRC and payload type it names: packets once more, or sums over packets, of
   which it says how many it wants. Whoever does not know it skips it by its name. */
#ifndef RTCPREPAIR_H
#define RTCPREPAIR_H

#include "cctime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  RTCP_REPAIR_RTX = 1, /* RFC 4588, SSRC-multiplexed */
  RTCP_REPAIR_FEC = 2  /* the sliding window code of RFC 8681, fecsymbol.h */
} RtcpRepairKind;

typedef struct {
  RtcpRepairKind kind;
  uint8_t payload_type; /* of the packets sent again, or of sums */
  uint32_t ssrc;        /* and theirs */
  double share;         /* FEC: sums wanted per packet, in steps of 1/256 */
  CcDuration span;      /* FEC: packets older than that are not waited for any more, in ms */
} RtcpRepair;

#define RTCP_REPAIR_SIZE 12
#define RTCP_REPAIR_FEC_SIZE 16
#define RTCP_REPAIR_SIZE_MAX RTCP_REPAIR_FEC_SIZE

/* Whether a stream beside RTCP on the same port may have it (RFC 5761 4). */
bool rtcp_repair_payload_type_is_usable (uint8_t payload_type);
size_t rtcp_repair_write (uint8_t *fci, size_t capacity, const RtcpRepair *repair);
/* Untouched where it returns false: another message, an unknown version or kind, or a payload type nobody can use. */
bool rtcp_repair_parse (const uint8_t *fci, size_t size, RtcpRepair *repair);

#ifdef __cplusplus
}
#endif
#endif
