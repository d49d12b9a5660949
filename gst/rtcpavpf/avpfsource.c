/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "avpfsource.h"

#define BYE_RETENTION (2 * GST_SECOND)
#define BYE_STRAGGLERS 3
#define LATELY (500 * GST_MSECOND)

static AvpfSource *
source_new (guint32 ssrc, const AvpfSourceParams *params, GstClockTime now)
{
  AvpfSource *s = g_new0 (AvpfSource, 1);

  s->ssrc = ssrc;
  s->host = params->host;
  rtp_reception_init (&s->reception, params->clock_rate);
  cc_receiver_init (&s->cc, &params->cc);
  explicit_rate_init (&s->explicit_rate);
  key_request_init (&s->key, &params->key);
  s->last_rtp = s->bye_at = s->key_t0 = s->nack_t0 = GST_CLOCK_TIME_NONE;
  s->last_heard = now;
  return s;
}

static void
source_free (AvpfSource *s)
{
  g_clear_object (&s->address);
  g_free (s->nack);
  g_free (s->arrivals);
  g_free (s->tmmbr);
  g_free (s);
}

void
avpf_source_table_clear (AvpfSourceTable *table)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    g_clear_pointer (&table->sources[i], source_free);
}

void
avpf_source_table_keep_host (AvpfSourceTable *table, guint64 host)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (table->sources[i] != NULL && table->sources[i]->host != host)
      g_clear_pointer (&table->sources[i], source_free);
}

AvpfSource *
avpf_source_table_find (AvpfSourceTable *table, guint32 ssrc)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (table->sources[i] != NULL && table->sources[i]->ssrc == ssrc)
      return table->sources[i];
  return NULL;
}

static guint
count_of_host (const AvpfSourceTable *table, guint64 host)
{
  guint i, n = 0;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    n += table->sources[i] != NULL && table->sources[i]->host == host ? 1 : 0;
  return n;
}

static gboolean
gives_way_before (const AvpfSource *a, const AvpfSource *b)
{
  return a->valid != b->valid ? !a->valid : a->last_heard < b->last_heard;
}

/* Of that host alone where it is not 0. */
static AvpfSource **
evict (AvpfSourceTable *table, guint64 host, GstClockTime now)
{
  AvpfSource **first = NULL;
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = table->sources[i];

    if (s == NULL || (host != 0 && s->host != host) || (s->valid && now < s->last_heard + LATELY))
      continue;
    if (first == NULL || gives_way_before (s, *first))
      first = &table->sources[i];
  }
  if (first == NULL)
    return NULL;
  g_clear_pointer (first, source_free);
  table->evicted++;
  return first;
}

static AvpfSource **
find_room (AvpfSourceTable *table, guint64 host, GstClockTime now)
{
  guint i;

  if (host != 0 && count_of_host (table, host) >= AVPF_MAX_OF_HOST)
    return evict (table, host, now);
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (table->sources[i] == NULL)
      return &table->sources[i];
  return evict (table, 0, now);
}

AvpfSource *
avpf_source_table_add (AvpfSourceTable *table, guint32 ssrc, const AvpfSourceParams *params, GstClockTime now)
{
  AvpfSource **room = find_room (table, params->host, now);

  if (room == NULL) {
    table->refused++;
    return NULL;
  }
  return *room = source_new (ssrc, params, now);
}

static gboolean
has_expired (const AvpfSource *s, GstClockTime timeout, GstClockTime now)
{
  if (GST_CLOCK_TIME_IS_VALID (s->bye_at))
    return now >= s->bye_at + BYE_RETENTION;
  return now >= s->last_heard + timeout;
}

void
avpf_source_table_expire (AvpfSourceTable *table, GstClockTime timeout, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (table->sources[i] != NULL && has_expired (table->sources[i], timeout, now))
      g_clear_pointer (&table->sources[i], source_free);
}

void
avpf_source_table_cancel_requests (AvpfSourceTable *table, GstClockTime silence, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = table->sources[i];

    if (s != NULL && GST_CLOCK_TIME_IS_VALID (s->last_rtp) && now >= s->last_rtp + silence) {
      key_request_cancel (&s->key);
      s->key_t0 = GST_CLOCK_TIME_NONE;
    }
  }
}

guint
avpf_source_table_count (const AvpfSourceTable *table)
{
  guint i, n = 0;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (table->sources[i] != NULL && avpf_source_present (table->sources[i]))
      n++;
  return n;
}

static gboolean
sends (const AvpfSource *s)
{
  return s != NULL && avpf_source_present (s) && GST_CLOCK_TIME_IS_VALID (s->last_rtp);
}

gboolean
avpf_source_table_is_alive (const AvpfSourceTable *table, GstClockTime within, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (sends (table->sources[i]) && now < table->sources[i]->last_rtp + within)
      return TRUE;
  return FALSE;
}

AvpfSource *
avpf_source_table_main (AvpfSourceTable *table)
{
  AvpfSource *best = NULL;
  GstClockTime newest = 0;
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (sends (table->sources[i]))
      newest = MAX (newest, table->sources[i]->last_rtp);
  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = table->sources[i];

    if (sends (s) && s->last_rtp + LATELY >= newest && (best == NULL || s->bytes > best->bytes))
      best = s;
  }
  return best;
}

GstClockTime
avpf_source_next_timeout (const AvpfSource *s)
{
  GstClockTime next = MIN (cc_receiver_next_timeout (&s->cc), key_request_next_timeout (&s->key));

  return s->nack != NULL ? MIN (next, nack_request_next_timeout (s->nack)) : next;
}

guint32
avpf_source_extend (const AvpfSource *s, guint16 seq)
{
  guint32 highest = rtp_reception_highest (&s->reception);

  return highest + (guint32)(gint16)(seq - (guint16)highest);
}

gboolean
avpf_source_present (const AvpfSource *source)
{
  return source->valid && !GST_CLOCK_TIME_IS_VALID (source->bye_at);
}

void
avpf_source_set_address (AvpfSource *source, GSocketAddress *address)
{
  if (address != NULL && address != source->address)
    g_set_object (&source->address, address);
}

gboolean
avpf_source_is_from (const AvpfSource *source, GSocketAddress *address)
{
  if (address == NULL || source->address == NULL || !G_IS_INET_SOCKET_ADDRESS (address) ||
      !G_IS_INET_SOCKET_ADDRESS (source->address))
    return TRUE;
  return g_inet_address_equal (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address)),
      g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (source->address)));
}

void
avpf_source_on_bye (AvpfSource *source, GstClockTime now)
{
  if (!avpf_source_present (source))
    return;
  source->bye_at = now;
  source->after_bye = 0;
}

gboolean
avpf_source_on_rtp_after_bye (AvpfSource *source)
{
  if (++source->after_bye <= BYE_STRAGGLERS)
    return FALSE;
  source->bye_at = GST_CLOCK_TIME_NONE;
  return TRUE;
}

static void
append_nack_stats (const AvpfSource *s, GstStructure *structure)
{
  if (s->nack != NULL)
    gst_structure_set (structure, "nack-requested", G_TYPE_UINT64, s->nack->requested, "nack-recovered", G_TYPE_UINT64,
        s->nack->recovered, "nack-suppressed", G_TYPE_UINT64, s->nack->suppressed, "nack-given-up", G_TYPE_UINT64,
        s->nack->given_up + s->nack->hopeless, NULL);
}

GstStructure *
avpf_source_stats (const AvpfSource *s, GstClockTime now)
{
  gdouble rate_Bps = explicit_rate_current (&s->explicit_rate, now);
  PathReport path = {0};
  GstStructure *structure;

  path_rate_report (&s->cc.path, &path);
  structure = gst_structure_new ("application/x-rtcpavpf-source-stats", "ssrc", G_TYPE_UINT, s->ssrc, "valid",
      G_TYPE_BOOLEAN, avpf_source_present (s), "packets", G_TYPE_UINT64, s->packets, "bytes", G_TYPE_UINT64, s->bytes,
      "stamped", G_TYPE_UINT64, s->stamped, "lost", G_TYPE_UINT64, rtp_reception_missing (&s->reception), "duplicates",
      G_TYPE_UINT64, s->reception.duplicates, "restarts", G_TYPE_UINT64, s->reception.restarts, "jitter", G_TYPE_UINT,
      (guint)s->reception.jitter, "rtt", G_TYPE_UINT64, (guint64)s->key.rtt, "x-recv", G_TYPE_DOUBLE, s->cc.tfrc.X_recv,
      "loss-event-rate", G_TYPE_DOUBLE, s->cc.tfrc.p, "queue-delay", G_TYPE_UINT64, (guint64)path.queue_delay,
      "path-rate", G_TYPE_UINT64, (guint64)(path.rate_Bps * 8), "owner", G_TYPE_STRING, rate_owner_name (path.owner),
      "capacity", G_TYPE_UINT64, (guint64)(path.capacity_Bps * 8), "explicit-rate", G_TYPE_UINT64,
      (guint64)(rate_Bps * 8), "explicit-hop", G_TYPE_UINT, rate_Bps > 0 ? s->explicit_rate.hop : 0, "key-requests",
      G_TYPE_UINT64, s->key.sent, "key-requests-of-others", G_TYPE_UINT64, s->key_suppressed, NULL);
  append_nack_stats (s, structure);
  return structure;
}
