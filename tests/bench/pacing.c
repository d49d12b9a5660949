/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How well tfrcsink paces, seen from outside: constant rate, always enough to send, arrival times by the receiver's
   kernel against the ideal schedule k x size / rate. Prints the error's p50/p99, the mean rate, and the most bytes
   that arrived within 1 and 10 ms beside what rate and credit allow. */
#include "feed.h"
#include "witness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PORT 45008
#define FPS 20
#define SECONDS 5.0
#define SURPLUS 1.1      /* x the rate is fed at least, so that pacing alone sets the times */
#define CREDIT_NS 5.0e6  /* unused slots saved at most (ccpacer.h) */
#define GRAIN_NS 250.0e3 /* precision of the timer */

static int
by_value (const void *a, const void *b)
{
  gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

  return (x > y) - (x < y);
}

/* Each packet against the one before: a slot lost to a stall longer than the credit moves all that follow, as the pacer
   has it, and is told apart. Returns the time lost that way. */
static gdouble
errors (const WitnessLog *log, guint first, guint n, gdouble ipi_ns, gdouble *out, guint *stalls)
{
  gdouble due = (gdouble)log->times[first], lost = 0;

  *stalls = 0;
  for (guint i = 0; i < n; i++, due += ipi_ns) {
    gdouble late = (gdouble)log->times[first + i] - due;

    out[i] = fabs (late);
    if (late > CREDIT_NS || late < -GRAIN_NS / 2) {
      gdouble shift = late > 0 ? late - CREDIT_NS : late;

      due += shift;
      lost += shift;
      *stalls += late > CREDIT_NS;
    }
  }
  qsort (out, n, sizeof *out, by_value);
  return lost;
}

static guint
most_within (const WitnessLog *log, guint first, guint n, gint64 span_ns)
{
  guint most = 0, tail = first;

  for (guint i = first; i < first + n; i++) {
    while (log->times[i] - log->times[tail] > span_ns)
      tail++;
    most = MAX (most, i - tail + 1);
  }
  return most;
}

static guint
allowed_within (gdouble ipi_ns, gdouble span_ns)
{
  return (guint)((span_ns + CREDIT_NS + GRAIN_NS / 2) / ipi_ns) + 1;
}

static void
print_rate (gdouble bitrate)
{
  gdouble ipi_ns = WIRE_BYTES * 8 * 1e9 / bitrate, lost_ns, span_ns, *error;
  guint packets = (guint)ceil (bitrate * SURPLUS / (WIRE_BYTES * 8) / FPS), n, first, stalls;
  Witness witness;
  Feed feed;

  witness_start (&witness, PORT);
  if (!feed_open (&feed, "tfrcsink", "rfc5348", PORT, (guint)bitrate)) {
    g_printerr ("no element tfrcsink: run it by tests/bench/run\n");
    exit (77);
  }
  feed_run (&feed, packets, FPS, SECONDS);
  feed_close (&feed);
  witness_stop (&witness);
  n = (guint)MIN (witness.log->packets, WITNESS_TIMES);
  first = n / 10;
  n -= first;
  error = g_new (gdouble, n);
  lost_ns = errors (witness.log, first, n, ipi_ns, error, &stalls);
  span_ns = (gdouble)(witness.log->times[first + n - 1] - witness.log->times[first]);
  g_print ("%6.2f Mb/s: error p50 %4.0f p99 %5.0f max %5.0f us; %u stalls over 5 ms; mean rate %+.3f %%, between them "
           "%+.3f %%; in 1 ms %u packets (%u allowed), in 10 ms %u (%u); %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
           " received\n",
      bitrate / 1e6, error[n / 2] / 1e3, error[n * 99 / 100] / 1e3, error[n - 1] / 1e3, stalls,
      100 * ((n - 1) * ipi_ns / span_ns - 1), 100 * ((n - 1) * ipi_ns / (span_ns - lost_ns) - 1),
      most_within (witness.log, first, n, 1000000), allowed_within (ipi_ns, 1e6),
      most_within (witness.log, first, n, 10000000), allowed_within (ipi_ns, 1e7), witness.log->packets, feed.pushed);
  g_free (error);
  witness_free (&witness);
}

int
main (void)
{
  static const gdouble rates[] = {1e6, 8e6, 50e6};

  gst_init (NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    print_rate (rates[i]);
  return 0;
}
