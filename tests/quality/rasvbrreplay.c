/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RA-SVBR over recorded frame sizes: a table on stdin, a row a frame, its bytes at the MPEG-4 quantizers 2 to 31; out
   comes the quantizer of each frame. A key frame begins each GOP.

   rasvbr-replay INTERVAL(gop|frame) RATE(bytes/s) FPS GOP(frames) NOMINAL(quantizer) < sizes */
#include "rasvbr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOWEST 2
#define HIGHEST 31

static int
read_sizes (double sizes[HIGHEST + 1])
{
  for (int q = LOWEST; q <= HIGHEST; q++)
    if (scanf ("%lf", &sizes[q]) != 1)
      return 0;
  return 1;
}

static void
init (Rasvbr *s, char **argv)
{
  QuantizerScale scale;
  RasvbrParams params;

  quantizer_scale_mpeg4 (&scale);
  rasvbr_params_init (&params, &scale);
  params.interval = strcmp (argv[1], "gop") == 0 ? RASVBR_PER_GOP : RASVBR_PER_FRAME;
  params.rate_Bps = atof (argv[2]);
  params.frame_s = 1 / atof (argv[3]);
  params.gop_frames = params.key_distance = atoi (argv[4]);
  params.nominal = atoi (argv[5]);
  params.lowest = LOWEST;
  params.bucket_s = 1.5 * params.gop_frames * params.frame_s; /* paper E 6.2 */
  rasvbr_init (s, &params);
}

int
main (int argc, char **argv)
{
  double sizes[HIGHEST + 1];
  Rasvbr s;

  if (argc != 6) {
    fprintf (stderr, "usage: %s gop|frame BYTES/S FPS GOP NOMINAL < sizes\n", argv[0]);
    return 2;
  }
  init (&s, argv);
  for (uint64_t n = 0; read_sizes (sizes); n++) {
    bool key = n % (uint64_t)s.params.gop_frames == 0;
    int q = rasvbr_next (&s, key);
    printf ("%d\n", q);
    rasvbr_on_frame (&s, (uint32_t)sizes[q], key, q, cc_duration ((double)n * s.params.frame_s));
  }
  return 0;
}
