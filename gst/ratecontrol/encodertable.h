/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is to be known of each encoder: one row a factory. */
#ifndef GST_ENCODER_TABLE_H
#define GST_ENCODER_TABLE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  ENCODER_KNOB_BITRATE,        /* a property of any number type, in `unit` bit/s */
  ENCODER_KNOB_QUALITY,        /* a JPEG quality, 1 to 100 */
  ENCODER_KNOB_EXTRA_CONTROLS, /* a GstStructure of V4L2 controls, video_bitrate in bit/s */
  ENCODER_KNOB_AT_START        /* a bitrate that is read when the encoder starts, if at all */
} EncoderKnob;

typedef struct {
  const gchar *property, *value; /* applied only where the property was left at its default */
} EncoderSetting;

typedef struct {
  const gchar *factory; /* its name, or how it begins and '*' */
  EncoderKnob knob;
  const gchar *property;          /* that the encoder has to have */
  const gchar *blurb;             /* a word that has to stand in the property's description; NULL: none */
  guint unit;                     /* bit/s that 1 stands for */
  gboolean costly;                /* a change forces a key frame */
  gboolean pauses;                /* its rate control counts frames, not time: a pause makes none larger */
  gboolean any_state;             /* takes settings in PLAYING though it does not flag them so */
  gboolean waits;                 /* a setting waits for the frame that is being coded */
  gboolean prime;                 /* the first change of all forces a key frame: make one before the first frame */
  guint max_debt_ms;              /* it pays back later what it puts out beyond what was asked; 0: it does not */
  const EncoderSetting *settings; /* ended by NULL */
} EncoderRow;

/* All rows; of an encoder the first that fits holds. The last one has no factory. */
extern const EncoderRow encoder_rows[];

/* NULL: not in the table. */
const EncoderRow *encoder_table_find (GstElement *encoder);
/* "property=value", each possibly "": the caller's. */
typedef struct {
  GString *set;  /* between spaces */
  GString *late; /* could not be set any more, as the encoder runs; between commas */
} EncoderConfigured;

/* Prepares the encoder for changes while it runs. */
EncoderConfigured encoder_row_configure (const EncoderRow *row, GstElement *encoder);
/* In what was set: the rate at the start, bit/s, whichever property takes it. */
#define ENCODER_START_SETTING "start-bitrate"
/* What was set, between spaces, is as a new element has it again, where it has not become another since. value: what
   the knob was left at; it may be another than at the start. */
void encoder_row_unconfigure (const EncoderRow *row, GstElement *encoder, const gchar *set, guint value);
/* A reason why this encoder will not follow, with its cure; NULL where there is none. */
const gchar *encoder_row_caution (const EncoderRow *row, GstElement *encoder);
/* TRUE where the user has not set a rate of his own. */
gboolean encoder_row_rate_is_default (const EncoderRow *row, GstElement *encoder);
/* Sets bit/s (or the quality), within the property's range. Returns FALSE where there is no such property. */
gboolean encoder_row_set (const EncoderRow *row, GstElement *encoder, guint value);
/* The caps of 8-bit 4:2:0 output, for encoders that prefer to code 4:4:4 where it is offered; else NULL. */
const gchar *encoder_row_caps_420 (const EncoderRow *row);
/* A change and back, for a row with `prime`. */
void encoder_row_prime (const EncoderRow *row, GstElement *encoder);
/* The knob's present value in bit/s (or the quality); 0 where unknown. */
guint encoder_row_get (const EncoderRow *row, GstElement *encoder);

G_END_DECLS
#endif
