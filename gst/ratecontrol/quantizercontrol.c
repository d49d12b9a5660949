/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "quantizercontrol.h"

#include <math.h>

#define PACKET 1200.0 /* bytes: what a packet of the backlog is taken for */
#define WORTHWHILE 0.03

void
quantizer_control_init (QuantizerControl *c)
{
  c->nominal = c->lowest = c->highest = -1;
  c->bucket_time = 600 * GST_MSECOND;
  c->interval = RASVBR_PER_FRAME;
  c->gop_size = 12;
  c->value = -1;
}

static void
make_params (const QuantizerControl *c, RasvbrParams *params)
{
  QuantizerScale scale;

  c->codec->scale (&scale);
  rasvbr_params_init (params, &scale);
  params->interval = c->codec->kind == ENCODER_QUANTIZER_BY_RATE ? RASVBR_PER_FRAME : c->interval;
  params->coupling = RASVBR_BACKLOG;
  params->lowest = c->lowest >= 0 ? c->lowest : c->own_lowest;
  params->highest = c->highest >= 0 ? c->highest : c->own_highest;
  if (c->nominal >= 0)
    params->nominal = c->nominal;
  params->bucket_s = (double)c->bucket_time / GST_SECOND;
  params->bucket_bytes = c->bucket_size;
  params->gop_frames = (gint)c->gop_size;
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
quantizer_control_refresh (QuantizerControl *c)
{
  RasvbrParams params;

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
