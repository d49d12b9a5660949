/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 2D interlaced video (Lie 2008, appendix B): a plane of samples split into two or four smaller ones, coded and sent
   apart, and put together again of what came. A sample that is missing is the mean of those of its eight neighbours
   that are there, the four beside it counting twice. */
#ifndef SUBPICTURES_H
#define SUBPICTURES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SUBPICTURES_LINES,        /* 2: even and odd lines */
  SUBPICTURES_CHECKERBOARD, /* 2: samples whose x + y is even, and odd; half as wide */
  SUBPICTURES_QUAD          /* 4: every other sample both ways: even/even, odd x, odd y, both */
} SubpicturesPattern;

#define SUBPICTURES_MAX 4

typedef struct {
  uint8_t *data;
  size_t stride; /* bytes from one line to the next */
  unsigned width, height;
} SubpicturesPlane;

unsigned subpictures_count (SubpicturesPattern pattern);
/* A part's size. width and height: of the whole, both even. */
void subpictures_size (
    SubpicturesPattern pattern, unsigned width, unsigned height, unsigned *part_width, unsigned *part_height);
/* Samples of part number `part`, of subpictures_size (). */
void subpictures_split (
    SubpicturesPattern pattern, const SubpicturesPlane *whole, unsigned part, const SubpicturesPlane *out);
/* parts[i].data NULL: that part is missing. Where all are, `whole` stays as it is. */
void subpictures_merge (
    SubpicturesPattern pattern, const SubpicturesPlane parts[SUBPICTURES_MAX], const SubpicturesPlane *whole);

#ifdef __cplusplus
}
#endif
#endif
