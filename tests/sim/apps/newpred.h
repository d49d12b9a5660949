/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NEWPRED agents (RFC 4586 section 7): reference picture selection, seen at the level of packets. A frame is coded as
   `segments` segments, one packet each, evenly spaced. Each refers to the same segment of an earlier frame: the last
   one, or the one a NACK has asked for, in the next frame after it came. A segment can be decoded where it has arrived
   and its reference was decoded. For every frame with segments that cannot, the receiver makes one application feedback
   message (PSFB, format 15) of four bytes for each: its number and the last frame in which it was decoded. */
#ifndef SIM_NEWPRED_H
#define SIM_NEWPRED_H

#include "avpfagent.h"

namespace sim
{

class NewpredAgent : public AvpfAgent
{
public:
  static ns3::TypeId GetTypeId ();
  unsigned segments = 1;

  /* A run of frames in which a segment could not be decoded. */
  struct Repair {
    double detected_s;  /* the loss it began with */
    double reported_s;  /* its first NACK left; negative: none did */
    double answered_s;  /* the segment that answers it was due, come or lost; negative: none was */
    double recovered_s; /* the segment came with a reference that is there */
  };
  std::vector<Repair> repairs;
  double transit_s = 0;          /* of the last media packet */
  double feedback_transit_s = 0; /* of a NACK, as the caller knows it */

private:
  static constexpr uint32_t none = UINT32_MAX;
  struct Segment {
    std::vector<bool> decoded; /* by frame */
    uint32_t last_good = none;
    bool broken = false, asked = false; /* asked: by the message that waits */
    Repair repair = {};
  };
  void on_media (const ::RtpPacket &packet, uint32_t before, uint32_t seq) override;
  void on_feedback (const RtpFeedbackMessage &message) override;
  void on_said (const RtcpMessage &message) override;
  void write_payload (uint16_t seq, uint8_t *payload, size_t size) override;
  void on_slot (uint32_t frame, unsigned segment, bool arrived, uint32_t reference);
  void on_broken (Segment &segment);
  void on_frame_end ();
  void ask ();

  uint32_t next_frame = 0;
  unsigned next_segment = 0;
  std::vector<uint32_t> wanted; /* sender: reference of each segment in the next frame; none: the last frame */
  uint32_t media_ssrc = 0;
  uint64_t next_slot = 0; /* receiver: frame x segments + segment */
  std::vector<Segment> state;
};

} // namespace sim
#endif
