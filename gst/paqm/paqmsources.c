/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "paqmsources.h"

#include "gstccaddress.h"

#define ADDRESS_INTERVAL (500 * GST_MSECOND)
#define TELL_BYTES 200 /* a packet that tells all there is, with UDP and IP headers */

typedef struct {
  guint64 flow;
  guint32 ssrc;
  GSocketAddress *address, *candidate;
  GstClockTime address_at, told_at, heard_at;
  guint64 packets, bytes; /* bytes: since told_at */
} Source;

struct _PaqmSources {
  GHashTable *table; /* by flow */
  guint64 refused;
};

static void
source_free (gpointer data)
{
  Source *s = data;

  g_clear_object (&s->address);
  g_clear_object (&s->candidate);
  g_free (s);
}

PaqmSources *
paqm_sources_new (void)
{
  PaqmSources *sources = g_new0 (PaqmSources, 1);

  sources->table = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, source_free);
  return sources;
}

void
paqm_sources_free (PaqmSources *sources)
{
  g_hash_table_destroy (sources->table);
  g_free (sources);
}

void
paqm_sources_clear (PaqmSources *sources)
{
  g_hash_table_remove_all (sources->table);
  sources->refused = 0;
}

guint
paqm_sources_n (const PaqmSources *sources)
{
  return g_hash_table_size (sources->table);
}

guint64
paqm_sources_refused (const PaqmSources *sources)
{
  return sources->refused;
}

/* address: full */
static void
note_address (Source *s, GSocketAddress *address, GstClockTime now)
{
  s->address_at = now;
  if (address == NULL || gst_cc_address_equal (s->address, address)) {
    g_clear_object (&s->candidate);
  } else if (s->address == NULL || gst_cc_address_equal (s->candidate, address)) {
    g_set_object (&s->address, address);
    g_clear_object (&s->candidate);
  } else {
    g_set_object (&s->candidate, address);
  }
  g_clear_object (&address);
}

static Source *
find (PaqmSources *sources, const GstPaqmPacket *packet, GstClockTime now)
{
  Source *s = g_hash_table_lookup (sources->table, &packet->flow);

  if (s != NULL)
    return s;
  if (g_hash_table_size (sources->table) >= PAQM_SOURCES_MAX) {
    sources->refused++;
    return NULL;
  }
  s = g_new0 (Source, 1);
  s->flow = packet->flow;
  s->ssrc = packet->ssrc;
  s->told_at = now;
  g_hash_table_insert (sources->table, &s->flow, s);
  return s;
}

void
paqm_sources_on_packet (PaqmSources *sources, const GstPaqmPacket *packet, const GstPaqmPacketFuncs *funcs,
    GstBuffer *buffer, GstClockTime now)
{
  Source *s = find (sources, packet, now);

  if (s == NULL)
    return;
  s->heard_at = now;
  s->bytes += packet->size_bytes;
  if (s->packets++ == 0 || now >= s->address_at + ADDRESS_INTERVAL)
    note_address (s, funcs->sender (buffer), now);
}

static void
told_clear (gpointer data)
{
  g_clear_object (&((PaqmTold *)data)->address);
}

GArray *
paqm_sources_tell (PaqmSources *sources, GstClockTime life, GstClockTime now)
{
  GArray *told = g_array_new (FALSE, FALSE, sizeof (PaqmTold));
  GHashTableIter iter;
  gpointer value;

  g_array_set_clear_func (told, told_clear);
  g_hash_table_iter_init (&iter, sources->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Source *s = value;
    PaqmTold one = {.ssrc = s->ssrc};

    if (cc_time_since (now, s->heard_at) >= life) {
      g_hash_table_iter_remove (&iter);
      continue;
    }
    /* nobody is sent more than came in his name */
    if (s->packets < PAQM_SOURCES_PROOF || s->bytes < TELL_BYTES)
      continue;
    one.address = s->address != NULL ? g_object_ref (s->address) : NULL;
    one.rate_Bps = now > s->told_at ? s->bytes / cc_seconds (now - s->told_at) : 0;
    s->bytes = 0;
    s->told_at = now;
    g_array_append_val (told, one);
  }
  return told;
}
