/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RA-SVBR: the quantizer of an encoder without rate control, from a virtual leaky bucket LB (r, b) that delays nothing
   (Lie, paper E section 5, after Hamdi et al.).

   Per GOP, as there: X of equation 1 and 3, R^ between what the GOP would take at the nominal quantizer q and r, by how
   full the bucket is, Q of equation 2. The appendix' r_open = r Q / q is read as R (k-1) Q (k-1) / q, which makes its
   last line equation 2.

   Per frame, beyond the paper: the bucket is counted frame by frame, its level L is to be zero again when the next key
   frame comes, or after the time b / r where none is near, n frames away: the next frame may have r dt - L / n. A model
   of each kind of frame (framemodel.h) gives the step for that. Key frames get the steps of the others times key_ratio,
   coarser where they would overflow the bucket; they cost what they cost, and the frames behind them pay.

   Sizes in bytes, rates in bytes/s. `now` is the stream's own time, of frames. */
#ifndef RASVBR_H
#define RASVBR_H

#include "framemodel.h"
#include "quantizerscale.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { RASVBR_PER_GOP, RASVBR_PER_FRAME } RasvbrInterval;

typedef enum {
  RASVBR_DIRECT, /* equation 3: each rate counts for the frames it was in force */
  RASVBR_BACKLOG /* equation 4: the mean of the GOP's feedbacks, each times exp (-B / d_f) */
} RasvbrCoupling;

typedef struct {
  RasvbrInterval interval; /* default per frame */
  RasvbrCoupling coupling; /* default direct */
  QuantizerScale scale;
  int lowest, highest; /* values used, clamped to the scale; default all */
  int nominal;         /* q, a value; default a third into the scale from its fine end */
  double bucket_s;     /* b = bucket_s r, so that b' = b r' / r; > 0, default 0.6 (1.5 GOPs of 12 frames at 30 /s) */
  double bucket_bytes; /* b itself, whatever r; default 0: by bucket_s */
  double rate_Bps;     /* r before the first feedback, > 0; default 37500 */
  int gop_frames;      /* G of the law per GOP; a key frame ends a GOP too; 1 to 3000, default 12 */
  int key_distance;    /* frames from key to key; 1: all, 0: unknown (default) */
  double decay;        /* d_f, packets > 0; default 100 */
  double key_ratio;    /* (0, 1]; default 0.75 */
  double frame_s;      /* frame interval before it is measured, > 0; default 1/30 */
} RasvbrParams;

typedef struct {
  uint64_t gops, frames, key_frames;
  uint64_t overflows; /* frames that filled the bucket beyond b */
  uint64_t rejected;  /* feedbacks and sizes out of range */
} RasvbrStats;

typedef struct {
  RasvbrParams params;
  double rate_Bps; /* latest feedback */
  double frame_s;
  bool started;
  CcTime frame_at;

  double fed_Bps; /* sum of the feedbacks of this GOP, after the decay */
  int feedbacks;
  double leak;      /* bytes that leave during this GOP, so far */
  double gop_bytes; /* R */
  double gop_logs;  /* sum of bytes ln step */
  int gop_frame;    /* frames of this GOP, so far */
  double X, e1, e2; /* at the start of this GOP */
  double R_open;    /* bytes a GOP, at the nominal quantizer */
  double R_hat;     /* bytes a GOP, aimed at */
  int Q;            /* value for this GOP */

  double level;        /* L, bytes; below 0 what was left unused lately */
  FrameModel model[2]; /* other frames, key frames */
  int since_key;       /* frames since the last key frame, it counts */
  int value[2];        /* used last for each */
  RasvbrStats stats;
} Rasvbr;

/* The defaults for a scale. */
void rasvbr_params_init (RasvbrParams *params, const QuantizerScale *scale);
/* Values out of range are clamped. */
void rasvbr_init (Rasvbr *s, const RasvbrParams *params);
/* Other parameters while it runs: bucket, models and rate are kept (rate_Bps is not looked at), values are brought
   within the new bounds. */
void rasvbr_set_params (Rasvbr *s, const RasvbrParams *params);

/* The network's word, at any time. rate_Bps > 0; backlog: packets in the sending buffer, >= 0 (B_i; not looked at
   when direct). Else ignored and counted. Per frame it holds at once. */
void rasvbr_on_rate (Rasvbr *s, double rate_Bps, double backlog);
/* A frame came out, made with `value`. */
void rasvbr_on_frame (Rasvbr *s, uint32_t bytes, bool key, int value, CcTime now);

/* The value for the next frame; key: it is known to become a key frame (where key_distance tells, that counts too).
   Pure. */
int rasvbr_next (const Rasvbr *s, bool key);
/* Bytes the next frame may have; 0 before the first frame. Pure. */
double rasvbr_target (const Rasvbr *s, bool key);
/* The rate to ask of an encoder that takes a rate only, bytes/s: r (1 - L / b), r (1 - 2 L / b) below zero, within r /
   2 and 1.25 r. Pure. */
double rasvbr_rate (const Rasvbr *s);
/* r', bytes/s: the rate that counts now, after the coupling. Pure. */
double rasvbr_leak_rate (const Rasvbr *s);
/* b', bytes. Pure. */
double rasvbr_bucket (const Rasvbr *s);
/* How full the bucket is, of b: X per GOP, L per frame. Pure. */
double rasvbr_fullness (const Rasvbr *s);

#ifdef __cplusplus
}
#endif
#endif
