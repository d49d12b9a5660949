/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the network's rate and the frames that pass to what the encoder is to be set to: encoderrate.h, jpegquality.h
   and rasvbr.h of the core put together for one encoder. No locks, no encoder: the element guards it and carries its
   orders out. */
#ifndef GST_RATE_LAW_H
#define GST_RATE_LAW_H

#include "encodedframe.h"
#include "encoderrate.h"
#include "jpegquality.h"
#include "quantizercontrol.h"
#include "gstratesenders.h"
#include "streamtime.h"

#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

typedef enum { RATE_LAW_BITRATE, RATE_LAW_QUANTIZER } RateLawMode;

/* The properties. */
typedef struct {
  RateLawMode mode;
  guint min_bitrate, max_bitrate; /* bit/s; min wins */
  gboolean pause_encoder;
  QuantizerSettings quantizer;
} RateLawSettings;

typedef struct {
  RateLawSettings settings;
  const EncoderRow *row; /* NULL: unknown */

  EncoderRate rate;
  JpegQuality jpeg;
  QuantizerControl quantizer;
  double offered; /* bit/s before the limits, of mode=quantizer */
  StreamTime time;
  GstRateSenders senders;
  GstRateInfo info; /* of the one that counts */
  guint64 rate_events, settings_made;
  guint start;   /* for an encoder without a rate of its own; 0: leave it alone until the network is known */
  guint bitrate; /* what it is set to, bit/s; 0: nothing yet */
  gboolean told_not_followed;
  guint buffer_ms; /* of an encoder whose buffer is ours, in mode=bitrate; 0: not set yet */
  double frame_target;
  double pixels; /* of a picture; 0: not known */
} RateLaw;

/* What to set; what is to stay is 0, -1 in `quantizer`. */
typedef struct {
  guint value; /* of the row's knob */
  QuantizerOrder quantizer;
} RateLawOrder;

void rate_law_settings_init (RateLawSettings *settings);
void rate_law_init (RateLaw *law);
void rate_law_set (RateLaw *law, const RateLawSettings *settings);
/* min-bitrate or max-bitrate has changed: what the network offered before holds within them. */
void rate_law_limits_changed (RateLaw *law);
/* Another encoder, or another knob of it; row NULL: none that is known. start: bit/s it has been set to, 0: nothing.
   value: what its knob reads. */
void rate_law_take_row (RateLaw *law, const EncoderRow *row);
void rate_law_take_encoder (RateLaw *law, const EncoderRow *row, guint start, guint value);
/* Of the encoder taken last: its quantizer. encoder: its bounds are read; owns_buffer: its buffer may be set. */
QuantizerOrder rate_law_take_quantizer (RateLaw *law, GstElement *encoder, gboolean owns_buffer, guint value);
/* Forgets what was measured and starts from the encoder's present value. */
void rate_law_restart (RateLaw *law, guint value);
/* The same, and the stream and the network are new as well. */
void rate_law_begin (RateLaw *law, guint value);

/* What comes is of another size. */
void rate_law_take_caps (RateLaw *law, GstCaps *caps);
void rate_law_on_rate (RateLaw *law, const GstRateInfo *info);
/* The network's last word again, after a restart. */
void rate_law_repeat_rate (RateLaw *law);
/* A piece of a frame; paused: pictures were kept from the encoder before it. TRUE: it begins a frame. */
gboolean rate_law_on_frame (RateLaw *law, const EncodedFrame *frame, gboolean paused);

/* What is to be set now; frame: between two frames, on their thread; key: the next has been asked to be a key frame.
   Taken for carried out. */
RateLawOrder rate_law_next (RateLaw *law, gboolean frame, gboolean key);
RateLawOrder rate_law_nothing (void);
/* The encoder's own bounds again. */
QuantizerOrder rate_law_leave (RateLaw *law);

/* Once after each restart: the encoder puts out far more than it was asked for. */
gboolean rate_law_tells_not_followed (RateLaw *law);
/* The sender says so, the encoder is one that gains by it, and the user has not forbidden it. */
gboolean rate_law_pauses (const RateLaw *law);
gboolean rate_law_has_quality_knob (const RateLaw *law);
/* Whether the quantizer is set; an encoder that takes none is controlled by its bitrate in either mode. */
gboolean rate_law_sets_quantizer (const RateLaw *law);
/* What the encoder is to produce in the mean, bit/s: the network's rate, or the start's, less the margin and within the
   limits; what drains a backlog is not taken off. */
guint rate_law_mean_bitrate (const RateLaw *law);
/* The least distance of key units asked for. */
CcDuration rate_law_key_spacing (const RateLaw *law, CcDuration floor);
/* (transfer full) application/x-ratecontrol-stats. */
GstStructure *rate_law_stats (const RateLaw *law);

G_END_DECLS
#endif
