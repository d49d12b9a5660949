/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A network bottleneck in real time, without privilege: two UDP sockets on loopback and, between them, the simulations'
   dumbbell with its drop-tail queue, capacity schedule, propagation delay and random loss. A datagram that arrives at
   the A side crosses it as an IPv4/UDP packet of its size and leaves the B side to the peer; what the peer answers to
   the B side crosses the reverse link back to whoever sent to A. `bottleneck --help` lists the options. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "apps/dumbbell.h"
#include <ns3/core-module.h>

using namespace ns3;

namespace
{

constexpr uint32_t headerBytes = 20 + 8; /* IPv4 and UDP */

[[noreturn]] void
Fail (const std::string &what)
{
  std::cerr << "bottleneck: " << what << std::endl;
  exit (2);
}

/* "1.5M", "600k" or "250000" in bit/s. */
DataRate
ParseRate (const std::string &text)
{
  char *end;
  double value = strtod (text.c_str (), &end);
  switch (*end) {
  case 'k':
    value *= 1e3;
    break;
  case 'M':
    value *= 1e6;
    break;
  case 'G':
    value *= 1e9;
    break;
  case '\0':
    break;
  default:
    Fail ("no rate: " + text);
  }
  if (!(value >= 1e3 && value <= 1e12))
    Fail ("rate not within 1k..1000G bit/s: " + text);
  return DataRate (static_cast<uint64_t> (value + 0.5));
}

/* "50ms", "0.3s", "200us"; a bare number is seconds. */
Time
ParseTime (const std::string &text)
{
  char *end;
  double value = strtod (text.c_str (), &end);
  std::string unit (end);
  double scale = unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1;
  if (end == text.c_str () || !(unit == "ms" || unit == "us" || unit == "s" || unit.empty ()) || !(value >= 0))
    Fail ("no duration: " + text);
  return Seconds (value * scale);
}

/* "0.01" or "1%": [0, 1] */
double
ParseShare (const std::string &text)
{
  char *end;
  double value = strtod (text.c_str (), &end);
  if (*end == '%')
    value /= 100;
  if (end == text.c_str () || !(value >= 0 && value <= 1))
    Fail ("no share of 0..1 or 0..100%: " + text);
  return value;
}

struct Step {
  Time at;
  DataRate rate;
};

/* "0:1.0M,40:2.5M" (seconds:rate), or one rate for all time. */
std::vector<Step>
ParseSchedule (const std::string &text)
{
  std::vector<Step> steps;
  size_t pos = 0;
  while (pos <= text.size ()) {
    size_t comma = std::min (text.find (',', pos), text.size ());
    std::string item = text.substr (pos, comma - pos);
    size_t colon = item.find (':');
    Time at = colon == std::string::npos ? Time (0) : ParseTime (item.substr (0, colon));
    steps.push_back ({at, ParseRate (colon == std::string::npos ? item : item.substr (colon + 1))});
    pos = comma + 1;
  }
  if (!steps.front ().at.IsZero ())
    Fail ("a schedule starts at 0: " + text);
  return steps;
}

/* One line per packet: seconds since the schedule's start, IP packet bytes, bit/s. */
class PacketLog
{
public:
  explicit PacketLog (const std::string &path)
  {
    if (path.empty ())
      return;
    m_file = fopen (path.c_str (), "w");
    if (m_file == nullptr)
      Fail (path + ": " + strerror (errno));
  }

  ~PacketLog ()
  {
    if (m_file != nullptr)
      fclose (m_file);
  }

  void
  Start (Time now)
  {
    struct timespec ts;
    clock_gettime (CLOCK_MONOTONIC, &ts);
    m_start = now;
    if (m_file != nullptr)
      fprintf (m_file, "# monotonic_s_at_zero=%ld.%09ld\ndirection,time_in,time_out,fate,size,queue_delay,capacity\n",
          static_cast<long> (ts.tv_sec), ts.tv_nsec);
  }

  /* out and queueDelay are empty for a packet that did not get that far. */
  void
  Write (const char *direction, Time in, Time out, const char *fate, uint32_t size, Time queueDelay, DataRate capacity)
  {
    if (m_file == nullptr)
      return;
    fprintf (m_file, "%s,%.6f,", direction, (in - m_start).GetSeconds ());
    if (!out.IsZero ())
      fprintf (m_file, "%.6f", (out - m_start).GetSeconds ());
    fprintf (m_file, ",%s,%u,", fate, size);
    if (!queueDelay.IsNegative ())
      fprintf (m_file, "%.6f", queueDelay.GetSeconds ());
    fprintf (m_file, ",%lu\n", static_cast<unsigned long> (capacity.GetBitRate ()));
  }

  void
  Flush ()
  {
    if (m_file != nullptr)
      fflush (m_file);
  }

private:
  FILE *m_file = nullptr;
  Time m_start;
};

struct PathSpec {
  std::vector<Step> schedule;
  Time queue;
  double loss;
};

sim::LinkSpec
LinkOf (const PathSpec &path, Time delay)
{
  sim::LinkSpec link;
  link.bps = path.schedule.front ().rate.GetBitRate ();
  link.delay_ms = delay.GetSeconds () * 1000;
  link.queue.ms = path.queue.GetSeconds () * 1000;
  link.loss.good_loss = path.loss;
  return link;
}

Ptr<PointToPointNetDevice>
BottleneckDevice (Ptr<Node> router)
{
  for (uint32_t i = 0; i < router->GetNDevices (); i++)
    if (auto device = DynamicCast<PointToPointNetDevice> (router->GetDevice (i)))
      return device;
  Fail ("the router has no link");
}

/* One direction of the dumbbell's bottleneck: its schedule, and the story of each packet. */
class Path
{
public:
  Path (bool forward, const PathSpec &spec, sim::Dumbbell &net, PacketLog &log)
      : m_forward (forward), m_spec (spec), m_net (net), m_log (log)
  {
    Ptr<Node> near = forward ? net.left_router () : net.right_router ();
    Ptr<Node> far = forward ? net.right_router () : net.left_router ();
    Ptr<PointToPointNetDevice> device = BottleneckDevice (near);
    near->GetObject<TrafficControlLayer> ()->GetRootQueueDiscOnDevice (device)->TraceConnectWithoutContext (
        "Drop", MakeCallback (&Path::OnQueueDrop, this));
    device->TraceConnectWithoutContext ("PhyTxBegin", MakeCallback (&Path::OnTransmit, this));
    BottleneckDevice (far)->TraceConnectWithoutContext ("PhyRxDrop", MakeCallback (&Path::OnRandomLoss, this));
    m_rate = spec.schedule.front ().rate;
  }

  /* The schedule counts from the first packet, wherever it came from. */
  void
  StartSchedule ()
  {
    for (const Step &step : m_spec.schedule)
      Simulator::Schedule (step.at, &Path::SetRate, this, step.rate);
  }

  void
  Enter (Ptr<const Packet> packet)
  {
    m_inside[packet->GetUid ()] = {Simulator::Now (), Time (-1), packet->GetSize () + headerBytes};
  }

  void
  Leave (Ptr<const Packet> packet)
  {
    Finish (packet, "delivered", Simulator::Now ());
  }

private:
  struct Story {
    Time in;
    Time queueDelay;
    uint32_t size;
  };

  void
  SetRate (DataRate rate)
  {
    m_rate = rate;
    m_net.set_capacity (m_forward, rate.GetBitRate ());
  }

  void
  OnTransmit (Ptr<const Packet> packet)
  {
    auto it = m_inside.find (packet->GetUid ());
    if (it != m_inside.end ())
      it->second.queueDelay = Simulator::Now () - it->second.in;
  }

  void
  OnQueueDrop (Ptr<const QueueDiscItem> item)
  {
    Finish (item->GetPacket (), "queue", Time (0));
  }

  void
  OnRandomLoss (Ptr<const Packet> packet)
  {
    Finish (packet, "random", Time (0));
  }

  void
  Finish (Ptr<const Packet> packet, const char *fate, Time out)
  {
    auto it = m_inside.find (packet->GetUid ());
    if (it == m_inside.end ())
      return;
    const Story &story = it->second;
    m_log.Write (m_forward ? "forward" : "reverse", story.in, out, fate, story.size, story.queueDelay, m_rate);
    m_inside.erase (it);
  }

  bool m_forward;
  PathSpec m_spec;
  sim::Dumbbell &m_net;
  PacketLog &m_log;
  DataRate m_rate;
  std::unordered_map<uint64_t, Story> m_inside;
};

/* A real UDP socket that stands for one simulated host. */
class Side
{
public:
  Side (uint16_t port, uint16_t peerPort)
  {
    m_fd = socket (AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    m_peer = Loopback (peerPort);
    struct sockaddr_in self = Loopback (port);
    if (m_fd < 0 || bind (m_fd, reinterpret_cast<struct sockaddr *> (&self), sizeof self) < 0)
      Fail ("port " + std::to_string (port) + ": " + strerror (errno));
    int bytes = 4 << 20;
    setsockopt (m_fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }

  ~Side ()
  {
    close (m_fd);
  }

  Side (const Side &) = delete;
  Side &operator= (const Side &) = delete;

  int
  GetFd () const
  {
    return m_fd;
  }

  /* The reader's thread: one waiting datagram and where it came from; nothing where none waits. */
  std::shared_ptr<std::vector<uint8_t>>
  Read (struct sockaddr_in *from)
  {
    uint8_t bytes[65536];
    socklen_t length = sizeof *from;
    ssize_t n = recvfrom (m_fd, bytes, sizeof bytes, 0, reinterpret_cast<struct sockaddr *> (from), &length);
    return n < 0 ? nullptr : std::make_shared<std::vector<uint8_t>> (bytes, bytes + n);
  }

  /* The simulator's thread from here on. Answers go to the address that spoke last. */
  void
  SetPeer (const struct sockaddr_in &peer)
  {
    m_peer = peer;
  }

  void
  Write (Ptr<const Packet> packet)
  {
    uint8_t bytes[65536];
    uint32_t n = packet->CopyData (bytes, sizeof bytes);
    if (m_peer.sin_port != 0)
      sendto (m_fd, bytes, n, MSG_DONTWAIT, reinterpret_cast<struct sockaddr *> (&m_peer), sizeof m_peer);
  }

private:
  static struct sockaddr_in
  Loopback (uint16_t port)
  {
    struct sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
    address.sin_port = htons (port);
    return address;
  }

  int m_fd;
  struct sockaddr_in m_peer;
};

struct Options {
  PathSpec forward = {ParseSchedule ("0:1.0M"), MilliSeconds (300), 0};
  PathSpec reverse = {{}, MilliSeconds (300), 0};
  Time delay = MilliSeconds (50);
  Time duration;
  uint32_t seed = 1;
  uint16_t aPort = 0, bPort = 0, peerPort = 0;
  std::string log;
};

sim::DumbbellSpec
NetOf (const Options &options)
{
  sim::DumbbellSpec spec;
  spec.forward = LinkOf (options.forward, options.delay);
  spec.backward = LinkOf (options.reverse, options.delay);
  return spec;
}

/* A dumbbell with one pair of hosts; each host's UDP socket is tied to its Side. */
class Bottleneck
{
public:
  explicit Bottleneck (const Options &options)
      : m_options (options), m_log (options.log), m_net (NetOf (options)),
        m_forward (true, options.forward, m_net, m_log),
        m_reverse (false, options.reverse, m_net, m_log), m_hosts{{options.aPort, 0}, {options.bPort, options.peerPort}}
  {
    m_net.add_pair ();
    Bind (m_hosts[0], m_net.left (0), m_net.right_address (0), m_reverse);
    Bind (m_hosts[1], m_net.right (0), m_net.left_address (0), m_forward);
    sigset_t ends;
    sigemptyset (&ends);
    sigaddset (&ends, SIGINT);
    sigaddset (&ends, SIGTERM);
    m_signals = signalfd (-1, &ends, SFD_CLOEXEC);
    m_quit = eventfd (0, EFD_CLOEXEC);
  }

  ~Bottleneck ()
  {
    close (m_signals);
    close (m_quit);
  }

  void
  Run ()
  {
    std::thread reader;
    Simulator::Schedule (Time (0), [this, &reader] () { reader = std::thread (&Bottleneck::ReadLoop, this); });
    HouseKeeping ();
    if (m_options.duration.IsStrictlyPositive ())
      Simulator::Stop (m_options.duration);
    std::cout << "ready" << std::endl;
    Simulator::Run ();
    uint64_t one = 1;
    if (write (m_quit, &one, sizeof one) < 0)
      Fail ("eventfd");
    reader.join ();
    m_log.Flush ();
    Simulator::Destroy ();
  }

private:
  struct Host {
    Host (uint16_t port, uint16_t peerPort) : side (port, peerPort)
    {
    }
    Side side;
    Ptr<Node> node;
    Ptr<Socket> socket;
  };

  static void
  Bind (Host &host, Ptr<Node> node, Ipv4Address other, Path &arrivals)
  {
    const uint16_t port = 5004;
    host.node = node;
    host.socket = Socket::CreateSocket (node, UdpSocketFactory::GetTypeId ());
    host.socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), port));
    host.socket->Connect (InetSocketAddress (other, port));
    host.socket->SetRecvCallback ([&host, &arrivals] (Ptr<Socket> socket) {
      while (Ptr<Packet> packet = socket->Recv ()) {
        arrivals.Leave (packet);
        host.side.Write (packet);
      }
    });
  }

  /* The log's last lines are never older than this, and a real-time run needs an event to wait for. */
  void
  HouseKeeping ()
  {
    m_log.Flush ();
    Simulator::Schedule (MilliSeconds (100), &Bottleneck::HouseKeeping, this);
  }

  void
  Inject (int i, std::shared_ptr<std::vector<uint8_t>> bytes, struct sockaddr_in from)
  {
    if (!m_started) {
      m_started = true;
      m_log.Start (Simulator::Now ());
      m_forward.StartSchedule ();
      m_reverse.StartSchedule ();
    }
    m_hosts[i].side.SetPeer (from);
    auto packet = Create<Packet> (bytes->data (), bytes->size ());
    (i == 0 ? m_forward : m_reverse).Enter (packet);
    m_hosts[i].socket->Send (packet);
  }

  void
  ReadLoop ()
  {
    prctl (PR_SET_TIMERSLACK, 1);
    struct pollfd fds[4] = {{m_hosts[0].side.GetFd (), POLLIN, 0}, {m_hosts[1].side.GetFd (), POLLIN, 0},
        {m_signals, POLLIN, 0}, {m_quit, POLLIN, 0}};
    while (fds[3].revents == 0) {
      if (poll (fds, 4, -1) < 0)
        continue;
      for (int i = 0; i < 2; i++) {
        struct sockaddr_in from;
        while (auto bytes = m_hosts[i].side.Read (&from))
          Simulator::ScheduleWithContext (
              m_hosts[i].node->GetId (), Time (0), [this, i, bytes, from] () { Inject (i, bytes, from); });
      }
      if (fds[2].revents != 0) {
        Simulator::ScheduleWithContext (Simulator::NO_CONTEXT, Time (0), [] () { Simulator::Stop (); });
        return;
      }
    }
  }

  Options m_options;
  PacketLog m_log;
  sim::Dumbbell m_net;
  Path m_forward, m_reverse;
  Host m_hosts[2];
  bool m_started = false;
  int m_signals, m_quit;
};

void
Usage ()
{
  std::cout << "bottleneck --a-port PORT --b-port PORT --peer-port PORT [options]\n"
               "  datagrams to A cross the forward link and leave B to 127.0.0.1:peer-port;\n"
               "  datagrams to B cross the reverse link and leave A to the address that last sent to A\n"
               "  --forward SCHEDULE   seconds:rate,...   default 0:1.0M; counts from the first packet\n"
               "  --reverse SCHEDULE   default: as forward\n"
               "  --delay TIME         propagation, each way; default 50ms\n"
               "  --queue TIME         drop tail, at the current capacity; default 300ms\n"
               "  --reverse-queue TIME default: as queue\n"
               "  --loss SHARE         random, forward; 0.01 or 1%; default 0\n"
               "  --reverse-loss SHARE default 0\n"
               "  --seed N             of the random loss; default 1\n"
               "  --duration TIME      default: until SIGTERM\n"
               "  --log FILE           a line of CSV for each packet\n";
}

Options
ParseOptions (int argc, char **argv)
{
  Options o;
  bool reverseQueue = false;
  auto port = [] (uint16_t &to) { return [&to] (const std::string &v) { to = atoi (v.c_str ()); }; };
  const std::vector<std::pair<const char *, std::function<void (const std::string &)>>> known = {
      {"a-port", port (o.aPort)},
      {"b-port", port (o.bPort)},
      {"peer-port", port (o.peerPort)},
      {"forward", [&o] (const std::string &v) { o.forward.schedule = ParseSchedule (v); }},
      {"reverse", [&o] (const std::string &v) { o.reverse.schedule = ParseSchedule (v); }},
      {"delay", [&o] (const std::string &v) { o.delay = ParseTime (v); }},
      {"queue", [&o] (const std::string &v) { o.forward.queue = ParseTime (v); }},
      {"reverse-queue",
          [&o, &reverseQueue] (const std::string &v) {
            o.reverse.queue = ParseTime (v);
            reverseQueue = true;
          }},
      {"loss", [&o] (const std::string &v) { o.forward.loss = ParseShare (v); }},
      {"reverse-loss", [&o] (const std::string &v) { o.reverse.loss = ParseShare (v); }},
      {"seed", [&o] (const std::string &v) { o.seed = atoi (v.c_str ()); }},
      {"duration", [&o] (const std::string &v) { o.duration = ParseTime (v); }},
      {"log", [&o] (const std::string &v) { o.log = v; }},
  };
  std::vector<struct option> table;
  for (const auto &entry : known)
    table.push_back ({entry.first, required_argument, nullptr, 0});
  table.push_back ({"help", no_argument, nullptr, 0});
  table.push_back ({});
  int index, c;
  while ((c = getopt_long (argc, argv, "", table.data (), &index)) == 0) {
    if (index == static_cast<int> (known.size ())) {
      Usage ();
      exit (0);
    }
    known[index].second (optarg);
  }
  if (c != -1 || optind != argc || o.aPort == 0 || o.bPort == 0) {
    Usage ();
    exit (2);
  }
  if (o.reverse.schedule.empty ())
    o.reverse.schedule = o.forward.schedule;
  if (!reverseQueue)
    o.reverse.queue = o.forward.queue;
  return o;
}

} // namespace

int
main (int argc, char **argv)
{
  Options options = ParseOptions (argc, argv);
  sigset_t ends;
  sigemptyset (&ends);
  sigaddset (&ends, SIGINT);
  sigaddset (&ends, SIGTERM);
  sigprocmask (SIG_BLOCK, &ends, nullptr);
  prctl (PR_SET_TIMERSLACK, 1);
  GlobalValue::Bind ("SimulatorImplementationType", StringValue ("ns3::RealtimeSimulatorImpl"));
  sim::sim_seed (options.seed);
  Bottleneck (options).Run ();
  return 0;
}
