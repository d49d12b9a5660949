/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chain.h"
#include "hostroutes.h"
#include "structtag.h"
#include <algorithm>
#include <fstream>
#include <ns3/core-module.h>
#include <unordered_map>

using namespace ns3;

namespace sim
{

static const uint32_t ppp_bytes = 2, chance_bytes = 1500;
static const double unlimited_bps = 1e9;
static const uint16_t mtu = 1500;

/* Which packet of which pair it is, written when it leaves its host. */
struct PairMark {
  uint32_t pair = 0;
  uint8_t forward = 0;
  uint64_t number = 0;

  static const char *
  tag_name ()
  {
    return "sim::PairTag";
  }
};

using PairTag = StructTag<PairMark>;

/* One way over one hop. */
struct Chain::Direction {
  Chain::Private *chain;
  unsigned hop;
  bool forward;
  ChainLinkSpec spec;
  Ptr<PointToPointNetDevice> device;
  Ptr<QueueDisc> disc; /* null: no limit */
  size_t chance = 0;   /* the next one */
  double lap_s = 0;    /* what the trace's repetitions have taken */
  double credit_at_s = -1;
  uint32_t credit = 0; /* bytes left of the chance at that time */
};

/* Of a packet under way. */
struct ChainStory {
  double first_s = -1, entered_s = 0, queue_delay_s = 0;
};

struct ChainPair {
  ChainPairSpec spec;
  Ptr<Node> left, right;
  Ipv4Address left_address, right_address;
  uint64_t count[2] = {0, 0};
  std::unordered_map<uint64_t, ChainStory> under_way[2];
};

struct Chain::Private {
  Chain *owner;
  std::vector<Ptr<Node>> routers;
  std::vector<Ptr<HostRoutes>> routes;                       /* by router */
  std::vector<std::unique_ptr<Direction>> forward, backward; /* by hop */
  std::vector<std::unique_ptr<ChainPair>> pairs;

  void connect (unsigned hop, const ChainHopSpec &spec);
  void impair (Direction *d, Ptr<PointToPointNetDevice> far);
  Ptr<PointToPointNetDevice> way (unsigned router, unsigned to) const;
  Ptr<Node> attach (unsigned pair, bool left, const ChainPairSpec &spec, uint32_t net, Ipv4Address *address);
  ChainStory *find (Ptr<const Packet> packet, PairTag *tag);
  void tell (const Direction *d, const PairTag &tag, const ChainStory &story, ChainFate fate, uint32_t size);
  void forget (const PairTag &tag);
  void set_capacity (Direction *d, double bps);
  void use_chance (Direction *d, uint32_t size);

  void on_host_sends (unsigned pair, bool is_left, Ptr<const Packet> packet);
  void on_host_gets (unsigned pair, bool is_left, Ptr<const Packet> packet);
  void on_entered (Direction *d, Ptr<const Packet> packet);
  void on_enqueue (Direction *d, Ptr<const QueueDiscItem> item);
  void on_refused (Direction *d, Ptr<const QueueDiscItem> item, const char *reason);
  void on_head_drop (Direction *d, Ptr<const QueueDiscItem> item, const char *reason);
  void on_transmit (Direction *d, Ptr<const Packet> packet);
  void on_lost (Direction *d, Ptr<const Packet> packet);
};

std::vector<double>
read_chances (const std::string &path)
{
  std::ifstream file (path);
  std::vector<double> chances;
  double ms;

  while (file >> ms)
    chances.push_back (ms / 1000);
  NS_ABORT_MSG_IF (chances.empty () || chances.back () <= 0 || !std::is_sorted (chances.begin (), chances.end ()),
      "no rising times in ms in " << path);
  return chances;
}

/* ---- building ---- */

Chain::Chain (const std::vector<ChainHopSpec> &hops) : p (new Private)
{
  p->owner = this;
  for (size_t i = 0; i <= hops.size (); i++) {
    p->routers.push_back (CreateObject<Node> ());
    InternetStackHelper ().Install (p->routers.back ());
    p->routes.push_back (HostRoutes::install (p->routers.back ()));
  }
  for (size_t i = 0; i < hops.size (); i++)
    p->connect (i, hops[i]);
}

Chain::~Chain () = default;

static Ptr<PointToPointNetDevice>
link_device (Ptr<Node> router, const LinkSpec &link, Ptr<JitterChannel> channel)
{
  bool limited = link.bps > 0;
  Ptr<PointToPointNetDevice> device = make_device (router, mtu, limited ? "1p" : "5000p");

  device->SetDataRate (DataRate (limited ? link.bps : unlimited_bps));
  device->Attach (channel);
  return device;
}

void
Chain::Private::connect (unsigned hop, const ChainHopSpec &spec)
{
  Ptr<JitterChannel> channel = CreateObject<JitterChannel> ();

  forward.emplace_back (new Direction{this, hop, true, spec.forward, nullptr, nullptr});
  backward.emplace_back (new Direction{this, hop, false, spec.backward, nullptr, nullptr});
  Direction *ways[] = {forward[hop].get (), backward[hop].get ()};
  for (unsigned i = 0; i < 2; i++) {
    ways[i]->device = link_device (routers[hop + i], ways[i]->spec.link, channel);
    channel->delay[i] = MicroSeconds (ways[i]->spec.link.delay_ms * 1000);
    channel->std_s[i] = ways[i]->spec.link.jitter_std_ms / 1000;
    channel->reorder[i] = ways[i]->spec.reorder;
    add_address (ways[i]->device, 0x0a030001 + (hop << 8) + i);
  }
  impair (ways[0], ways[1]->device);
  impair (ways[1], ways[0]->device);
}

void
Chain::Private::impair (Direction *d, Ptr<PointToPointNetDevice> far)
{
  const LinkSpec &link = d->spec.link;

  if (link.bps > 0) {
    d->disc = make_disc (link.queue, link.bps, link.delay_ms);
    d->device->GetNode ()->GetObject<TrafficControlLayer> ()->SetRootQueueDiscOnDevice (d->device, d->disc);
    d->disc->TraceConnectWithoutContext ("Enqueue", MakeCallback (&Private::on_enqueue, this, d));
    d->disc->TraceConnectWithoutContext ("DropBeforeEnqueue", MakeCallback (&Private::on_refused, this, d));
    d->disc->TraceConnectWithoutContext ("DropAfterDequeue", MakeCallback (&Private::on_head_drop, this, d));
  } else {
    d->device->TraceConnectWithoutContext ("MacTx", MakeCallback (&Private::on_entered, this, d));
  }
  d->device->TraceConnectWithoutContext ("PhyTxBegin", MakeCallback (&Private::on_transmit, this, d));
  for (const CapacityStep &step : link.schedule)
    Simulator::Schedule (Seconds (step.at_s), &Private::set_capacity, this, d, step.bps);
  if (link.loss.good_loss > 0 || link.loss.bad_loss > 0)
    far->SetReceiveErrorModel (make_loss (link.loss));
  far->TraceConnectWithoutContext ("PhyRxDrop", MakeCallback (&Private::on_lost, this, d));
}

void
Chain::Private::set_capacity (Direction *d, double bps)
{
  d->spec.link.bps = bps;
  d->device->SetDataRate (DataRate (bps));
  set_disc_capacity (d->disc, d->spec.link.queue, bps);
}

/* The device of a router that leads to another one. */
Ptr<PointToPointNetDevice>
Chain::Private::way (unsigned router, unsigned to) const
{
  return to > router ? forward[router]->device : backward[router - 1]->device;
}

Ptr<Node>
Chain::Private::attach (unsigned pair, bool left, const ChainPairSpec &spec, uint32_t net, Ipv4Address *address)
{
  unsigned router = left ? spec.enter : spec.leave + 1;
  Ptr<Node> host = CreateObject<Node> ();
  Ptr<JitterChannel> channel = CreateObject<JitterChannel> ();

  InternetStackHelper ().Install (host);
  Ptr<PointToPointNetDevice> at_host = make_device (host, mtu, "5000p");
  Ptr<PointToPointNetDevice> at_router = make_device (routers[router], mtu, "5000p");
  channel->delay[0] = channel->delay[1] = Seconds (spec.access_delay_s / 2);
  for (auto &device : {at_host, at_router}) {
    device->SetDataRate (DataRate (spec.access_bps > 0 ? spec.access_bps : unlimited_bps));
    device->Attach (channel);
  }
  add_address (at_router, net | 1);
  *address = add_address (at_host, net | 2);
  set_default_route (host, Ipv4Address (net | 1), at_host);
  at_host->TraceConnectWithoutContext ("MacTx", MakeCallback (&Private::on_host_sends, this, pair, left));
  at_host->TraceConnectWithoutContext ("MacRx", MakeCallback (&Private::on_host_gets, this, pair, left));
  for (unsigned r = 0; r < routers.size (); r++)
    routes[r]->add (*address, r == router ? at_router : way (r, router));
  return host;
}

unsigned
Chain::add_pair (const ChainPairSpec &spec)
{
  unsigned index = p->pairs.size ();

  NS_ABORT_MSG_IF (index > 250, "the chain has addresses for 250 pairs");
  NS_ABORT_MSG_IF (spec.enter > spec.leave || spec.leave >= p->forward.size (), "a flow enters or leaves at no hop");
  p->pairs.emplace_back (new ChainPair);
  ChainPair &pair = *p->pairs.back ();
  pair.spec = spec;
  pair.left = p->attach (index, true, spec, 0x0a010000 | index << 8, &pair.left_address);
  pair.right = p->attach (index, false, spec, 0x0a020000 | index << 8, &pair.right_address);
  return index;
}

HostPair
Chain::hosts (unsigned pair, bool forward) const
{
  const ChainPair &hosts = *p->pairs.at (pair);

  return forward ? HostPair{hosts.left, hosts.right, hosts.right_address}
                 : HostPair{hosts.right, hosts.left, hosts.left_address};
}

double
Chain::base_rtt_s (unsigned pair) const
{
  const ChainPairSpec &spec = p->pairs.at (pair)->spec;
  double ms = 0;

  for (unsigned hop = spec.enter; hop <= spec.leave; hop++)
    ms += p->forward[hop]->spec.link.delay_ms + p->backward[hop]->spec.link.delay_ms;
  return ms / 1000 + 2 * spec.access_delay_s;
}

double
Chain::capacity (unsigned hop, bool forward) const
{
  return (forward ? p->forward : p->backward).at (hop)->spec.link.bps;
}

/* ---- packets ---- */

ChainStory *
Chain::Private::find (Ptr<const Packet> packet, PairTag *tag)
{
  if (!packet->PeekPacketTag (*tag))
    return nullptr;
  auto &under_way = pairs[tag->pair]->under_way[tag->forward];
  auto entry = under_way.find (tag->number);
  return entry == under_way.end () ? nullptr : &entry->second;
}

void
Chain::Private::tell (const Direction *d, const PairTag &tag, const ChainStory &story, ChainFate fate, uint32_t size)
{
  ChainEvent event = {fate, (bool)tag.forward, tag.pair, d ? d->hop : 0, tag.number, size, story.first_s,
      story.entered_s, story.queue_delay_s};

  if (owner->on_event)
    owner->on_event (event);
}

void
Chain::Private::forget (const PairTag &tag)
{
  pairs[tag.pair]->under_way[tag.forward].erase (tag.number);
}

/* Hosts' answers to what came to a port that is closed by then. */
static bool
is_icmp (Ptr<const Packet> packet)
{
  static const unsigned protocol_at = ppp_bytes + 9;
  static const uint8_t icmp = 1;
  uint8_t head[protocol_at + 1];

  return packet->CopyData (head, sizeof head) == sizeof head && head[protocol_at] == icmp;
}

void
Chain::Private::on_host_sends (unsigned pair, bool is_left, Ptr<const Packet> packet)
{
  PairTag tag;

  if (is_icmp (packet))
    return;
  tag.pair = pair;
  tag.forward = is_left;
  tag.number = pairs[pair]->count[is_left]++;
  packet->AddPacketTag (tag);
  pairs[pair]->under_way[is_left][tag.number] = ChainStory ();
}

void
Chain::Private::on_host_gets (unsigned pair, bool is_left, Ptr<const Packet> packet)
{
  PairTag tag;
  ChainStory *story = find (packet, &tag);

  if (!story)
    return;
  tell (nullptr, tag, *story, ChainFate::delivered, packet->GetSize () - ppp_bytes);
  forget (tag);
}

void
Chain::Private::on_entered (Direction *d, Ptr<const Packet> packet)
{
  PairTag tag;
  ChainStory *story = find (packet, &tag);

  if (!story)
    return;
  story->entered_s = Simulator::Now ().GetSeconds ();
  if (story->first_s < 0)
    story->first_s = story->entered_s;
}

void
Chain::Private::on_enqueue (Direction *d, Ptr<const QueueDiscItem> item)
{
  on_entered (d, item->GetPacket ());
}

void
Chain::Private::on_refused (Direction *d, Ptr<const QueueDiscItem> item, const char *reason)
{
  on_entered (d, item->GetPacket ());
  on_head_drop (d, item, reason);
}

void
Chain::Private::on_head_drop (Direction *d, Ptr<const QueueDiscItem> item, const char *)
{
  PairTag tag;
  ChainStory *story = find (item->GetPacket (), &tag);

  if (!story)
    return;
  tell (d, tag, *story, ChainFate::queue, item->GetSize ());
  forget (tag);
}

void
Chain::Private::on_transmit (Direction *d, Ptr<const Packet> packet)
{
  PairTag tag;
  ChainStory *story = find (packet, &tag);

  if (!d->spec.chances_s.empty ())
    use_chance (d, packet->GetSize () - ppp_bytes);
  if (!story)
    return;
  double waited = Simulator::Now ().GetSeconds () - story->entered_s, sum = story->queue_delay_s + waited;
  story->queue_delay_s = waited;
  tell (d, tag, *story, ChainFate::sent, packet->GetSize () - ppp_bytes);
  story->queue_delay_s = sum;
}

void
Chain::Private::on_lost (Direction *d, Ptr<const Packet> packet)
{
  PairTag tag;
  ChainStory *story = find (packet, &tag);

  if (!story)
    return;
  tell (d, tag, *story, ChainFate::random, packet->GetSize () - ppp_bytes);
  forget (tag);
}

/* The packet about to be sent is through when the chance comes that takes its last byte: the device's rate is set so.
   What a chance finds no packet for is lost. */
void
Chain::Private::use_chance (Direction *d, uint32_t size)
{
  static const double same_time_s = 1e-6, at_once_bps = 1e12;
  const std::vector<double> &chances = d->spec.chances_s;
  double now_s = Simulator::Now ().GetSeconds ();

  if (now_s > d->credit_at_s + same_time_s)
    d->credit = 0;
  while (d->credit < size) {
    double at_s = d->lap_s + chances[d->chance];
    if (++d->chance == chances.size ()) {
      d->chance = 0;
      d->lap_s += chances.back ();
    }
    if (at_s < now_s - same_time_s)
      continue;
    d->credit += chance_bytes;
    d->credit_at_s = at_s;
  }
  d->credit -= size;
  double wait_s = d->credit_at_s - now_s;
  d->device->SetDataRate (
      DataRate (wait_s > same_time_s ? std::max ((size + ppp_bytes) * 8 / wait_s, 1.0) : at_once_bps));
}

} // namespace sim
