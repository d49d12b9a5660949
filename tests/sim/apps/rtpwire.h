/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP and RTCP packets as the simulated ends write and read them: sizes, headers of RTCP messages (RFC 3550 6.4, 6.5,
   RFC 4585 6.1), and the messages of a compound packet one by one. Numbers: rtcpbytes.h. */
#ifndef SIM_RTP_WIRE_H
#define SIM_RTP_WIRE_H

#include "rtcpbytes.h"
#include "rtcpfeedback.h"
#include <cstring>
#include <string>

namespace sim
{

const unsigned udp_ip_bytes = 28;
const unsigned rtp_fixed_bytes = 12;
const uint16_t rtp_one_byte_profile = 0xbede; /* RFC 8285 4.2 */
enum RtcpType : unsigned { RTCP_SR = 200, RTCP_RR = 201, RTCP_SDES = 202 };
const unsigned rtcp_pli_format = 1; /* RFC 4585 6.3.1 */

/* count: blocks, chunks or a feedback message's format; size: of the whole message, in bytes. Writes 8 bytes. */
inline void
put_rtcp_header (uint8_t *at, unsigned type, unsigned count, size_t size, uint32_t ssrc)
{
  at[0] = 0x80 | count;
  at[1] = type;
  rtcp_put_u16 (at + 2, size / 4 - 1);
  rtcp_put_u32 (at + 4, ssrc);
}

/* Around the FCI at at + 12; returns the message's size. */
inline size_t
put_rtcp_feedback (
    uint8_t *at, unsigned type, unsigned format, uint32_t sender_ssrc, uint32_t media_ssrc, size_t fci_size)
{
  put_rtcp_header (at, type, format, 12 + fci_size, sender_ssrc);
  rtcp_put_u32 (at + 8, media_ssrc);
  return 12 + fci_size;
}

/* One CNAME and the octet that ends the list, filled up to a word; returns the message's size. */
inline size_t
put_rtcp_cname (uint8_t *at, uint32_t ssrc, const std::string &cname)
{
  size_t size = (10 + cname.size () + 1 + 3) / 4 * 4;

  memset (at, 0, size);
  put_rtcp_header (at, RTCP_SDES, 1, size, ssrc);
  at[8] = 1;
  at[9] = cname.size ();
  memcpy (at + 10, cname.data (), cname.size ());
  return size;
}

struct RtcpMessage {
  unsigned type, format; /* or count */
  const uint8_t *data;   /* with the header */
  size_t size;

  bool
  is (unsigned feedback_type, unsigned feedback_format) const
  {
    return type == feedback_type && format == feedback_format && size >= 12;
  }

  const uint8_t *
  fci () const
  {
    return data + 12;
  }

  size_t
  fci_size () const
  {
    return size - 12;
  }
};

/* Up to the first one that is longer than what is there. */
template <class OnMessage>
void
each_rtcp_message (const uint8_t *data, size_t size, OnMessage on_message)
{
  for (size_t length; size >= 8; data += length, size -= length) {
    length = 4 * (rtcp_get_u16 (data + 2) + 1u);
    if (length < 8 || length > size)
      return;
    on_message (RtcpMessage{data[1], data[0] & 31u, data, length});
  }
}

} // namespace sim
#endif
