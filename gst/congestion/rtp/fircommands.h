/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which FIRs are new commands (RFC 5104 4.3.1): each pair of requester and media sender counts its own, modulo 256, and
   repeats a command under its number until the key unit comes. A repetition of an obeyed command is no new one. The
   memory is fixed: of more pairs than fit, the one silent longest is forgotten and its next FIR is new. */
#ifndef FIRCOMMANDS_H
#define FIRCOMMANDS_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FIR_COMMANDS_PAIRS 32

typedef struct {
  uint32_t requester, target;
  uint8_t seq;
  CcTime at; /* last heard; CC_TIME_NONE: free */
} FirCommand;

typedef struct {
  FirCommand pairs[FIR_COMMANDS_PAIRS];
  uint64_t repeated;
} FirCommands;

void fir_commands_init (FirCommands *f);
/* Is this one to be obeyed? Asking changes nothing but who is silent longest. */
bool fir_commands_is_new (FirCommands *f, uint32_t requester, uint32_t target, uint8_t seq, CcTime now);
/* It is obeyed: repetitions are none of our business. Where it is not (too soon after another), its repetition will be
 * new. */
void fir_commands_on_obeyed (FirCommands *f, uint32_t requester, uint32_t target, uint8_t seq, CcTime now);
#ifdef __cplusplus
}
#endif
#endif
