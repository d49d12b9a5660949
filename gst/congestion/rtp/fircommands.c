/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fircommands.h"
#include <stddef.h>

void
fir_commands_init (FirCommands *f)
{
  *f = (FirCommands){0};
  for (unsigned i = 0; i < FIR_COMMANDS_PAIRS; i++)
    f->pairs[i].at = CC_TIME_NONE;
}

static FirCommand *
find (FirCommands *f, uint32_t requester, uint32_t target)
{
  for (unsigned i = 0; i < FIR_COMMANDS_PAIRS; i++) {
    FirCommand *c = &f->pairs[i];

    if (c->at != CC_TIME_NONE && c->requester == requester && c->target == target)
      return c;
  }
  return NULL;
}

static FirCommand *
make_room (FirCommands *f)
{
  FirCommand *oldest = &f->pairs[0];

  for (unsigned i = 0; i < FIR_COMMANDS_PAIRS; i++) {
    if (f->pairs[i].at == CC_TIME_NONE)
      return &f->pairs[i];
    if (f->pairs[i].at < oldest->at)
      oldest = &f->pairs[i];
  }
  return oldest;
}

bool
fir_commands_is_new (FirCommands *f, uint32_t requester, uint32_t target, uint8_t seq, CcTime now)
{
  FirCommand *c = find (f, requester, target);

  if (c == NULL)
    return true;
  c->at = now;
  if (c->seq != seq)
    return true;
  f->repeated++;
  return false;
}

void
fir_commands_on_obeyed (FirCommands *f, uint32_t requester, uint32_t target, uint8_t seq, CcTime now)
{
  FirCommand *c = find (f, requester, target);

  if (c == NULL)
    c = make_room (f);
  *c = (FirCommand){.requester = requester, .target = target, .seq = seq, .at = now};
}
