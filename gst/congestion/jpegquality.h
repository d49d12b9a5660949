/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG quality for a wanted frame size, learned from the frames themselves: ln size = a - b x, where x is the logarithm
   of the mean quantizer a quality stands for (ITU-T T.81 Annex K tables, scaled as libjpeg scales them). The offset a
   takes up the error of every frame and the slope b keeps within bounds, so no history can bring the control to a halt.
 */
#ifndef JPEGQUALITY_H
#define JPEGQUALITY_H

#include "cctime.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int min_quality, max_quality; /* 1..100; default 5 and 95 */
} JpegQualityParams;

typedef struct {
  JpegQualityParams params;
  double x[101]; /* ln of the mean luminance quantizer of each quality */
  bool started;
  double a, b;
  double growth; /* of a, a frame; >= 0 */
  double aim;    /* share of the target aimed at, lowered by frames that came out too large */
  bool over;     /* the last frame was larger than asked */
  double last_x, last_y;
  int quality;
} JpegQuality;

void jpeg_quality_params_init (JpegQualityParams *params);
/* quality: the encoder's present one, clamped. */
void jpeg_quality_init (JpegQuality *j, const JpegQualityParams *params, int quality);

/* A frame of `bytes` came out. quantizer: its mean luminance quantizer from jpeg_quality_quantizer (), 0 where unknown
   (the present quality is then taken). target_bytes: what was asked. Empty frames are ignored. */
void jpeg_quality_on_frame (JpegQuality *j, double bytes, double quantizer, double target_bytes);
/* The quality for a next frame of at most about target_bytes; unchanged for a target <= 0. */
int jpeg_quality_next (JpegQuality *j, double target_bytes);

/* The mean luminance quantizer a quality stands for, 1 to 100, clamped. */
double jpeg_quality_step (int quality);
/* The mean of quantization table 0 of a JPEG image, 0 where there is none in these bytes (T.81 B.2.4.1). */
double jpeg_quality_quantizer (const uint8_t *data, size_t size);
/* Bytes of a JPEG image that RTP leaves out: all before the scan but its quantization tables (RFC 2435 3.1, 4.2).
   0 where no scan is found. */
size_t jpeg_quality_left_out (const uint8_t *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
