/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a kind of frame (key or not) costs at a quantizer step: ln bytes = a - b ln step, learned from the frames
   themselves. The offset a takes up part of every frame's error, most of a jump's; the slope b, which starts at the
   inverse proportion of Lie paper E equation 2, follows slowly and within bounds, so that the control cannot be
   reversed or brought to a halt by any history. */
#ifndef FRAMEMODEL_H
#define FRAMEMODEL_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  bool started;
  double a, b;
  double last_x, last_y; /* ln step and ln bytes of the last frame */
} FrameModel;

void frame_model_init (FrameModel *m);
/* bytes and step > 0 and finite; else ignored, returns false. */
bool frame_model_on_frame (FrameModel *m, double bytes, double step);
/* Bytes expected at a step, 0 before the first frame. Pure. */
double frame_model_bytes (const FrameModel *m, double step);
/* The step expected to give so many bytes, > 0; 0 before the first frame. Pure. */
double frame_model_step (const FrameModel *m, double bytes);

#ifdef __cplusplus
}
#endif
#endif
