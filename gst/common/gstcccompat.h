/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One name for what GStreamer renamed: a ring of structs is GstQueueArray up to 1.24, GstVecDeque from 1.26 on. */
#ifndef GST_CC_COMPAT_H
#define GST_CC_COMPAT_H

#include <gst/gst.h>

#if GST_CHECK_VERSION(1, 26, 0)
#include <gst/gstvecdeque.h>
typedef GstVecDeque GstCcDeque;
#define gst_cc_deque_new_for_struct gst_vec_deque_new_for_struct
#define gst_cc_deque_free gst_vec_deque_free
#define gst_cc_deque_is_empty gst_vec_deque_is_empty
#define gst_cc_deque_push_tail_struct gst_vec_deque_push_tail_struct
#define gst_cc_deque_peek_head_struct gst_vec_deque_peek_head_struct
#define gst_cc_deque_pop_head_struct gst_vec_deque_pop_head_struct
#else
#include <gst/base/gstqueuearray.h>
typedef GstQueueArray GstCcDeque;
#define gst_cc_deque_new_for_struct gst_queue_array_new_for_struct
#define gst_cc_deque_free gst_queue_array_free
#define gst_cc_deque_is_empty gst_queue_array_is_empty
#define gst_cc_deque_push_tail_struct gst_queue_array_push_tail_struct
#define gst_cc_deque_peek_head_struct gst_queue_array_peek_head_struct
#define gst_cc_deque_pop_head_struct gst_queue_array_pop_head_struct
#endif

#endif
