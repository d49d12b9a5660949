/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrccircuit.h"

#define MESSAGE_NAME "application/x-circuit-breaker"

GType
gst_tfrc_circuit_breaker_get_type (void)
{
  static const GEnumValue values[] = {
      {CIRCUIT_CEASE, "Cease to send, tell, and try again as RFC 8083 4.5 allows", "cease"},
      {CIRCUIT_WARN, "Tell, and go on", "warn"}, {CIRCUIT_OFF, "No circuit breaker", "off"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstTfrcCircuitBreaker", values));
  return (GType)type;
}

GParamSpec *
gst_tfrc_circuit_param_spec (void)
{
  return g_param_spec_enum ("circuit-breaker", "Circuit breaker",
      "What to do on a path that is dead or hopeless (RFC 8083)", GST_TYPE_TFRC_CIRCUIT_BREAKER, CIRCUIT_CEASE,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
}

gboolean
gst_tfrc_circuit_take_block (GstTfrcReported *reported, const RtcpReportBlock *block, guint64 sent, guint64 *packets)
{
  gboolean counts = !reported->known || reported->sent != sent;
  gint32 moved = (gint32)(block->ext_highest_seq - reported->ext_highest_seq);
  guint64 most = MAX (sent, 1); /* whatever a report says */

  *packets = reported->known ? MIN ((guint64)MAX (moved, moved != 0), most) : most;
  *reported = (GstTfrcReported){block->ext_highest_seq, sent, TRUE};
  return counts || *packets > 0;
}

/* Changes of state so far: each opening, each try, and whether the last one has closed it. */
static guint64
changes (const CircuitBreaker *c)
{
  return 2 * (c->openings + c->restarts) + (c->openings > 0 && c->state == CIRCUIT_CLOSED);
}

GstMessage *
gst_tfrc_circuit_news (GstElement *element, const CcSender *core, guint64 *told)
{
  const CircuitBreaker *c = &core->circuit;

  if (changes (c) == *told)
    return NULL;
  *told = changes (c);
  return gst_message_new_element (GST_OBJECT (element),
      gst_structure_new (MESSAGE_NAME, "state", G_TYPE_STRING, circuit_state_name (c->state), "reason", G_TYPE_STRING,
          circuit_reason_name (c->reason), "ceases", G_TYPE_BOOLEAN, (gboolean)circuit_breaker_ceases (c), NULL));
}

void
gst_tfrc_circuit_add_stats (GstStructure *stats, CircuitState state, CircuitReason reason, guint64 openings)
{
  gst_structure_set (stats, "circuit-breaker", G_TYPE_STRING, circuit_state_name (state), "circuit-breaker-reason",
      G_TYPE_STRING, circuit_reason_name (reason), "circuit-breaker-openings", G_TYPE_UINT64, openings, NULL);
}
