/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bottlenecks in a row, and hosts at any of the routers between them:

     left hosts --- router 0 ==== hop 0 ==== router 1 ==== hop 1 ==== router 2 ... --- right hosts

   A pair's left host is at router `enter`, its right one behind hop `leave`. Every packet that crosses a hop is told to
   the observer, with the pair and direction it belongs to. Rates are bit/s of IP packets + 2 bytes PPP. */
#ifndef SIM_CHAIN_H
#define SIM_CHAIN_H

#include "dumbbell.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sim
{

struct ChainLinkSpec {
  LinkSpec link;                 /* bps 0: no limit; delay_ms as it stands */
  std::vector<double> chances_s; /* where not empty, the link sends 1500 bytes at these times and again from the last on
                                    (mahimahi), and link.bps is the mean of it */
  bool reorder = false;          /* jitter may */
};

struct ChainHopSpec {
  ChainLinkSpec forward, backward;
};

/* Reads a file of mahimahi's: a line for each chance, in ms. Ends the program where there is none. */
std::vector<double> read_chances (const std::string &path);

struct ChainPairSpec {
  unsigned enter = 0, leave = 0; /* hops */
  double access_delay_s = 0;     /* one way, half of it on either side */
  double access_bps = 0;         /* of either side's link, both ways; 0: 1 Gbit/s */
};

enum class ChainFate { sent, queue, random, delivered };

/* One packet of one pair at one hop, or (delivered) at the far host. size: IP packet. */
struct ChainEvent {
  ChainFate fate;
  bool forward;
  unsigned pair, hop;
  uint64_t number; /* of the packet, in its pair and direction, from 0; as it left the host */
  uint32_t size;
  double first_s;       /* when it came to the first hop */
  double entered_s;     /* to this hop; delivered: to the last */
  double queue_delay_s; /* in this hop's queue; delivered: in all */
};

class Chain
{
public:
  explicit Chain (const std::vector<ChainHopSpec> &hops);
  ~Chain ();
  unsigned add_pair (const ChainPairSpec &spec); /* from 0 */
  HostPair hosts (unsigned pair, bool forward) const;
  double base_rtt_s (unsigned pair) const;
  std::function<void (const ChainEvent &event)> on_event;
  double capacity (unsigned hop, bool forward) const; /* of the moment, bit/s; 0: no limit */

  struct Direction;
  struct Private;

private:
  std::unique_ptr<Private> p;
};

} // namespace sim
#endif
