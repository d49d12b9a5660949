/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ratelaw.h"

#include "encoderchoice.h"

#define FIRST_OFFER 300000 /* bit/s, of an encoder that names no rate */

void
rate_law_settings_init (RateLawSettings *settings)
{
  *settings = (RateLawSettings){RATE_LAW_BITRATE, 20000, G_MAXUINT, TRUE, {0}};
  quantizer_settings_init (&settings->quantizer);
}

gboolean
rate_law_has_quality_knob (const RateLaw *law)
{
  return law->row && law->row->knob == ENCODER_KNOB_QUALITY;
}

gboolean
rate_law_sets_quantizer (const RateLaw *law)
{
  return law->settings.mode == RATE_LAW_QUANTIZER && law->quantizer.codec != NULL;
}

static double
within_limits (const RateLaw *law, double bps)
{
  guint least = law->settings.min_bitrate;

  return CLAMP (bps, least, MAX (least, law->settings.max_bitrate));
}

guint
rate_law_mean_bitrate (const RateLaw *law)
{
  return (guint)within_limits (law, law->offered);
}

static void
take_limits (RateLaw *law)
{
  law->rate.params.min_bps = law->settings.min_bitrate;
  law->rate.params.max_bps = MAX (law->settings.max_bitrate, law->settings.min_bitrate);
}

void
rate_law_restart (RateLaw *law, guint value)
{
  gboolean quality = rate_law_has_quality_knob (law);
  EncoderRateParams params;
  JpegQualityParams jpeg_params;

  encoder_rate_params_init (&params);
  jpeg_quality_params_init (&jpeg_params);
  if (quality) /* its model corrects by itself */
    params.correction_min = params.correction_max = 1;
  params.max_debt = law->row ? law->row->max_debt_ms * CC_MSECOND : 0;
  params.costly = law->row && law->row->costly;
  encoder_rate_init (&law->rate, &params);
  take_limits (law);
  jpeg_quality_init (&law->jpeg, &jpeg_params, quality ? (int)value : 85);
  law->bitrate = quality ? law->start : value;
  if (law->bitrate > 0)
    encoder_rate_set_start (&law->rate, law->bitrate, law->time.now);
  law->told_not_followed = FALSE;
  law->buffer_ms = 0;
  law->offered = law->bitrate > 0 ? law->bitrate : FIRST_OFFER;
  quantizer_control_restart (&law->quantizer, within_limits (law, law->offered));
  if (rate_law_sets_quantizer (law))
    law->bitrate = (guint)within_limits (law, law->offered);
}

void
rate_law_begin (RateLaw *law, guint value)
{
  law->time = (StreamTime){.started = false};
  law->info = (GstRateInfo){.limit = "start"};
  gst_rate_senders_init (&law->senders);
  law->rate_events = law->settings_made = 0;
  law->frame_target = law->pixels = 0;
  rate_law_restart (law, value);
}

void
rate_law_init (RateLaw *law)
{
  rate_law_settings_init (&law->settings);
  quantizer_control_init (&law->quantizer);
  rate_law_begin (law, 0);
}

void
rate_law_set (RateLaw *law, const RateLawSettings *settings)
{
  gboolean other_mode = settings->mode != law->settings.mode;

  law->settings = *settings;
  if (other_mode)
    quantizer_control_restart (&law->quantizer, within_limits (law, law->offered));
  take_limits (law);
  quantizer_control_set (&law->quantizer, &settings->quantizer);
}

void
rate_law_take_caps (RateLaw *law, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  law->pixels = (double)width * height;
}

void
rate_law_take_row (RateLaw *law, const EncoderRow *row)
{
  law->row = row;
}

void
rate_law_take_encoder (RateLaw *law, const EncoderRow *row, guint start, guint value)
{
  rate_law_take_row (law, row);
  law->start = start;
  law->quantizer.codec = NULL; /* the old encoder's */
  rate_law_restart (law, value);
}

QuantizerOrder
rate_law_take_quantizer (RateLaw *law, GstElement *encoder, gboolean owns_buffer, guint value)
{
  quantizer_control_adopt (&law->quantizer, encoder_quantizer_find (law->row), encoder, owns_buffer);
  rate_law_restart (law, value);
  return rate_law_sets_quantizer (law) ? quantizer_control_next (&law->quantizer, TRUE) : quantizer_control_nothing ();
}

QuantizerOrder
rate_law_leave (RateLaw *law)
{
  return quantizer_control_leave (&law->quantizer);
}

/* The rate the bucket leaks at; the frames' own thread acts upon it. */
static void
offer (RateLaw *law, double bps, guint backlog)
{
  law->offered = bps;
  bps = within_limits (law, bps);
  quantizer_control_on_rate (&law->quantizer, bps, backlog);
  if (!rate_law_sets_quantizer (law))
    return;
  encoder_rate_set_start (&law->rate, bps, law->time.now);
  law->bitrate = (guint)bps;
}

void
rate_law_limits_changed (RateLaw *law)
{
  offer (law, law->offered, 0);
}

void
rate_law_repeat_rate (RateLaw *law)
{
  if (law->rate_events > 0)
    encoder_rate_on_allowed (&law->rate, law->info.bitrate, law->info.backlog, law->info.frame_budget, law->time.now);
}

void
rate_law_on_rate (RateLaw *law, const GstRateInfo *info)
{
  law->info = gst_rate_senders_on_rate (&law->senders, info, 0, law->time.now);
  law->rate_events++;
  encoder_rate_on_path_limit (&law->rate, g_strcmp0 (law->info.limit, "delay") == 0);
  rate_law_repeat_rate (law);
  offer (law, law->info.bitrate * (1 - law->rate.params.margin), law->info.backlog);
}

gboolean
rate_law_on_frame (RateLaw *law, const EncodedFrame *frame, gboolean paused)
{
  gboolean begins = stream_time_advance (&law->time, frame->stamp);

  if (paused)
    encoder_rate_on_pause (&law->rate, law->time.now);
  encoder_rate_on_bytes (&law->rate, (guint32)MIN (frame->size, G_MAXUINT32), begins, frame->key, law->time.now);
  if (rate_law_sets_quantizer (law) && begins)
    quantizer_control_on_frame (&law->quantizer, frame->size, frame->key, law->time.now);
  else if (rate_law_has_quality_knob (law))
    jpeg_quality_on_frame (&law->jpeg, frame->size, frame->quantizer, law->frame_target);
  return begins;
}

gboolean
rate_law_pauses (const RateLaw *law)
{
  return law->settings.pause_encoder && law->info.pause && law->row && law->row->pauses;
}

/* The quality for the next frame; 0 where it stays. */
static guint
next_quality (RateLaw *law)
{
  int before = law->jpeg.quality, quality;
  double bps;

  if (encoder_rate_wanted (&law->rate, NULL) <= 0)
    return 0;
  if (encoder_rate_update (&law->rate, law->time.now, &bps))
    law->bitrate = (guint)bps;
  law->frame_target = encoder_rate_frame_target (&law->rate);
  quality = jpeg_quality_next (&law->jpeg, law->frame_target);
  return quality == before ? 0 : (guint)quality;
}

/* The value to set; 0 where it stays. */
static guint
next_value (RateLaw *law, gboolean frame)
{
  double bps;

  if (!encoder_choice_is_controlled (law->row))
    return 0;
  /* an event comes on the sender's thread, which must not wait while a frame is coded */
  if (!frame && (law->row->waits || rate_law_has_quality_knob (law)))
    return 0;
  if (rate_law_has_quality_knob (law))
    return next_quality (law);
  if (!encoder_rate_update (&law->rate, law->time.now, &bps))
    return 0;
  return law->bitrate = (guint)bps;
}

/* The encoder's buffer follows the frame rate; 0 where it stays. */
static guint
next_buffer (RateLaw *law)
{
  guint wanted = (guint)((encoder_rate_buffer_time (&law->rate, law->pixels) + CC_MSECOND / 2) / CC_MSECOND);

  if (!law->quantizer.owns_buffer || wanted == 0)
    return 0;
  if (ABS ((gint)wanted - (gint)law->buffer_ms) * 10 <= (gint)law->buffer_ms)
    return 0;
  return law->buffer_ms = wanted;
}

static QuantizerOrder
next_quantizer (RateLaw *law, gboolean frame, gboolean key)
{
  QuantizerOrder order;

  if (!frame)
    return quantizer_control_nothing ();
  if (!rate_law_sets_quantizer (law)) {
    if (law->quantizer.value >= 0)
      law->jpeg.quality = CLAMP (law->quantizer.value, law->jpeg.params.min_quality, law->jpeg.params.max_quality);
    order = quantizer_control_leave (&law->quantizer);
    order.buffer_ms = next_buffer (law);
    return order;
  }
  law->buffer_ms = 0;
  law->frame_target = rasvbr_target (&law->quantizer.law, key);
  return quantizer_control_next (&law->quantizer, key);
}

RateLawOrder
rate_law_nothing (void)
{
  return (RateLawOrder){0, quantizer_control_nothing ()};
}

RateLawOrder
rate_law_next (RateLaw *law, gboolean frame, gboolean key)
{
  RateLawOrder order = {0, next_quantizer (law, frame, key)};

  if (!rate_law_sets_quantizer (law))
    order.value = next_value (law, frame);
  law->settings_made += order.value > 0 || order.quantizer.lowest >= 0 || order.quantizer.bitrate > 0;
  return order;
}

gboolean
rate_law_tells_not_followed (RateLaw *law)
{
  if (!encoder_choice_is_controlled (law->row) || law->told_not_followed || law->rate_events == 0)
    return FALSE;
  return law->told_not_followed = encoder_rate_not_followed (&law->rate);
}

CcDuration
rate_law_key_spacing (const RateLaw *law, CcDuration floor)
{
  return encoder_rate_key_spacing (&law->rate, floor);
}

static void
add_quantizer_stats (const RateLaw *law, GstStructure *s)
{
  const Rasvbr *rasvbr = &law->quantizer.law;

  gst_structure_set (s, "quantizer", G_TYPE_INT, law->quantizer.value, "frame-target", G_TYPE_UINT,
      (guint)law->frame_target, "bucket-size", G_TYPE_UINT, (guint)MIN (rasvbr_bucket (rasvbr), G_MAXUINT),
      "bucket-fullness", G_TYPE_DOUBLE, rasvbr_fullness (rasvbr), "bucket-overflows", G_TYPE_UINT64,
      rasvbr->stats.overflows, "gops", G_TYPE_UINT64, rasvbr->stats.gops, NULL);
}

GstStructure *
rate_law_stats (const RateLaw *law)
{
  const EncoderRate *rate = &law->rate;
  gboolean quantizer = rate_law_sets_quantizer (law);
  EncoderRateLimit limit;
  double wanted = encoder_rate_wanted (rate, &limit);
  GstStructure *s;

  s = gst_structure_new ("application/x-ratecontrol-stats", "controlled", G_TYPE_BOOLEAN,
      encoder_choice_is_controlled (law->row), "allowed-bitrate", G_TYPE_UINT, law->info.bitrate, "wanted-bitrate",
      G_TYPE_UINT, (guint)MIN (wanted, G_MAXUINT), "set-bitrate", G_TYPE_UINT, law->bitrate, "produced-bitrate",
      G_TYPE_UINT, (guint)encoder_rate_produced (rate), "produced-bitrate-slow", G_TYPE_UINT,
      (guint)encoder_rate_produced_slow (rate), "correction", G_TYPE_DOUBLE, rate->correction, "limit", G_TYPE_STRING,
      encoder_rate_limit_name (limit), "network-limit", G_TYPE_STRING, law->info.limit, "backlog", G_TYPE_UINT,
      (guint)MIN (rate->backlog_bytes, G_MAXUINT), "followed", G_TYPE_BOOLEAN, !encoder_rate_not_followed (rate),
      "frames", G_TYPE_UINT64, rate->frames, "key-frames", G_TYPE_UINT64, rate->key_frames, "bytes", G_TYPE_UINT64,
      rate->bytes, "changes", G_TYPE_UINT64, law->settings_made, "rate-events", G_TYPE_UINT64, law->rate_events,
      "senders", G_TYPE_UINT, gst_rate_senders_count (&law->senders, law->time.now), "mode", G_TYPE_STRING,
      quantizer ? "quantizer" : "bitrate", NULL);
  if (rate_law_has_quality_knob (law))
    gst_structure_set (s, "quality", G_TYPE_INT, quantizer ? law->quantizer.value : law->jpeg.quality, "frame-target",
        G_TYPE_UINT, (guint)law->frame_target, NULL);
  if (quantizer)
    add_quantizer_stats (law, s);
  return s;
}
