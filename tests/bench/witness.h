/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process of its own that receives on a UDP port of loopback: what was really sent, with the kernel's arrival times.
   It costs the sender no wake-ups, as a receiver on another machine would not. Or a receiver pipeline that answers,
   counted in its fakesink. */
#ifndef WITNESS_H
#define WITNESS_H

#include <glib.h>
#include <sys/types.h>

#define WITNESS_TIMES 65536

typedef struct {
  guint64 packets;
  gint64 first_ns, last_ns;    /* arrival of the first and the latest packet, CLOCK_REALTIME */
  gint64 times[WITNESS_TIMES]; /* of the first packets; ns since first_ns */
  gboolean ready;
} WitnessLog;

typedef struct {
  pid_t pid;
  WitnessLog *log; /* shared with the process; read it once the sender is done */
} Witness;

/* Both return when they receive. */
void witness_start (Witness *w, guint port);
void witness_start_pipeline (Witness *w, const gchar *description); /* a fakesink named "out" ends it */
void witness_stop (Witness *w);                                     /* the log stays */
void witness_free (Witness *w);

#endif
