/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lumastamp.h"

#include "ccrandom.h"
#include "cctest.h"

#include <string.h>

#define WIDTH 352
#define HEIGHT 288

static uint8_t pixels[2 * WIDTH * HEIGHT];
static LumaPlane plane = {pixels, WIDTH, 1, WIDTH, HEIGHT};
static const LumaStamp stamp = {0xdeadbeef, UINT64_C (123456789) * LUMA_STAMP_TIME_UNIT, LUMA_STAMP_REALTIME};
static CcPcg32 pcg;
static CcRandom random_source;

static double
uniform (double low, double high)
{
  return cc_random_uniform (&random_source, low, high);
}

static void
setup (void)
{
  random_source = cc_pcg32_init (&pcg, 1);
  plane = (LumaPlane){pixels, WIDTH, 1, WIDTH, HEIGHT};
  memset (pixels, 128, sizeof pixels);
}

static void
assert_read (const LumaRect *rect, const LumaStamp *expected)
{
  LumaStamp read;

  ck_assert (luma_stamp_read (&plane, rect, &read));
  ck_assert_uint_eq (read.number, expected->number);
  ck_assert_uint_eq (read.time, expected->time);
  ck_assert_int_eq (read.clock, expected->clock);
}

/* 0x65, clock 2, the number, 123456789 = 0x75bcd15, and the CRC of CCITT as Python's binascii.crc_hqx (d, 0xffff) has
 * it. */
START_TEST (test_bytes)
{
  const uint8_t expected[LUMA_STAMP_BYTES] = {
      0x65, 2, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0x07, 0x5b, 0xcd, 0x15, 0x8e, 0xf2};
  uint8_t bytes[LUMA_STAMP_BYTES];

  luma_stamp_encode (&stamp, bytes);
  ck_assert_mem_eq (bytes, expected, sizeof bytes);
}
END_TEST

/* Any two bits that change are noticed. */
START_TEST (test_damage)
{
  uint8_t bytes[LUMA_STAMP_BYTES];
  LumaStamp read;

  for (int i = 0; i < 8 * LUMA_STAMP_BYTES; i++)
    for (int k = i; k < 8 * LUMA_STAMP_BYTES; k++) {
      luma_stamp_encode (&stamp, bytes);
      bytes[i / 8] ^= (uint8_t)(1 << i % 8);
      if (k > i)
        bytes[k / 8] ^= (uint8_t)(1 << k % 8);
      ck_assert (!luma_stamp_decode (bytes, &read));
    }
}
END_TEST

START_TEST (test_places)
{
  LumaRect r;

  ck_assert (luma_stamp_place (352, 288, 8, LUMA_STAMP_TOP_LEFT, &r));
  ck_assert (r.x == 0 && r.y == 0 && r.width == 128 && r.height == 56);
  /* 352 - 128 = 224 = 14 x 16; 288 - 56 = 232 = 14 x 16 + 8 */
  ck_assert (luma_stamp_place (352, 288, 8, LUMA_STAMP_BOTTOM_RIGHT, &r));
  ck_assert (r.x == 224 && r.y == 224);
  ck_assert (luma_stamp_place (128, 56, 8, LUMA_STAMP_BOTTOM_RIGHT, &r));
  ck_assert (r.x == 0 && r.y == 0);
  ck_assert (!luma_stamp_place (127, 56, 8, LUMA_STAMP_TOP_LEFT, &r));
  ck_assert (!luma_stamp_place (128, 55, 8, LUMA_STAMP_TOP_LEFT, &r));
  ck_assert (!luma_stamp_place (352, 288, 3, LUMA_STAMP_TOP_LEFT, &r));
  ck_assert (!luma_stamp_place (4096, 4096, 65, LUMA_STAMP_TOP_LEFT, &r));
}
END_TEST

static int
touched_around (const LumaRect *r)
{
  int n = 0;

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      if (x < r->x || x >= r->x + r->width || y < r->y || y >= r->y + r->height)
        n += *luma_at (&plane, x, y) != 128;
  return n;
}

/* Every block size that fits, every corner, planar and packed; what is around stays. */
START_TEST (test_round_trip)
{
  LumaRect r;

  for (int block = 4; block <= 22; block++)
    for (int corner = 0; corner < 4; corner++)
      for (int step = 1; step <= 2; step++) {
        setup ();
        plane.step = step;
        plane.stride = step * WIDTH;
        ck_assert (luma_stamp_place (WIDTH, HEIGHT, block, (LumaStampCorner)corner, &r));
        luma_stamp_write (&plane, &r, &stamp);
        assert_read (&r, &stamp);
        ck_assert_int_eq (touched_around (&r), 0);
      }
}
END_TEST

/* The picture's range mapped to full or to half, and noise of 80 levels on every pixel: blocks of 8 have 16 inner
   pixels, whose mean is off by more than half the contrast of 219 once in a lifetime. */
START_TEST (test_levels_and_noise)
{
  LumaRect r;

  setup ();
  luma_stamp_place (WIDTH, HEIGHT, 8, LUMA_STAMP_TOP_LEFT, &r);
  luma_stamp_write (&plane, &r, &stamp);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = (uint8_t)(100 + pixels[i] / 4);
  assert_read (&r, &stamp);
  setup ();
  luma_stamp_write (&plane, &r, &stamp);
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    double level = pixels[i] + uniform (-80, 80);

    pixels[i] = (uint8_t)(level < 0 ? 0 : level > 255 ? 255 : level);
  }
  assert_read (&r, &stamp);
}
END_TEST

START_TEST (test_none_there)
{
  LumaStamp read;
  LumaRect r;

  setup ();
  luma_stamp_place (WIDTH, HEIGHT, 8, LUMA_STAMP_TOP_LEFT, &r);
  ck_assert (!luma_stamp_read (&plane, &r, &read));
  for (int k = 0; k < scaled (1000); k++) {
    for (int i = 0; i < r.width / 8 * r.height / 8; i++) {
      uint8_t level = uniform (0, 1) < 0.5 ? 16 : 235;

      for (int p = 0; p < 64; p++)
        *luma_at (&plane, i % 16 * 8 + p % 8, i / 16 * 8 + p / 8) = level;
    }
    ck_assert (!luma_stamp_read (&plane, &r, &read));
  }
}
END_TEST

CC_TEST_MAIN (
    "lumastamp", test_bytes, test_damage, test_places, test_round_trip, test_levels_and_noise, test_none_there)
