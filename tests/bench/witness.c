/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "witness.h"

#include "feed.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH 64
#define RTP_BYTE 0x80 /* the first, of RTP without a header extension; 0x90 with one */
#define RECEIVE_BUFFER (32 << 20)
#define LOOK_US 5000 /* a receiver that slept in recvmmsg () would have to be woken at the sender's expense */

static void
note_arrival (WitnessLog *log, gint64 at)
{
  if (log->packets == 0)
    log->first_ns = at;
  log->last_ns = at;
  if (log->packets < WITNESS_TIMES)
    log->times[log->packets] = at - log->first_ns;
  log->packets++;
}

static gint64
arrival_time (struct msghdr *message)
{
  struct timespec ts;

  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      memcpy (&ts, CMSG_DATA (c), sizeof ts);
      return (gint64)ts.tv_sec * 1000000000 + ts.tv_nsec;
    }
  return 0;
}

static int
open_socket (guint port)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons ((guint16)port)};
  int fd = socket (AF_INET, SOCK_DGRAM, 0), on = 1, bytes = RECEIVE_BUFFER;

  address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  setsockopt (fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  if (setsockopt (fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) != 0)
    setsockopt (fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (bind (fd, (struct sockaddr *)&address, sizeof address) != 0)
    _exit (1);
  return fd;
}

/* Only RTP counts: the first byte and a payload type that is no RTCP packet type. */
static void
receive (WitnessLog *log, guint port)
{
  static guint8 data[BATCH][16], control[BATCH][64];
  struct mmsghdr messages[BATCH];
  struct iovec pieces[BATCH];
  int fd = open_socket (port);

  log->ready = TRUE;
  for (;;) {
    int n;

    for (guint i = 0; i < BATCH; i++) {
      pieces[i] = (struct iovec){data[i], sizeof data[i]};
      messages[i].msg_hdr = (struct msghdr){
          .msg_iov = &pieces[i], .msg_iovlen = 1, .msg_control = control[i], .msg_controllen = sizeof control[i]};
    }
    n = recvmmsg (fd, messages, BATCH, MSG_DONTWAIT, NULL);
    if (n <= 0)
      g_usleep (LOOK_US);
    for (int i = 0; i < n; i++)
      if ((data[i][0] & 0xef) == RTP_BYTE && (data[i][1] & 0x7f) == 96)
        note_arrival (log, arrival_time (&messages[i].msg_hdr));
  }
}

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  WitnessLog *log = user;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER_LIST)
    log->packets += gst_buffer_list_length (GST_PAD_PROBE_INFO_BUFFER_LIST (info));
  else
    log->packets++;
  return GST_PAD_PROBE_OK;
}

static void
receive_pipeline (WitnessLog *log, const gchar *description)
{
  GstElement *pipeline, *out;
  GstPad *pad;

  gst_init (NULL, NULL);
  pipeline = gst_parse_launch (description, NULL);
  out = pipeline != NULL ? gst_bin_get_by_name (GST_BIN (pipeline), "out") : NULL;
  if (out == NULL)
    _exit (1);
  pad = gst_element_get_static_pad (out, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, on_buffer, log, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, NULL, NULL, GST_SECOND);
  log->ready = TRUE;
  g_main_loop_run (g_main_loop_new (NULL, FALSE));
}

static void
start (Witness *w, guint port, const gchar *description)
{
  w->log = mmap (NULL, sizeof *w->log, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  memset (w->log, 0, sizeof *w->log); /* no page fault later */
  w->pid = fork ();
  if (w->pid == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL);
    keep_to_cpu (1);
    if (description != NULL)
      receive_pipeline (w->log, description);
    else
      receive (w->log, port);
    _exit (1);
  }
  for (guint i = 0; i < 500 && !w->log->ready; i++)
    g_usleep (10000);
}

void
witness_start (Witness *w, guint port)
{
  start (w, port, NULL);
}

void
witness_start_pipeline (Witness *w, const gchar *description)
{
  start (w, 0, description);
}

void
witness_stop (Witness *w)
{
  g_usleep (100000);
  kill (w->pid, SIGKILL);
  waitpid (w->pid, NULL, 0);
}

void
witness_free (Witness *w)
{
  munmap (w->log, sizeof *w->log);
}
