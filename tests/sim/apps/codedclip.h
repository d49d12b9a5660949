/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raw pictures (I420, one after the other in a file), played forth and back without end as callkit.clips does, and how
   near another picture comes to one. */
#ifndef SIM_CODED_CLIP_H
#define SIM_CODED_CLIP_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sim
{

class CodedClip
{
public:
  /* Ends the program where the file holds no picture of this size. Maps the file. */
  CodedClip (const std::string &path, unsigned width, unsigned height);
  ~CodedClip ();
  CodedClip (const CodedClip &) = delete;
  CodedClip &operator= (const CodedClip &) = delete;
  const uint8_t *frame (uint64_t number) const; /* frame_bytes; luma first, rows of width */
  const unsigned width, height;
  const size_t frame_bytes;

private:
  const uint8_t *data;
  uint64_t frames;
};

/* dB between 8-bit pictures; 100 for equal ones. */
double psnr_y (const uint8_t *a, size_t a_stride, const uint8_t *b, size_t b_stride, unsigned width, unsigned height);

} // namespace sim
#endif
