/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* REPR, this project's own application feedback (docs/wire-formats.md): a receiver offers to take packets of one source
   once more, in a stream of their own whose SSRC and payload type it names. Whoever does not know it skips it by its
   name. */
#ifndef RTCPREPAIR_H
#define RTCPREPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { RTCP_REPAIR_RTX = 1 /* RFC 4588, SSRC-multiplexed */ } RtcpRepairKind;

typedef struct {
  RtcpRepairKind kind;
  uint8_t payload_type; /* of the packets sent again */
  uint32_t ssrc;        /* and theirs */
} RtcpRepair;

#define RTCP_REPAIR_SIZE 12

/* Whether a stream beside RTCP on the same port may have it (RFC 5761 4). */
bool rtcp_repair_payload_type_is_usable (uint8_t payload_type);
size_t rtcp_repair_write (uint8_t *fci, size_t capacity, const RtcpRepair *repair);
/* Untouched where it returns false: another message, an unknown version or kind, or a payload type nobody can use. */
bool rtcp_repair_parse (const uint8_t *fci, size_t size, RtcpRepair *repair);

#ifdef __cplusplus
}
#endif
#endif
