/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A codec's quantizer values and the step size each stands for, so that a law in step sizes fits any codec. */
#ifndef QUANTIZERSCALE_H
#define QUANTIZERSCALE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QUANTIZER_SCALE_MAX 101

typedef struct {
  int first, last;                  /* 0 <= first < last < QUANTIZER_SCALE_MAX */
  double step[QUANTIZER_SCALE_MAX]; /* of each value, > 0; rising or falling with the value, never both */
} QuantizerScale;

/* 1 to 31, step = value (ISO/IEC 14496-2 quantiser_scale). */
void quantizer_scale_mpeg4 (QuantizerScale *scale);
/* 0 to 63 of the encoder's interface, AC steps of RFC 6386 14.1. */
void quantizer_scale_vp8 (QuantizerScale *scale);
/* 0 to 63 of the encoder's interface, 8-bit AC steps of the VP9 bitstream specification 8.6.1. */
void quantizer_scale_vp9 (QuantizerScale *scale);
/* QP 0 to 51: the step doubles every 6 (ITU-T H.264 8.5.9), 1 at QP 4. */
void quantizer_scale_h264 (QuantizerScale *scale);
/* Quality 1 to 100, the mean luminance quantizer of each: falls with the value. */
void quantizer_scale_jpeg (QuantizerScale *scale);

/* The step of a value, which is clamped to the scale. */
double quantizer_scale_step (const QuantizerScale *scale, int value);
/* The value from lowest to highest whose step is nearest; NaN counts as 0. */
int quantizer_scale_nearest (const QuantizerScale *scale, double step, int lowest, int highest);

#ifdef __cplusplus
}
#endif
#endif
