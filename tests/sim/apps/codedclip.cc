/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "codedclip.h"
#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <ns3/abort.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sim
{

static const double psnr_of_equals = 100;

CodedClip::CodedClip (const std::string &path, unsigned w, unsigned h)
    : width (w), height (h), frame_bytes ((size_t)w * h * 3 / 2)
{
  int fd = open (path.c_str (), O_RDONLY | O_CLOEXEC);
  struct stat status = {};

  NS_ABORT_MSG_IF (fd < 0 || fstat (fd, &status) < 0, "cannot read the clip " << path);
  frames = status.st_size / frame_bytes;
  NS_ABORT_MSG_IF (frames == 0, "no picture of " << w << "x" << h << " in " << path);
  void *map = mmap (nullptr, frames * frame_bytes, PROT_READ, MAP_SHARED, fd, 0);
  NS_ABORT_MSG_IF (map == MAP_FAILED, "cannot map the clip " << path);
  data = (const uint8_t *)map;
  close (fd);
}

CodedClip::~CodedClip ()
{
  munmap ((void *)data, frames * frame_bytes);
}

const uint8_t *
CodedClip::frame (uint64_t number) const
{
  uint64_t period = std::max<uint64_t> (2 * frames - 2, 1);
  uint64_t place = number % period;

  return data + (place < frames ? place : period - place) * frame_bytes;
}

static uint32_t
row_error (const uint8_t *a, const uint8_t *b, unsigned width)
{
  uint32_t sum = 0;

  for (unsigned x = 0; x < width; x++) {
    int d = a[x] - b[x];
    sum += d * d;
  }
  return sum;
}

double
psnr_y (const uint8_t *a, size_t a_stride, const uint8_t *b, size_t b_stride, unsigned width, unsigned height)
{
  uint64_t sum = 0;

  for (unsigned y = 0; y < height; y++)
    sum += row_error (a + y * a_stride, b + y * b_stride, width);
  double mse = (double)sum / width / height;
  return mse > 0 ? 10 * std::log10 (255 * 255 / mse) : psnr_of_equals;
}

} // namespace sim
