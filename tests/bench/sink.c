/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink against udpsink in the same run: CPU per packet of PACKET_BYTES for the same frames, fed at the same pace as
   single buffers and as lists, then whether tfrcsink sends 120 000 packets a second from one core. Each figure is the
   median of runs that alternate; the receiver is a process on another core, and what it received is counted.
     bench-sink                       the table
     bench-sink PACKETS FPS           one load
     bench-sink most                  the 120 000 packets a second only
     bench-sink hold FACTORY PACKETS FPS MBIT SECONDS   feeds one element, for a profiler */
#include "feed.h"
#include "witness.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 3
#define SECONDS 2.0
#define PORT 45004
#define MOST_PACKETS 120
#define MOST_FPS 1000
#define ANY_RATE 3000000000u

typedef struct {
  const gchar *name, *factory;
  gboolean lists;
  gdouble pace;      /* x the rate fed; 0: no limit */
  gboolean answered; /* the receiver is tfrcsrc */
} Subject;

/* The first is what the others are compared with. "timer" is no element: a loop that sleeps until each packet's time
   and sends it, which is what pacing costs at least on this machine. */
static const Subject subjects[] = {{"udpsink", "udpsink", FALSE, 0, FALSE},
    {"udpsink, lists", "udpsink", TRUE, 0, FALSE}, {"tfrcsink, at once", "tfrcsink", FALSE, 0, FALSE},
    {"tfrcsink, paced", "tfrcsink", FALSE, 1.2, FALSE}, {"tfrcsink, paced, lists", "tfrcsink", TRUE, 1.2, FALSE},
    {"udpsink, paced by clock", "udpsink", FALSE, 1.0, FALSE},
    {"tfrcsink, paced, answered", "tfrcsink", FALSE, 1.2, TRUE}, {"timer and sendto alone", "timer", FALSE, 1.2, FALSE},
    {"fakesink, the feed alone", "fakesink", FALSE, 0, FALSE}};

typedef struct {
  gdouble cpu_us_per_packet, packets_per_second;
  guint64 pushed, received, pacing_p50_ns, pacing_p99_ns;
} Result;

static const gchar answering[] = "tfrcsrc port=45004 latency=0 bandwidth=1000000000 caps=\"" FEED_CAPS
                                 "\" ! fakesink name=out sync=false async=false";

/* The whole of what pacing needs from the system, and nothing else. */
static Result
measure_timer (const Subject *subject, guint packets, guint fps, gdouble seconds, const WitnessLog *log)
{
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons (PORT)};
  gint64 span = (gint64)(1e9 / (subject->pace * packets * fps));
  guint8 data[PACKET_BYTES + 12] = {0x80, 96};
  int fd = socket (AF_INET, SOCK_DGRAM, 0);
  struct timespec at;
  Result r = {.pushed = (guint64)(packets * fps * seconds)};
  gdouble cpu;

  keep_to_cpu (0);
  prctl (PR_SET_TIMERSLACK, 1, 0, 0, 0);
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  clock_gettime (CLOCK_MONOTONIC, &at);
  cpu = cpu_seconds ();
  for (guint64 i = 0; i < r.pushed; i++) {
    at.tv_nsec += span;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    if (sendto (fd, data, sizeof data, 0, (struct sockaddr *)&to, sizeof to) < 0)
      exit (1);
  }
  r.cpu_us_per_packet = (cpu_seconds () - cpu) * 1e6 / r.pushed;
  g_usleep (100000);
  r.received = log->packets;
  return r;
}

static Result
measure (const Subject *subject, guint packets, guint fps, gdouble seconds, const WitnessLog *log)
{
  gdouble rate = subject->pace > 0 ? subject->pace * packets * fps * WIRE_BYTES * 8 : ANY_RATE;
  Result r = {0};
  Feed feed;
  gdouble cpu;
  gint64 begun;

  keep_to_cpu (0);
  gst_init (NULL, NULL);
  if (!feed_open (
          &feed, subject->factory, "low-delay", PORT, strcmp (subject->factory, "tfrcsink") == 0 ? (guint)rate : 0)) {
    g_printerr ("no element %s: run it by tests/bench/run\n", subject->factory);
    exit (77);
  }
  feed.lists = subject->lists;
  if (subject->pace > 0 && strcmp (subject->factory, "udpsink") == 0)
    feed_by_clock (&feed, (GstClockTime)(GST_SECOND / (subject->pace * packets * fps)));
  feed_run (&feed, packets, fps, 0.3);
  begun = g_get_monotonic_time ();
  cpu = cpu_seconds ();
  r.pushed = feed.pushed;
  feed_run (&feed, packets, fps, seconds);
  r.pushed = feed.pushed - r.pushed;
  r.cpu_us_per_packet = (cpu_seconds () - cpu) * 1e6 / r.pushed;
  r.packets_per_second = r.pushed * 1e6 / (g_get_monotonic_time () - begun);
  r.pacing_p50_ns = feed_stat (&feed, "pacing-error-p50");
  r.pacing_p99_ns = feed_stat (&feed, "pacing-error-p99");
  g_usleep (100000);
  r.received = log->packets;
  r.pushed = feed.pushed;
  feed_close (&feed);
  return r;
}

/* One subject, sender and receiver in processes of their own. */
static Result
run (const Subject *subject, guint packets, guint fps, gdouble seconds)
{
  Result result = {0};
  Witness witness;
  int fds[2];
  pid_t pid;

  if (subject->answered)
    witness_start_pipeline (&witness, answering);
  else
    witness_start (&witness, PORT);
  if (pipe (fds) != 0 || (pid = fork ()) < 0)
    exit (1);
  if (pid == 0) {
    result = strcmp (subject->factory, "timer") == 0 ? measure_timer (subject, packets, fps, seconds, witness.log)
                                                     : measure (subject, packets, fps, seconds, witness.log);
    _exit (write (fds[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close (fds[1]);
  if (read (fds[0], &result, sizeof result) != sizeof result)
    exit (77);
  close (fds[0]);
  waitpid (pid, NULL, 0);
  witness_stop (&witness);
  witness_free (&witness);
  return result;
}

static int
by_value (const void *a, const void *b)
{
  gdouble x = *(const gdouble *)a, y = *(const gdouble *)b;

  return (x > y) - (x < y);
}

static gdouble
median (gdouble *values, guint n)
{
  qsort (values, n, sizeof *values, by_value);
  return values[n / 2];
}

static void
print_load (guint packets, guint fps)
{
  gdouble cpu[G_N_ELEMENTS (subjects)][ROUNDS], ratio[G_N_ELEMENTS (subjects)][ROUNDS];
  Result r[G_N_ELEMENTS (subjects)];
  guint64 missing[G_N_ELEMENTS (subjects)] = {0};

  for (guint round = 0; round < ROUNDS; round++)
    for (guint i = 0; i < G_N_ELEMENTS (subjects); i++) {
      r[i] = run (&subjects[i], packets, fps, SECONDS);
      cpu[i][round] = r[i].cpu_us_per_packet;
      ratio[i][round] = cpu[i][round] / cpu[0][round];
      missing[i] += r[i].pushed - MIN (r[i].received, r[i].pushed);
    }
  g_print (
      "%u packets/s (%u x %u fps, %.1f Mb/s)\n", packets * fps, packets, fps, packets * fps * WIRE_BYTES * 8 / 1e6);
  for (guint i = 0; i < G_N_ELEMENTS (subjects); i++) {
    g_print ("  %-26s %7.2f us/packet  x %.2f", subjects[i].name, median (cpu[i], ROUNDS), median (ratio[i], ROUNDS));
    if (strcmp (subjects[i].factory, "fakesink") != 0)
      g_print ("  %" G_GUINT64_FORMAT " not received", missing[i]);
    if (r[i].pacing_p99_ns > 0)
      g_print ("  late p50 %.0f p99 %.0f us", r[i].pacing_p50_ns / 1e3, r[i].pacing_p99_ns / 1e3);
    g_print ("\n");
  }
}

static void
print_most (void)
{
  for (guint i = 1; i < 3; i++) {
    Subject subject = {"", subjects[i].factory, TRUE, 0, FALSE};
    Result r = run (&subject, MOST_PACKETS, MOST_FPS, SECONDS);

    g_print ("%d packets/s fed on one core: %-10s %8.0f packets/s, %.2f us/packet, %" G_GUINT64_FORMAT
             " of %" G_GUINT64_FORMAT " received\n",
        MOST_PACKETS * MOST_FPS, subject.factory, r.packets_per_second, r.cpu_us_per_packet, r.received, r.pushed);
  }
}

int
main (int argc, char **argv)
{
  static const guint loads[][2] = {{10, 30}, {20, 60}, {10, 500}, {40, 500}};

  if (argc == 7 && strcmp (argv[1], "hold") == 0) {
    Subject subject = {
        "", argv[2], FALSE, atof (argv[5]) * 1e6 / (atof (argv[3]) * atof (argv[4]) * WIRE_BYTES * 8), TRUE};
    Result r = run (&subject, (guint)atoi (argv[3]), (guint)atoi (argv[4]), atof (argv[6]));

    g_print ("%.2f us/packet, %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " received\n", r.cpu_us_per_packet,
        r.received, r.pushed);
    return 0;
  }
  if (argc == 3) {
    print_load ((guint)atoi (argv[1]), (guint)atoi (argv[2]));
    return 0;
  }
  if (argc == 1)
    for (guint i = 0; i < G_N_ELEMENTS (loads); i++)
      print_load (loads[i][0], loads[i][1]);
  print_most ();
  return 0;
}
