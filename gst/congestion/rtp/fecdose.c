/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecdose.h"

#include <math.h>

#define KEY_UNIT_WEIGHT 2.0
#define DISCARDABLE_WEIGHT 0.5
#define UNUSED_PART 0.5 /* the rest is the encoder's, which may come back at once */
#define MOST_MORE 2.0   /* x what is wanted */
#define MOST_DEBT 2.0   /* of a large frame some sums leave before its end: a key unit takes longer than players wait */
#define MOST_OWED 16.0  /* older packets are behind the window */
#define SIZE_GAIN (1.0 / 16)

void
fec_dose_init (FecDose *d)
{
  *d = (FecDose){0};
}

void
fec_dose_set_share (FecDose *d, double share)
{
  d->share = share > 0 ? fmin (share, 1) : 0;
  if (d->share == 0)
    d->debt = d->extra = 0;
}

static double
unused_share (const FecDose *d, const FecDosePacket *p)
{
  double unused = p->sent_Bps > 0 ? UNUSED_PART * (p->rate_Bps - p->sent_Bps) / p->sent_Bps : 0;

  return fmin (fmax (unused, 0), (MOST_MORE - 1) * d->share);
}

static void
note_size (double *mean, uint32_t bytes)
{
  *mean += (bytes - *mean) * (*mean > 0 ? SIZE_GAIN : 1);
}

double
fec_dose_redundancy (const FecDose *d)
{
  return d->sum_bytes > 0 && d->packet_bytes > 0 ? d->share * d->sum_bytes / d->packet_bytes : d->share;
}

/* By sums as they would be now: what they were when the last of them left says nothing where none may leave. */
static double
room (const FecDosePacket *p)
{
  return p->sum_bytes > 0 ? p->room_bytes / (double)p->sum_bytes : MOST_OWED;
}

unsigned
fec_dose_on_packet (FecDose *d, const FecDosePacket *packet)
{
  unsigned due;

  note_size (&d->packet_bytes, packet->size_bytes);
  note_size (&d->sum_bytes, packet->sum_bytes);
  if (d->share == 0)
    return 0;
  d->debt += d->share * (packet->discardable ? DISCARDABLE_WEIGHT : 1);
  d->extra += (packet->key_unit ? (KEY_UNIT_WEIGHT - 1) * d->share : 0) + unused_share (d, packet);
  d->debt = fmin (d->debt, MOST_OWED);
  d->extra = fmin (d->extra, MOST_OWED);
  if (!packet->frame_end && d->debt < MOST_DEBT)
    return 0;
  due = (unsigned)fmin (d->debt, room (packet));
  d->debt -= due;
  if (!packet->frame_end || d->extra < 1 || d->debt >= 1 || room (packet) < due + 1)
    return due;
  d->extra--;
  return due + 1;
}
