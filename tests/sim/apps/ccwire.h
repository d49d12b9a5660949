/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two ends of a controlled flow have on the wire: RTP with the rtt-sendts extension, of model frames a payload
   of zeros behind a header of its own. */
#ifndef SIM_CC_WIRE_H
#define SIM_CC_WIRE_H

#include "rtpwire.h"
#include <cstdint>

namespace sim
{

const unsigned rtp_header_bytes = rtp_fixed_bytes + 4 + 8; /* with the one-byte form of the extension */
const unsigned rtt_extension_id = 3;
const unsigned frame_header_bytes = 14; /* in the payload: frame number, its packets, ns of sending */
const uint32_t media_ssrc = 0x53494d30;
const uint8_t sum_type = 98; /* redundancy, in the SSRC of packets sent again */

} // namespace sim
#endif
