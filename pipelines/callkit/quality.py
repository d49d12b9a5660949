# SPDX-License-Identifier: LGPL-2.1-or-later
"""How far a picture is from its original: PSNR and SSIM of 8-bit luma planes (rows x columns), and marks by PSNR."""
import math

import numpy

PERFECT = 100.0  # dB, for identical pictures
MARKS_ABOVE = (20, 25, 31, 37)  # dB: from there on a mark more
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def psnr(reference, picture):
    difference = reference.astype(numpy.float32) - picture
    flat = difference.ravel()
    mse = float(numpy.dot(flat, flat)) / flat.size
    return 10 * math.log10(255 * 255 / mse) if mse > 0 else PERFECT


def mark(db):
    """What a viewer would give a frame of that PSNR, 1 (bad) to 5 (excellent), by Ohm 1995 as Evalvid has it (Klaue,
    Rathke and Wolisz 2003); their mean is a MOS. tests/sim/apps/codedvideo.cc has the same."""
    return 1 + sum(db > limit for limit in MARKS_ABOVE)


def _windows(plane):
    """Sums over windows of 8 x 8 pixels, one every 4 pixels."""
    plane = plane[: plane.shape[0] // 4 * 4, : plane.shape[1] // 4 * 4]
    rows = plane[0::4] + plane[1::4] + plane[2::4] + plane[3::4]
    rows = rows[:-1] + rows[1:]
    both = rows[:, 0::4] + rows[:, 1::4] + rows[:, 2::4] + rows[:, 3::4]
    return both[:, :-1] + both[:, 1:]


def ssim(reference, picture):
    """Wang et al. 2004 with uniform windows of 8 x 8 every 4 pixels, as video encoders compute it; 1: identical."""
    a, b = reference.astype(numpy.float32), picture.astype(numpy.float32)
    sum_a, sum_b = _windows(a), _windows(b)
    mean_a, mean_b = sum_a / 64, sum_b / 64
    # The unbiased (co)variances: divided by 63.
    squares = (_windows(a * a) + _windows(b * b) - sum_a * mean_a - sum_b * mean_b) / 63
    covariance = (_windows(a * b) - sum_a * mean_b) / 63
    value = ((2 * mean_a * mean_b + _C1) * (2 * covariance + _C2)
             / ((mean_a * mean_a + mean_b * mean_b + _C1) * (squares + _C2)))
    return float(value.mean())
