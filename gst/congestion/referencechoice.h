/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pictures the next one may be predicted from, and which reference buffers take it in, by what the receiver has
   said of those before: NEWPRED, or reference picture selection (RFC 4586 7; RFC 7741 5 for VP8). The encoder has three
   buffers, each holds one picture.

   A picture is good when it has arrived and all it was predicted from is good, and bad when it is lost or anything it
   was predicted from is bad; until that is known it is pending. A loss takes no key picture, only a reference from
   before it.

   NACK mode: predicts from everything that is not known to be bad; of pictures that the receiver has passed over in
   silence it takes for granted that they arrived. Without loss that costs nothing; after one the receiver sees the
   error for a round trip. ACK mode: predicts from good pictures alone, at least a round trip old. That costs always,
   and a loss is never seen but in the picture lost. Auto: NACK mode while it leaves less than half of the pictures
   damaged, which with a share p lost is (1 - p)^d > 1/2, d being the pictures coded until a loss is heard of. */
#ifndef REFERENCECHOICE_H
#define REFERENCECHOICE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { REFERENCE_LAST, REFERENCE_GOLDEN, REFERENCE_ALTREF, REFERENCE_BUFFERS };
#define REFERENCE_BIT(buffer) (1u << (buffer))
#define REFERENCE_ALL 7u

#define REFERENCE_PICTURES 256 /* whose fate is kept: 8 s of 30 pictures a second */
#define REFERENCE_NO_PICTURE UINT64_MAX

typedef enum { REFERENCE_AUTO, REFERENCE_NACK, REFERENCE_ACK } ReferenceMode;
typedef enum { PICTURE_PENDING, PICTURE_GOOD, PICTURE_BAD } PictureHealth;
typedef enum { PICTURE_UNTOLD, PICTURE_ARRIVED, PICTURE_LOST } PictureVerdict;

typedef struct {
  bool key;            /* it has to stand alone; from is empty then, and into all */
  unsigned from, into; /* REFERENCE_BIT of buffers */
} ReferencePlan;

typedef struct {
  PictureVerdict verdict;
  PictureHealth health;
  uint64_t parents[REFERENCE_BUFFERS];
  unsigned n_parents;
} ReferencePicture;

typedef struct {
  uint64_t picture; /* REFERENCE_NO_PICTURE: empty */
  PictureHealth health;
} ReferenceBuffer;

typedef struct {
  uint64_t pictures, keys; /* coded */
  uint64_t arrived, lost;  /* told by the receiver */
  uint64_t repairs;        /* pictures predicted past a damaged one, where there was none before */
  uint64_t ignored;        /* verdicts on pictures that are unknown, too old, or told before */
} ReferenceStats;

typedef struct {
  ReferenceMode mode;     /* as set */
  ReferenceMode in_force; /* NACK or ACK */
  ReferencePicture ring[REFERENCE_PICTURES];
  ReferenceBuffer buffers[REFERENCE_BUFFERS];
  uint64_t next;         /* number of the next picture, from 0 */
  uint64_t told;         /* newest picture with a verdict; REFERENCE_NO_PICTURE: none since the newest key picture */
  uint64_t told_lost;    /* newest picture said to be lost; REFERENCE_NO_PICTURE: none */
  uint64_t answer;       /* picture that answers a picture loss indication; REFERENCE_NO_PICTURE: none */
  uint64_t stored;       /* ACK mode: newest picture put where it may be acknowledged */
  unsigned delay;        /* pictures coded between the newest one told and its verdict */
  bool key_wanted, sure; /* the next picture: a key picture; from good pictures alone */
  bool asked;            /* the next picture answers an indication */
  ReferenceStats stats;
} ReferenceChoice;

void reference_choice_init (ReferenceChoice *c, ReferenceMode mode);
/* From the next picture on. */
void reference_choice_set_mode (ReferenceChoice *c, ReferenceMode mode);

/* For the next picture; pure. */
ReferencePlan reference_choice_plan (const ReferenceChoice *c);
/* It came out of the encoder, coded as planned or, where key is true, as a key picture. Returns its number. */
uint64_t reference_choice_on_picture (ReferenceChoice *c, const ReferencePlan *plan, bool key);

/* The newest picture whose number ends in these bits, 1 to 32 of them; REFERENCE_NO_PICTURE where it is not kept. */
uint64_t reference_choice_find (const ReferenceChoice *c, uint32_t low, unsigned bits);
/* What the receiver says of a picture. The first verdict counts. */
void reference_choice_on_verdict (ReferenceChoice *c, uint64_t picture, bool arrived);
/* A picture loss indication: something is damaged that was thought to be whole. Returns true where only a key picture
   helps: no verdict ever came, or the answer to an indication before has arrived and was of no use. */
bool reference_choice_on_picture_loss (ReferenceChoice *c);
/* The sender left out pictures that were coded: the next one is predicted from what has arrived. */
void reference_choice_on_skipped (ReferenceChoice *c);
/* A receiver begins: a key picture next. */
void reference_choice_want_key (ReferenceChoice *c);

/* A buffer's state; REFERENCE_LAST to REFERENCE_ALTREF. */
PictureHealth reference_choice_health (const ReferenceChoice *c, unsigned buffer);

#ifdef __cplusplus
}
#endif
#endif
