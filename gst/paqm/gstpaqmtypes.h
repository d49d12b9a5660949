/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The enumerations and flags of paqmshaper's properties. */
#ifndef GST_PAQM_TYPES_H
#define GST_PAQM_TYPES_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { GST_PAQM_DISCIPLINE_PAQM, GST_PAQM_DISCIPLINE_FIFO } GstPaqmDiscipline;
typedef enum { GST_PAQM_MODE_RTP, GST_PAQM_MODE_IP } GstPaqmMode;
typedef enum { GST_PAQM_COUNT_EXACT, GST_PAQM_COUNT_ESTIMATE } GstPaqmCount;
typedef enum { GST_PAQM_ECN_ELASTIC = 1 << 0, GST_PAQM_ECN_MEDIA = 1 << 1 } GstPaqmEcn;
typedef enum {
  GST_PAQM_SIGNAL_ERF_EXTENSION = 1 << 0,
  GST_PAQM_SIGNAL_ERF = 1 << 1,
  GST_PAQM_SIGNAL_ECF = 1 << 2,
  GST_PAQM_SIGNAL_REMB = 1 << 3,
  GST_PAQM_SIGNAL_TMMBR = 1 << 4
} GstPaqmSignalling;

#define GST_TYPE_PAQM_DISCIPLINE (gst_paqm_discipline_get_type ())
GType gst_paqm_discipline_get_type (void);
#define GST_TYPE_PAQM_MODE (gst_paqm_mode_get_type ())
GType gst_paqm_mode_get_type (void);
#define GST_TYPE_PAQM_COUNT (gst_paqm_count_get_type ())
GType gst_paqm_count_get_type (void);
#define GST_TYPE_PAQM_ECN (gst_paqm_ecn_get_type ())
GType gst_paqm_ecn_get_type (void);
#define GST_TYPE_PAQM_SIGNALLING (gst_paqm_signalling_get_type ())
GType gst_paqm_signalling_get_type (void);

G_END_DECLS
#endif
