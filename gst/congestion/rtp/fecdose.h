/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many sums (fecencoder.h) follow each frame, where the receiver wants so many per packet: a debt that grows with
   the packets that leave, and is paid while no frame that waits comes too late for it. Packets of key units, on which
   all behind them depend, count twice; those that nothing depends on a half. Where the encoder leaves rate unused, up
   to half of that becomes sums, but no more than are wanted anyway: none at all where nothing is lost. What is extra
   leaves one by one behind the frames that follow, whose window reaches back: all at once behind a key unit it would
   take the time of the frames that wait. */
#ifndef FECDOSE_H
#define FECDOSE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double share; /* sums per packet, as wanted; 0: none */
  double debt, extra;
  double packet_bytes, sum_bytes; /* mean, on the wire; 0: not known */
} FecDose;

typedef struct {
  bool frame_end, key_unit, discardable;
  double rate_Bps, sent_Bps;      /* allowed; lately, sums and all */
  uint32_t size_bytes, sum_bytes; /* sum: one that follows now */
  uint32_t room_bytes;            /* may leave ahead of the frames that wait */
} FecDosePacket;

void fec_dose_init (FecDose *d);
void fec_dose_set_share (FecDose *d, double share); /* clamped to [0, 1] */
/* A packet has left. Returns how many sums are to follow it now. */
unsigned fec_dose_on_packet (FecDose *d, const FecDosePacket *packet);
/* Bytes of sums a byte of the stream takes, as wanted: known before they leave, and where none may. */
double fec_dose_redundancy (const FecDose *d);

#ifdef __cplusplus
}
#endif
#endif
