/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpnack.h"

#define BLP_BITS (RTCP_NACK_PER_ENTRY - 1)

static void
put_entry (uint8_t *at, uint16_t pid, uint16_t blp)
{
  at[0] = (uint8_t)(pid >> 8);
  at[1] = (uint8_t)pid;
  at[2] = (uint8_t)(blp >> 8);
  at[3] = (uint8_t)blp;
}

/* One entry from the front of seqs; returns how many it holds. */
static size_t
pack_entry (uint8_t *at, const uint16_t *seqs, size_t n)
{
  uint16_t pid = seqs[0], blp = 0;
  size_t i;

  for (i = 1; i < n; i++) {
    uint16_t distance = (uint16_t)(seqs[i] - pid);

    if (distance > BLP_BITS)
      break;
    if (distance > 0)
      blp |= (uint16_t)(1u << (distance - 1));
  }
  put_entry (at, pid, blp);
  return i;
}

size_t
rtcp_nack_write (uint8_t *fci, size_t capacity, const uint16_t *seqs, size_t n, size_t *taken)
{
  size_t size = 0, done = 0;

  while (done < n && capacity - size >= RTCP_NACK_ENTRY_SIZE) {
    done += pack_entry (fci + size, seqs + done, n - done);
    size += RTCP_NACK_ENTRY_SIZE;
  }
  if (taken != NULL)
    *taken = done;
  return size;
}

bool
rtcp_nack_parse (const uint8_t *fci, size_t size, uint16_t *seqs, size_t capacity, size_t *n)
{
  size_t stored = 0;

  if (size == 0 || size % RTCP_NACK_ENTRY_SIZE != 0)
    return false;
  for (size_t at = 0; at < size; at += RTCP_NACK_ENTRY_SIZE) {
    uint16_t pid = (uint16_t)(fci[at] << 8 | fci[at + 1]);
    /* bit 0 is the PID itself */
    uint32_t mask = (uint32_t)(fci[at + 2] << 8 | fci[at + 3]) << 1 | 1;

    for (unsigned i = 0; i < RTCP_NACK_PER_ENTRY && stored < capacity; i++)
      if (mask >> i & 1)
        seqs[stored++] = (uint16_t)(pid + i);
  }
  *n = stored;
  return true;
}
