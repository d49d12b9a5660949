/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A network bottleneck in real time, without privilege: UDP sockets on loopback and, between them, the simulations'
   chain of hops with their queues, capacities, delays, losses and jitter. A datagram that arrives at a flow's A side
   crosses it as an IPv4/UDP packet of its size and leaves the B side to the peer; what the peer answers to the B side
   crosses the way back to whoever sent to A. Beside such flows the traffic of simulated hosts can cross the same
   queues: TCP, UDP. `bottleneck --help` lists the options. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "apps/chain.h"
#include "apps/labjob.h"
#include "apps/lablinks.h"
#include "apps/labrecord.h"
#include "apps/labtraffic.h"
#include <ns3/core-module.h>

using namespace ns3;

namespace
{

[[noreturn]] void
Fail (const std::string &what)
{
  std::cerr << "bottleneck: " << what << std::endl;
  exit (2);
}

/* "1.5M", "600k" or "250000" in bit/s. */
double
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
  return value;
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

/* "0:1.0M,40:2.5M" (seconds:rate), or one rate for all time. */
void
ParseSchedule (const std::string &text, sim::LinkSpec *link)
{
  link->schedule.clear ();
  for (size_t pos = 0; pos <= text.size ();) {
    size_t comma = std::min (text.find (',', pos), text.size ());
    std::string item = text.substr (pos, comma - pos);
    size_t colon = item.find (':');
    double at = colon == std::string::npos ? 0 : ParseTime (item.substr (0, colon)).GetSeconds ();
    link->schedule.push_back ({at, ParseRate (colon == std::string::npos ? item : item.substr (colon + 1))});
    pos = comma + 1;
  }
  if (link->schedule.front ().at_s != 0)
    Fail ("a schedule starts at 0: " + text);
  link->bps = link->schedule.front ().bps;
  link->schedule.erase (link->schedule.begin ());
}

/* A datagram on its way from a real socket to a simulated one. */
struct Datagram {
  std::vector<uint8_t> bytes;
  uint8_t tos; /* with its ECN bits */
  struct sockaddr_in from;
};

/* The IP_TOS message of what was received; 0: there is none. */
uint8_t
TosOf (struct msghdr *message)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != nullptr; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
      return *CMSG_DATA (c);
  return 0;
}

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
    int yes = 1;
    setsockopt (m_fd, IPPROTO_IP, IP_RECVTOS, &yes, sizeof yes);
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

  /* The reader's thread: one waiting datagram; nothing where none waits. */
  std::shared_ptr<Datagram>
  Read ()
  {
    uint8_t bytes[65536], control[CMSG_SPACE (sizeof (int))];
    struct sockaddr_in from;
    struct iovec piece = {bytes, sizeof bytes};
    struct msghdr message = {&from, sizeof from, &piece, 1, control, sizeof control, 0};
    ssize_t n = recvmsg (m_fd, &message, 0);
    if (n < 0)
      return nullptr;
    return std::make_shared<Datagram> (Datagram{{bytes, bytes + n}, TosOf (&message), from});
  }

  /* The simulator's thread from here on. Answers go to the address that spoke last. */
  void
  SetPeer (const struct sockaddr_in &peer)
  {
    m_peer = peer;
  }

  void
  Write (const uint8_t *bytes, size_t size, int tos)
  {
    alignas (struct cmsghdr) uint8_t control[CMSG_SPACE (sizeof tos)] = {};
    struct iovec piece = {const_cast<uint8_t *> (bytes), size};
    struct msghdr message = {&m_peer, sizeof m_peer, &piece, 1, control, sizeof control, 0};
    struct cmsghdr *c = CMSG_FIRSTHDR (&message);

    if (m_peer.sin_port == 0)
      return;
    c->cmsg_level = IPPROTO_IP;
    c->cmsg_type = IP_TOS;
    c->cmsg_len = CMSG_LEN (sizeof tos);
    memcpy (CMSG_DATA (c), &tos, sizeof tos);
    sendmsg (m_fd, &message, MSG_DONTWAIT);
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

constexpr double patience_s = 30; /* after a job's end, until somebody stops us */

/* One flow between real sockets. */
struct RealFlow {
  unsigned number; /* in the job */
  uint16_t aPort, bPort, peerPort;
  std::string log; /* a line of CSV for each packet; empty: none */
};

struct Options {
  sim::LabJob job;
  std::vector<RealFlow> flows;
  bool told = false;   /* when to start, by a line on standard input; else the first datagram says */
  bool record = false; /* what crossed the queues, and the links, in the job's folder */
};

/* The two ends of a real flow: sockets of this machine tied to sockets of simulated hosts. */
class Ends
{
public:
  Ends (const RealFlow &real, const sim::HostPair &forth, const sim::HostPair &back)
      : m_hosts{{real.aPort, 0}, {real.bPort, real.peerPort}}
  {
    Bind (m_hosts[0], forth.from, forth.to_address);
    Bind (m_hosts[1], back.from, back.to_address);
  }

  Ends (const Ends &) = delete;
  Ends &operator= (const Ends &) = delete;

  int
  GetFd (unsigned i) const
  {
    return m_hosts[i].side.GetFd ();
  }

  /* The reader's thread: hands all that waits at a side to its simulated host. */
  void
  Read (unsigned i)
  {
    while (auto datagram = m_hosts[i].side.Read ())
      Simulator::ScheduleWithContext (
          m_hosts[i].node->GetId (), Time (0), [this, i, datagram] () { Inject (i, *datagram); });
  }

  /* Before the network's time begins: hands all that waits at a side straight to the other. */
  void
  Pass (unsigned i)
  {
    while (auto datagram = m_hosts[i].side.Read ()) {
      m_hosts[i].side.SetPeer (datagram->from);
      m_hosts[1 - i].side.Write (datagram->bytes.data (), datagram->bytes.size (), datagram->tos);
    }
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

  /* What the simulated host gets leaves by its side. */
  static void
  Bind (Host &host, Ptr<Node> node, Ipv4Address other)
  {
    const uint16_t port = 5004;
    host.node = node;
    host.socket = Socket::CreateSocket (node, UdpSocketFactory::GetTypeId ());
    host.socket->Bind (InetSocketAddress (Ipv4Address::GetAny (), port));
    host.socket->Connect (InetSocketAddress (other, port));
    host.socket->SetIpRecvTos (true);
    host.socket->SetRecvCallback ([&host] (Ptr<Socket> socket) {
      uint8_t bytes[65536];

      while (Ptr<Packet> packet = socket->Recv ()) {
        SocketIpTosTag tos;
        packet->PeekPacketTag (tos);
        host.side.Write (bytes, packet->CopyData (bytes, sizeof bytes), tos.GetTos ());
      }
    });
  }

  void
  Inject (unsigned i, const Datagram &datagram)
  {
    m_hosts[i].side.SetPeer (datagram.from);
    m_hosts[i].socket->SetIpTos (datagram.tos);
    m_hosts[i].socket->Send (Create<Packet> (datagram.bytes.data (), datagram.bytes.size ()));
  }

  Host m_hosts[2];
};

/* The hops, the simulated traffic and the real flows. */
class Bottleneck
{
public:
  explicit Bottleneck (const Options &options) : m_options (options), m_chain (options.job.hops), m_record (m_chain)
  {
    for (const sim::LabFlow &flow : options.job.flows)
      AddFlow (flow);
    for (const RealFlow &real : options.flows)
      m_ends.push_back (std::make_unique<Ends> (
          real, m_chain.hosts (real.number, Of (real).forward), m_chain.hosts (real.number, !Of (real).forward)));
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
    std::cout << "ready" << std::endl;
    if (!(m_options.told ? WaitUntilTold () : WaitForDatagram ()))
      return;
    Simulator::Schedule (Time (0), [this, &reader] () {
      StartLogs ();
      reader = std::thread (&Bottleneck::ReadLoop, this);
    });
    HouseKeeping ();
    if (m_options.job.duration_s > 0)
      Simulator::Stop (Seconds (m_options.job.duration_s + (m_options.record ? patience_s : 0)));
    Simulator::Run ();
    uint64_t one = 1;
    if (write (m_quit, &one, sizeof one) < 0)
      Fail ("eventfd");
    reader.join ();
    if (m_options.record) {
      m_record.write_queues (m_options.job.out + "/queue.csv");
      sim::write_lab_links (m_options.job, m_chain, {});
    }
    m_record.flush ();
    Simulator::Destroy ();
  }

private:
  const sim::LabFlow &
  Of (const RealFlow &real) const
  {
    return m_options.job.flows.at (real.number);
  }

  void
  AddFlow (const sim::LabFlow &flow)
  {
    unsigned pair = m_chain.add_pair (flow.place);

    if (flow.kind != sim::LabKind::video)
      sim::add_lab_traffic (flow, m_chain.hosts (pair, flow.forward));
  }

  void
  StartLogs ()
  {
    const double now = Now ();
    for (const RealFlow &real : m_options.flows) {
      const sim::LabFlow &flow = Of (real);
      if (!real.log.empty ())
        m_record.add_packets (
            real.number, real.log, flow.forward, flow.forward ? flow.place.enter : flow.place.leave, now);
    }
  }

  /* CLOCK_MONOTONIC, s */
  static double
  Now ()
  {
    struct timespec ts;

    clock_gettime (CLOCK_MONOTONIC, &ts);
    return ts.tv_sec + ts.tv_nsec * 1e-9;
  }

  std::vector<struct pollfd>
  Descriptors () const
  {
    std::vector<struct pollfd> fds = {{m_signals, POLLIN, 0}, {m_quit, POLLIN, 0}};
    for (const auto &ends : m_ends)
      for (unsigned i = 0; i < 2; i++)
        fds.push_back ({ends->GetFd (i), POLLIN, 0});
    return fds;
  }

  /* false: it is over before it began. */
  bool
  WaitForDatagram () const
  {
    std::vector<struct pollfd> fds = Descriptors ();
    double patience = m_options.job.duration_s > 0 ? m_options.job.duration_s + patience_s : 0;

    int n = poll (fds.data (), fds.size (), patience > 0 && patience < 1e6 ? static_cast<int> (1000 * patience) : -1);
    return n > 0 && fds[0].revents == 0;
  }

  /* Waits for a signal, datagrams, which it passes, and CLOCK_MONOTONIC `until` s; until infinity: for a line on
     standard input. Returns whether there is a line, and a signal. */
  std::pair<bool, bool>
  WaitAndPass (double until)
  {
    std::vector<struct pollfd> fds = Descriptors ();
    double left = std::clamp (until - Now (), 0.0, 1e6);
    struct timespec timeout = {static_cast<time_t> (left), static_cast<long> ((left - floor (left)) * 1e9)};

    fds[1] = {std::isfinite (until) ? -1 : STDIN_FILENO, POLLIN, 0};
    if (ppoll (fds.data (), fds.size (), std::isfinite (until) ? &timeout : nullptr, nullptr) <= 0)
      return {false, false};
    for (size_t i = 2; i < fds.size (); i++)
      if (fds[i].revents != 0)
        m_ends[(i - 2) / 2]->Pass (i % 2);
    return {fds[1].revents != 0, fds[0].revents != 0};
  }

  /* A line "start T", s of CLOCK_MONOTONIC. What sets calls up, arriving before T, meets no network. */
  bool
  WaitUntilTold ()
  {
    std::string word;
    double at;
    bool line = false, signal = false;

    prctl (PR_SET_TIMERSLACK, 1);
    while (!line && !signal)
      std::tie (line, signal) = WaitAndPass (INFINITY);
    if (signal || !(std::cin >> word >> at) || word != "start")
      return false;
    while (!signal && Now () < at)
      std::tie (line, signal) = WaitAndPass (at);
    return !signal;
  }

  /* The log's last lines are never older than this, and a real-time run needs an event to wait for. */
  void
  HouseKeeping ()
  {
    m_record.flush ();
    Simulator::Schedule (MilliSeconds (100), &Bottleneck::HouseKeeping, this);
  }

  void
  ReadLoop ()
  {
    std::vector<struct pollfd> fds = Descriptors ();

    prctl (PR_SET_TIMERSLACK, 1);
    while (fds[1].revents == 0) {
      if (poll (fds.data (), fds.size (), -1) < 0)
        continue;
      for (size_t i = 2; i < fds.size (); i++)
        if (fds[i].revents != 0)
          m_ends[(i - 2) / 2]->Read (i % 2);
      if (fds[0].revents != 0) {
        Simulator::ScheduleWithContext (Simulator::NO_CONTEXT, Time (0), [] () { Simulator::Stop (); });
        return;
      }
    }
  }

  Options m_options;
  sim::Chain m_chain;
  sim::LabRecord m_record;
  std::vector<std::unique_ptr<Ends>> m_ends;
  int m_signals, m_quit;
};

void
Usage ()
{
  std::cout << "bottleneck --a-port PORT --b-port PORT --peer-port PORT [options]\n"
               "  datagrams to A cross the forward link and leave B to 127.0.0.1:peer-port;\n"
               "  datagrams to B cross the reverse link and leave A to the address that last sent to A.\n"
               "  Times count from the first datagram.\n"
               "  --forward SCHEDULE   seconds:rate,...   default 0:1.0M\n"
               "  --reverse SCHEDULE   default: as forward\n"
               "  --delay TIME         propagation, each way; default 50ms\n"
               "  --queue TIME         drop tail, at the current capacity; default 300ms\n"
               "  --reverse-queue TIME default: as queue\n"
               "  --loss SHARE         random, forward; 0.01 or 1%; default 0\n"
               "  --reverse-loss SHARE default 0\n"
               "  --seed N             of the random loss; default 1\n"
               "  --duration TIME      default: until SIGTERM\n"
               "  --log FILE           a line of CSV for each packet\n"
               "bottleneck --job FILE --flow N:A:B:PEER ...\n"
               "  the network and the other traffic of a job of sim-lab (tests/sim/lab.cc); its video flow N has the "
               "ports A,\n"
               "  B and PEER. Time 0 is when \"start T\" on standard input says, in s of CLOCK_MONOTONIC, or the first "
               "datagram; what arrives before T is handed on at once.\n"
               "  Leaves flow-N/packets.csv, queue.csv and links.json in the job's folder.\n"
               "  --start WHAT         told or datagram; default told\n"
               "  --log FILE           instead of flow-N/packets.csv, of one flow\n";
}

/* "N:A:B:PEER" */
RealFlow
ParseFlow (const std::string &text)
{
  RealFlow flow;
  unsigned ports[3];

  if (sscanf (text.c_str (), "%u:%u:%u:%u", &flow.number, &ports[0], &ports[1], &ports[2]) != 4)
    Fail ("no flow: " + text);
  flow.aPort = ports[0];
  flow.bPort = ports[1];
  flow.peerPort = ports[2];
  return flow;
}

void
ReadJob (const std::string &path, const std::string &log, Options *o)
{
  o->job = sim::read_lab_job (path);
  o->record = true;
  for (RealFlow &real : o->flows) {
    if (real.number >= o->job.flows.size () || o->job.flows[real.number].kind != sim::LabKind::video)
      Fail ("the job has no such video flow: " + std::to_string (real.number));
    real.log = !log.empty () ? log : o->job.out + "/flow-" + std::to_string (real.number) + "/packets.csv";
  }
}

sim::ChainLinkSpec
DefaultLink ()
{
  sim::ChainLinkSpec spec;

  spec.link.delay_ms = 50;
  spec.link.queue.ms = 300;
  return spec;
}

Options
ParseOptions (int argc, char **argv)
{
  Options o;
  RealFlow single = {0, 0, 0, 0, ""};
  sim::ChainHopSpec hop = {DefaultLink (), DefaultLink ()};
  sim::LinkSpec &forward = hop.forward.link, &back = hop.backward.link;
  bool reverseQueue = false;
  std::string job, start = "told";

  ParseSchedule ("1.0M", &forward);
  o.job.seed = 1;
  o.job.duration_s = 0;
  auto port = [] (uint16_t &to) { return [&to] (const std::string &v) { to = atoi (v.c_str ()); }; };
  const std::vector<std::pair<const char *, std::function<void (const std::string &)>>> known = {
      {"a-port", port (single.aPort)},
      {"b-port", port (single.bPort)},
      {"peer-port", port (single.peerPort)},
      {"forward", [&] (const std::string &v) { ParseSchedule (v, &forward); }},
      {"reverse", [&] (const std::string &v) { ParseSchedule (v, &back); }},
      {"delay", [&] (const std::string &v) { forward.delay_ms = back.delay_ms = 1e3 * ParseTime (v).GetSeconds (); }},
      {"queue", [&] (const std::string &v) { forward.queue.ms = 1e3 * ParseTime (v).GetSeconds (); }},
      {"reverse-queue",
          [&] (const std::string &v) {
            back.queue.ms = 1e3 * ParseTime (v).GetSeconds ();
            reverseQueue = true;
          }},
      {"loss", [&] (const std::string &v) { forward.loss.good_loss = ParseShare (v); }},
      {"reverse-loss", [&] (const std::string &v) { back.loss.good_loss = ParseShare (v); }},
      {"seed", [&] (const std::string &v) { o.job.seed = atoi (v.c_str ()); }},
      {"duration", [&] (const std::string &v) { o.job.duration_s = ParseTime (v).GetSeconds (); }},
      {"log", [&] (const std::string &v) { single.log = v; }},
      {"job", [&] (const std::string &v) { job = v; }},
      {"start",
          [&] (const std::string &v) {
            if (v != "told" && v != "datagram")
              Fail ("--start is told or datagram, not " + v);
            start = v;
          }},
      {"flow", [&] (const std::string &v) { o.flows.push_back (ParseFlow (v)); }},
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
  if (c != -1 || optind != argc || (job.empty () && (single.aPort == 0 || single.bPort == 0))) {
    Usage ();
    exit (2);
  }
  if (!job.empty ()) {
    o.told = start == "told";
    ReadJob (job, single.log, &o);
    return o;
  }
  if (back.bps == 0) {
    back.bps = forward.bps;
    back.schedule = forward.schedule;
  }
  if (!reverseQueue)
    back.queue.ms = forward.queue.ms;
  o.job.hops = {hop};
  o.job.flows.emplace_back ();
  o.job.flows[0].forward = true;
  o.flows = {single};
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
  sim::sim_seed (options.job.seed);
  Bottleneck (options).Run ();
  return 0;
}
