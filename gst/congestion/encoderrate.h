/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What to ask of an encoder so that its frames fit what the network allows: the allowed rate less a margin, less what
   drains the sending buffer, corrected for an encoder that is systematically off, and changed seldom enough. `now` is
   the stream's own time (of frames), so that the law is the same in real time, faster and in simulation. */
#ifndef ENCODERRATE_H
#define ENCODERRATE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double min_bps, max_bps;    /* of the rate set; default 0 and 1e10. Minimum wins */
  double margin;              /* share of the allowed rate left free, [0, 0.5]; default 0.03 */
  double path_margin;         /* the same where that rate is all the path carries; default 0.1 */
  CcDuration drain;           /* a backlog is to be gone after this; default 300 ms */
  double max_drain;           /* at most this share of the allowed rate goes into draining, [0, 0.9]; default 0.5 */
  double correction_min;      /* bounds of the factor against a systematic error of the encoder; default 0.7 */
  double correction_max;      /* default 1.15 */
  double key_unit_share;      /* key units asked for may take this share of the rate, (0, 1]; default 0.3 */
  CcDuration max_key_spacing; /* longest wait that share may ask for; default 5 s */
  CcDuration max_debt;        /* for an encoder that pays back later what it put out beyond what was asked: then it is
                                 asked for no less than it makes once this much has come together; 0: none (default) */
  bool costly;                /* a change forces a key frame: change seldom, do not follow the backlog */
} EncoderRateParams;

typedef enum {
  ENCODER_RATE_LIMIT_START,        /* nothing allowed yet */
  ENCODER_RATE_LIMIT_ALLOWED,      /* the network */
  ENCODER_RATE_LIMIT_BACKLOG,      /* draining the sending buffer */
  ENCODER_RATE_LIMIT_FRAME_BUDGET, /* frames would come too late */
  ENCODER_RATE_LIMIT_ENCODER,      /* asking for less would only be paid back later */
  ENCODER_RATE_LIMIT_MIN,
  ENCODER_RATE_LIMIT_MAX
} EncoderRateLimit;

/* Exponentially weighted sums: what was produced and asked for, over the time it took. */
typedef struct {
  double tau_s, produced_bits, asked_bits, seconds;
} EncoderRateMean;

typedef struct {
  EncoderRateParams params;
  bool allowed_known, started, path_limits;
  double allowed_bps, backlog_bytes, frame_budget_bytes;
  double set_bps; /* 0: nothing set yet */
  CcTime changed_at, stepped_at, frame_at;
  double stepped_from_bps;
  double interval_s; /* mean distance of frames */
  EncoderRateMean instant, fast, slow;
  double debt_bits;
  bool indebted;
  double correction;
  double over_s; /* how long the encoder has been far above what was asked, less the time it was not */
  double key_bytes, frame_bytes;
  bool key;
  uint64_t frames, key_frames, bytes, changes, rejected;
} EncoderRate;

void encoder_rate_params_init (EncoderRateParams *params);
void encoder_rate_init (EncoderRate *e, const EncoderRateParams *params);

/* What the encoder was told outside of encoder_rate_update (), its start value. */
void encoder_rate_set_start (EncoderRate *e, double bps, CcTime now);
/* The network's word. bps: media bits/s; backlog_bytes: waiting in the sending buffer; frame_budget_bytes: largest
   frame in time, 0 unknown. Negative, NaN or infinite values: ignored and counted in `rejected`. */
void encoder_rate_on_allowed (EncoderRate *e, double bps, double backlog_bytes, double frame_budget_bytes, CcTime now);
/* Whether the rate allowed is what the path carries, known by its queue: a frame larger than the mean is late then, and
   makes the queue. False at the start. */
void encoder_rate_on_path_limit (EncoderRate *e, bool path_limits);
/* Pictures were kept from the encoder since the frame before the one that comes now: it drains the backlog, but is no
   interval of frames, and the encoder was asked for nothing. */
void encoder_rate_on_pause (EncoderRate *e, CcTime now);
/* Bytes out of the encoder; `starts_frame` false for further pieces of the same frame. */
void encoder_rate_on_bytes (EncoderRate *e, uint32_t bytes, bool starts_frame, bool key, CcTime now);

/* The rate the encoder should have, bits/s, with what limits it (may be NULL). Pure. */
double encoder_rate_wanted (const EncoderRate *e, EncoderRateLimit *limit);
/* True where it is time to change: set *bps, which is now taken for set. Falls of 20 % at once, of 3 % and rises of
   5 % after 100 ms, of 1 % after 200 ms; with `costly` falls of 15 % after 300 ms, else 2 s. */
bool encoder_rate_update (EncoderRate *e, CcTime now, double *bps);

/* Mean output over about 0.5 s and 2 s, bits/s; 0 before the second frame. Pure. */
double encoder_rate_produced (const EncoderRate *e);
double encoder_rate_produced_slow (const EncoderRate *e);
/* What was put out over what was asked for, over about 2 s; 0 before a second is measured. Pure. */
double encoder_rate_made (const EncoderRate *e);
/* Bytes the next frame may have: the rate wanted over the frame rate, within the frame budget. 0: unknown. Pure. */
double encoder_rate_frame_target (const EncoderRate *e);
/* What an encoder's own buffer should hold so that its frames need little queue, and it still uses its rate: three
   frame times, or a picture of so many pixels (0: not known) as coarse as it gets, whichever is more. 0 before the
   ninth frame. Pure. */
CcDuration encoder_rate_buffer_time (const EncoderRate *e, double pixels);
/* The encoder has put out 1.4 times what was asked, for 3 s more than it has not. Pure. */
bool encoder_rate_not_followed (const EncoderRate *e);
/* The least distance of key units asked for: `floor`, or what keeps them within key_unit_share. Pure. */
CcDuration encoder_rate_key_spacing (const EncoderRate *e, CcDuration floor);
const char *encoder_rate_limit_name (EncoderRateLimit limit);

#ifdef __cplusplus
}
#endif
#endif
