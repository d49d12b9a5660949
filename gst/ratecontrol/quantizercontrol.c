/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "quantizercontrol.h"

#include <math.h>

#define PACKET 1200.0 /* bytes: what a packet of the backlog is taken for */
#define WORTHWHILE 0.03

void
quantizer_settings_init (QuantizerSettings *settings)
{
  settings->nominal = settings->lowest = settings->highest = -1;
  settings->bucket_time = 600 * GST_MSECOND;
  settings->bucket_size = 0;
  settings->interval = RASVBR_PER_FRAME;
  settings->gop_size = 12;
}

void
quantizer_control_init (QuantizerControl *c)
{
  quantizer_settings_init (&c->settings);
  c->value = -1;
}

static void
make_params (const QuantizerControl *c, RasvbrParams *params)
{
  const QuantizerSettings *own = &c->settings;
  QuantizerScale scale;

  c->codec->scale (&scale);
  rasvbr_params_init (params, &scale);
  params->interval = c->codec->kind == ENCODER_QUANTIZER_BY_RATE ? RASVBR_PER_FRAME : own->interval;
  params->coupling = RASVBR_BACKLOG;
  params->lowest = own->lowest >= 0 ? own->lowest : c->own_lowest;
  params->highest = own->highest >= 0 ? own->highest : c->own_highest;
  if (own->nominal >= 0)
    params->nominal = own->nominal;
  params->bucket_s = (double)own->bucket_time / GST_SECOND;
  params->bucket_bytes = own->bucket_size;
  params->gop_frames = (gint)own->gop_size;
  params->key_distance = c->key_distance;
}

void
quantizer_control_adopt (QuantizerControl *c, const EncoderQuantizer *codec, GstElement *encoder, gboolean owns_buffer)
{
  c->codec = codec;
  c->value = -1;
  c->asked = c->buffer_ms = 0;
  c->owns_buffer = owns_buffer;
  if (codec == NULL)
    return;
  encoder_quantizer_get (codec, encoder, &c->own_lowest, &c->own_highest);
  c->key_distance = encoder_quantizer_key_distance (codec, encoder);
}

void
quantizer_control_restart (QuantizerControl *c, double bps)
{
  RasvbrParams params;

  if (c->codec == NULL)
    return;
  make_params (c, &params);
  params.rate_Bps = bps / 8;
  rasvbr_init (&c->law, &params);
}

void
quantizer_control_set (QuantizerControl *c, const QuantizerSettings *settings)
{
  RasvbrParams params;

  c->settings = *settings;
  if (c->codec == NULL)
    return;
  make_params (c, &params);
  params.rate_Bps = c->law.rate_Bps;
  rasvbr_set_params (&c->law, &params);
}

void
quantizer_control_on_rate (QuantizerControl *c, double bps, guint backlog_bytes)
{
  double leaving = bps / 8 * c->law.frame_s; /* the frame on its way is no backlog */

  if (c->codec)
    rasvbr_on_rate (&c->law, bps / 8, MAX (0, backlog_bytes - leaving) / PACKET);
}

void
quantizer_control_on_frame (QuantizerControl *c, gsize bytes, gboolean key, CcTime now)
{
  if (c->codec)
    rasvbr_on_frame (&c->law, (guint32)MIN (bytes, G_MAXUINT32), key, MAX (0, c->value), now);
}

QuantizerOrder
quantizer_control_nothing (void)
{
  return (QuantizerOrder){-1, -1, 0, 0};
}

static QuantizerOrder
next_rate (QuantizerControl *c)
{
  QuantizerOrder order = quantizer_control_nothing ();
  double r = rasvbr_leak_rate (&c->law), bps = 8 * rasvbr_rate (&c->law);
  guint buffer_ms = (guint)CLAMP (1000 * rasvbr_bucket (&c->law) / r, 1, 10000);

  if (c->owns_buffer && buffer_ms != c->buffer_ms)
    order.buffer_ms = c->buffer_ms = buffer_ms;
  if (c->asked == 0 || fabs (bps / c->asked - 1) > WORTHWHILE)
    order.bitrate = c->asked = (guint)CLAMP (bps, 1, G_MAXUINT);
  return order;
}

QuantizerOrder
quantizer_control_next (QuantizerControl *c, gboolean key)
{
  QuantizerOrder order = quantizer_control_nothing ();
  gint value;

  if (c->codec->kind == ENCODER_QUANTIZER_BY_RATE)
    return next_rate (c);
  value = rasvbr_next (&c->law, key);
  if (value != c->value)
    order.lowest = order.highest = c->value = value;
  return order;
}

QuantizerOrder
quantizer_control_leave (QuantizerControl *c)
{
  QuantizerOrder order = quantizer_control_nothing ();

  if (c->value >= 0 && c->codec && c->codec->kind == ENCODER_QUANTIZER_BOUNDS) {
    order.lowest = c->own_lowest;
    order.highest = c->own_highest;
  }
  c->value = -1;
  c->asked = c->buffer_ms = 0;
  return order;
}

void
quantizer_order_carry_out (const EncoderRow *row, GstElement *encoder, const QuantizerOrder *order)
{
  if (order->lowest >= 0)
    encoder_quantizer_set (encoder_quantizer_find (row), encoder, order->lowest, order->highest);
  if (order->buffer_ms > 0)
    encoder_quantizer_set_buffer (encoder, order->buffer_ms);
  if (order->bitrate > 0)
    encoder_row_set (row, encoder, order->bitrate);
}
