/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The RTP header extension (RFC 8285) in which routers tell a flow its explicit rate, ERF (Lie 2008, paper F 3.2;
   docs/wire-formats.md): the sender puts it in unset, each router lowers it in place, none raises it.

     6 bytes: exponent 6, mantissa 18 (all ones: unset), hop 16, kind 4, reserved 4; mantissa x 2^exponent bit/s on the
     wire, rounded down */
#ifndef ERFEXTENSION_H
#define ERFEXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ERF_EXTENSION_URI "urn:x-gst-congestion:rtp-hdrext:explicit-rate"
#define ERF_EXTENSION_ID 10 /* default */
#define ERF_EXTENSION_SIZE 6
#define ERF_EXTENSION_KIND_ERF 1 /* as in PATH; others are ignored */

typedef struct {
  bool set;        /* false: no router has set it; rate and hop mean nothing */
  double rate_Bps; /* wire bytes/s per flow */
  uint16_t hop;    /* who set it: a number the router has drawn */
} ErfExtension;

typedef enum {
  ERF_LOWERED,
  ERF_KEPT,  /* it is as low already, or lower */
  ERF_ABSENT /* no such element, or not one to touch: another size or kind, malformed block */
} ErfVerdict;

void erf_extension_write_unset (uint8_t data[ERF_EXTENSION_SIZE]);
/* Negative or NaN: as 0. What does not fit saturates. */
void erf_extension_write (uint8_t data[ERF_EXTENSION_SIZE], double rate_Bps, uint16_t hop);
/* false: size is not 6, or an unknown kind. The reserved bits are not looked at. */
bool erf_extension_parse (const uint8_t *data, size_t size, ErfExtension *value);
/* Writes rate and hop where that is lower, as it would be written, than what the element says. NaN or infinite: never.
 */
ErfVerdict erf_extension_lower (uint8_t *data, size_t size, double rate_Bps, uint16_t hop);
/* The same for the element with this id inside an RTP packet's extension block, in place (profile: the 16 bits before
   the length word; see rtpextension.h, whose rtp_ext_put () adds one). */
ErfVerdict erf_extension_lower_in_block (
    uint16_t profile, uint8_t *block, size_t block_size, unsigned id, double rate_Bps, uint16_t hop);

#ifdef __cplusplus
}
#endif
#endif
