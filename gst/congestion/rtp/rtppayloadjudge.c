/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppayloadjudge.h"

/* What is not of the format fits it by chance, one packet in three at most, and hardly so often in a row. */
#define ROW_PACKETS 10
#define ROW_BEGINS 3

void
rtp_payload_judge_init (RtpPayloadJudge *j, const char *encoding_name, bool sound)
{
  *j = (RtpPayloadJudge){.format = rtp_payload_format (encoding_name), .sound = sound};
}

/* Once it is as was said it is not asked again: nothing but another sender would change it. */
static RtpPayloadVerdict
verdict (const RtpPayloadJudge *j)
{
  if (!rtp_payload_tally_is_full (&j->tally))
    return RTP_PAYLOAD_UNDECIDED;
  if (j->format < 0 ? j->sound && rtp_payload_tally_is_video (&j->tally)
                    : rtp_payload_tally_refutes (&j->tally, j->format))
    return RTP_PAYLOAD_WRONG;
  return RTP_PAYLOAD_AS_SAID;
}

/* True: the packet completes a row, and all is judged anew. */
static bool
ends_row (RtpPayloadJudge *j, const uint8_t *payload, size_t size, bool begins, bool marker)
{
  if (!rtp_payload_fits (j->format, payload, size, begins, marker)) {
    j->row = j->row_begins = 0;
    return false;
  }
  j->row++;
  j->row_begins += begins;
  return j->row >= ROW_PACKETS && j->row_begins >= ROW_BEGINS;
}

bool
rtp_payload_judge_add (RtpPayloadJudge *j, const uint8_t *payload, size_t size, bool marker, uint32_t timestamp)
{
  bool begins = j->tally.frame_ended;

  rtp_payload_tally_add (&j->tally, payload, size, marker, timestamp);
  if (j->verdict == RTP_PAYLOAD_UNDECIDED) {
    j->verdict = verdict (j);
    j->row = j->row_begins = 0;
  } else if (j->verdict == RTP_PAYLOAD_WRONG && rtp_payload_is_sure (j->format) &&
             ends_row (j, payload, size, begins, marker)) {
    j->tally = (RtpPayloadTally){.frame_ended = marker};
    j->verdict = RTP_PAYLOAD_UNDECIDED;
  }
  if (!rtp_payload_is_sure (j->format) || j->verdict == RTP_PAYLOAD_AS_SAID)
    return true;
  return j->verdict == RTP_PAYLOAD_UNDECIDED && rtp_payload_may_be (j->format, payload, size);
}
