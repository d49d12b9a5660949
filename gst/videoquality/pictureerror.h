/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far a picture is from its original, in luma. Both planes of the same size; skip (or NULL): a part that is left
   out. */
#ifndef PICTUREERROR_H
#define PICTUREERROR_H

#include "lumaplane.h"

#define PICTURE_ERROR_PERFECT 100.0 /* dB: of identical pictures */

/* PSNR in dB, 100 where they are the same. */
double picture_error_psnr (const LumaPlane *a, const LumaPlane *b, const LumaRect *skip);
/* Wang et al. 2004, with uniform windows of 8 x 8 every 4 pixels and unbiased variances; 1: the same. NaN: no window
   fits. */
double picture_error_ssim (const LumaPlane *a, const LumaPlane *b, const LumaRect *skip);

#endif
