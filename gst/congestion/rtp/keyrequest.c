/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyrequest.h"

#define MAX_DOUBLINGS 3
#define LONGEST_SPACING (3600 * CC_SECOND)

void
key_request_params_init (KeyRequestParams *params)
{
  *params = (KeyRequestParams){.min_interval = 500 * CC_MSECOND, .repeat = true};
}

void
key_request_init (KeyRequest *k, const KeyRequestParams *params)
{
  *k = (KeyRequest){.params = *params, .last_sent = CC_TIME_NONE};
}

void
key_request_set_rtt (KeyRequest *k, CcDuration rtt)
{
  k->rtt = rtt;
}

void
key_request_want (KeyRequest *k, bool full)
{
  if (!k->wanted) {
    k->asked = false;
    k->full = false;
    k->fir_seq++;
  }
  k->wanted = true;
  k->full |= full;
}

void
key_request_on_loss (KeyRequest *k, uint32_t lost_seq)
{
  if (k->has_key && (int32_t)(lost_seq + KEY_REQUEST_MARGIN - k->key_seq) < 0)
    return;
  key_request_want (k, false);
}

void
key_request_on_key_unit (KeyRequest *k, uint32_t first_seq)
{
  if (k->has_key && (int32_t)(first_seq - k->key_seq) <= 0)
    return;
  k->has_key = true;
  k->key_seq = first_seq;
  if (k->wanted && k->asked)
    k->answered++;
  k->wanted = false;
  k->unanswered = 0;
}

void
key_request_set_silent (KeyRequest *k, bool silent)
{
  k->silent = silent;
}

static CcDuration
spacing (const KeyRequest *k)
{
  CcDuration least = 2 * k->rtt > k->params.min_interval ? 2 * k->rtt : k->params.min_interval;
  unsigned doublings = k->unanswered > 0 ? k->unanswered - 1 : 0;

  if (least > LONGEST_SPACING)
    least = LONGEST_SPACING;
  return least << (doublings < MAX_DOUBLINGS ? doublings : MAX_DOUBLINGS);
}

CcTime
key_request_next_timeout (const KeyRequest *k)
{
  if (!k->wanted || k->silent)
    return CC_TIME_NONE;
  return k->last_sent == CC_TIME_NONE ? 0 : cc_time_add (k->last_sent, spacing (k));
}

void
key_request_on_sent (KeyRequest *k, CcTime now)
{
  k->sent++;
  key_request_on_asked_by_other (k, now);
}

void
key_request_on_asked_by_other (KeyRequest *k, CcTime now)
{
  k->last_sent = now;
  k->asked = true;
  if (k->params.repeat)
    k->unanswered++;
  else
    k->wanted = false;
}
