/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A chain of GStreamer elements run by the caller's thread, without clock or queue: what a buffer causes has happened
   when push () returns. That makes real elements part of a simulation in virtual time, the same in each run as far as
   the elements themselves are (encoders: one thread). An error of an element ends the program with its text. */
#ifndef SIM_SYNC_PIPELINE_H
#define SIM_SYNC_PIPELINE_H

#include <functional>
#include <string>

typedef struct _GstBuffer GstBuffer;
typedef struct _GstCaps GstCaps;
typedef struct _GstElement GstElement;
typedef struct _GstEvent GstEvent;
typedef struct _GstPad GstPad;

namespace sim
{

class SyncPipeline
{
public:
  /* description: as for gst-launch, with one open pad at either end; "... ! filesink" may end it too. caps: of what is
     pushed in; may come later by set_caps (). */
  explicit SyncPipeline (const std::string &description, const std::string &caps = "");
  ~SyncPipeline ();
  SyncPipeline (const SyncPipeline &) = delete;
  SyncPipeline &operator= (const SyncPipeline &) = delete;

  std::function<void (GstBuffer *buffer, GstCaps *caps)> on_buffer; /* comes out; the caller keeps the buffer */
  std::function<void (GstEvent *event)> on_upstream;                /* leaves at the head, as key unit requests do */

  void set_caps (GstCaps *caps);
  bool push (GstBuffer *buffer); /* takes the buffer; false: refused */
  void push_event (GstEvent *event);
  void end ();                          /* end of stream; waits until a sink has it */
  void send_upstream (GstEvent *event); /* enters at the tail */
  GstElement *find (const char *name);  /* NULL: none; the caller's to unref */

  struct Private;

private:
  void check ();
  Private *p;
};

} // namespace sim
#endif
