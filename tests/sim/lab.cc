/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The quality lab's simulated engine: real encoders, rate control, payloaders and decoders in virtual time over an ns-3
   network.

     sim-lab JOB.ini

   The job is a key file. Rates in bit/s with k, M, G; schedules "0:1.0M,40:2.5M" (s:rate) or one rate; times in s.

     [job]     seed=1  duration=60  out=FOLDER
     [hop N]   N = 0, 1, ...: the bottlenecks in a chain, router N to router N + 1
               capacity=SCHEDULE, or trace=FILE (mahimahi: a line for each chance to send 1500 bytes, in ms; repeats)
               delay=0.05 (one way)  queue=0.3 (s of the capacity)  discipline=droptail|red|codel|fq_codel|pie|p-aqm
               ecn=false  loss=0  burst=0 (mean packets lost in a row; 0: independent)  jitter=0  reorder=false
     [reverse N]  the same for the way back over hop N ([reverse] is [reverse 0]); without it: no limit, same delay
     [flow N]  N = 0, 1, ... in any kinds; all: start=0 stop=DURATION access-delay=0 (one way, s, beside the hops')
               enter=0 (first hop) leave=LAST (last hop) direction=forward|reverse
       kind=video  controller=low-delay|rfc5348|low-delay+rtx|fixed:RATE|oracle|gcc
               clip=FILE (raw I420) width height fps
               send=PIPELINE    raw pictures to RTP: "x264enc ... name=encoder ! ratecontrol name=control ! rtph264pay
                                ... mtu=1200 timestamp-offset=0". One thread, or runs differ
               knob=bitrate unit=1000   property of `encoder` for a rate where `control` is missing, bit/s of one step
               encoding-name=H264 depay=rtph264depay request-keyframe=true decode=avdec_h264 max-threads=1
               record=h264parse (without it no received.mkv)
               min max start-rate (wire bit/s)  rates=SCHEDULE (controller oracle: the wire rates it is told)
               latency=0.1 (how long the receiver waits for a gap)  pause=40,60
       kind=tcp    tcp=cubic|newreno|bbr
       kind=short-tcp  flows=10 on=2 (transferring at the start) idle=10 (mean s between transfers) of 30 to 50 KB
       kind=udp    rate packet=1500 (IP bytes)
       kind=audio  rate=20k (20 ms of it in a packet)

   Results, all times in s since the job's start, 6 decimals; sizes are IP packets:
     out/flow-N/   of each video flow: captured.csv sent.csv rates.csv received.csv received.mkv as callkit's sender and
                   receiver leave them, packets.csv as its bottleneck (time zero is the job's start; forward: the media,
                   from the first queue to the receiving host; queue_delay the sum over the hops; capacity of the
                   first), call.json (width height fps max duration seed controller encoder delay queue capacity)
     out/queue.csv    time,hop,direction,flow,bytes,packets,dropped,lost,delay,delay_max   per 0.1 s from `time`, hop,
                   direction (forward, reverse) and flow of the job: what left the hop's queue, what that dropped, what
                   the link lost, mean and greatest time in the queue (s; empty where nothing left). Only where
                   something happened
     out/links.json   {"duration": s, "bin": 0.1, "hops": [{"forward": {"capacity": [[t, bit/s], ...], "delay": s},
                   "reverse": ...}], "flows": [{"kind", "controller", "direction", "enter", "leave", "start", "stop",
                   "rtt": s without queues, "stats": {...}}]}; capacity null: no limit
     stdout           one line of JSON: {"simulated": s, "wall": s, "encode": s, "decode": s, "psnr": s}
   Exit status 0; 1 with a text on stderr where the job cannot be run. */
#include "apps/chain.h"
#include "apps/labjob.h"
#include "apps/labrecord.h"
#include "apps/labvideo.h"
#include "apps/scenario.h"
#include "apps/stopwatch.h"
#include "apps/traffic.h"
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <glib.h>
#include <map>
#include <ns3/core-module.h>

namespace
{

using namespace sim;

constexpr double drain_s = 2; /* what is under way at the end still arrives */

class Lab
{
public:
  explicit Lab (const LabJob &j) : job (j), chain (j.hops), record (chain)
  {
    for (unsigned i = 0; i < job.flows.size (); i++)
      add_flow (i);
  }

  void
  run ()
  {
    ns3::Simulator::Stop (ns3::Seconds (job.duration_s + drain_s));
    ns3::Simulator::Run ();
    for (auto &[number, video] : videos)
      video->finish ();
    record.write_queues (job.out + "/queue.csv");
    write_links ();
  }

private:
  void
  add_flow (unsigned number)
  {
    const LabFlow &flow = job.flows[number];
    unsigned pair = chain.add_pair (flow.place);
    HostPair hosts = chain.hosts (pair, flow.forward);

    if (flow.kind == LabKind::video)
      add_video (number, hosts);
    else
      add_traffic (flow, hosts);
  }

  void
  add_video (unsigned number, const HostPair &hosts)
  {
    const LabFlow &flow = job.flows[number];
    std::string folder = job.out + format ("/flow-%u", number);
    auto &clip = clips[format ("%ux%u ", flow.width, flow.height) + flow.clip];

    std::filesystem::create_directories (folder);
    if (!clip)
      clip = std::make_shared<CodedClip> (flow.clip, flow.width, flow.height);
    videos[number] = std::make_unique<LabVideo> (flow, clip, hosts, folder, job.seed * 1000 + 2 * number);
    record.add_packets (
        number, folder + "/packets.csv", flow.forward, flow.forward ? flow.place.enter : flow.place.leave);
    write_call (flow, folder);
  }

  void
  add_traffic (const LabFlow &flow, const HostPair &hosts)
  {
    constexpr double audio_packet_s = 0.02;
    constexpr unsigned headers = 40;
    ShortTcpSpec tcp;

    tcp.tcp.kind = flow.tcp;
    tcp.tcp.start_s = flow.start_s;
    tcp.tcp.stop_s = flow.stop_s;
    tcp.flows = flow.short_flows;
    tcp.on = flow.short_on;
    tcp.idle_s = flow.short_idle_s;
    if (flow.kind == LabKind::tcp)
      add_tcp (hosts, tcp.tcp);
    else if (flow.kind == LabKind::short_tcp)
      add_short_tcp (hosts, tcp);
    else if (flow.kind == LabKind::udp)
      add_udp (hosts, flow.rate_bps, flow.packet_bytes, flow.start_s, flow.stop_s);
    else
      add_udp (hosts, flow.rate_bps + headers * 8 / audio_packet_s, flow.rate_bps / 8 * audio_packet_s + headers,
          flow.start_s, flow.stop_s);
  }

  static std::string
  quoted (const std::string &text)
  {
    std::string result = "\"";

    for (char c : text) {
      if (c == '"' || c == '\\')
        result += '\\';
      result += c;
    }
    return result + "\"";
  }

  void
  write_call (const LabFlow &flow, const std::string &folder) const
  {
    const LinkSpec &link = job.hops[flow.place.enter].forward.link;

    std::ofstream (folder + "/call.json")
        << format ("{\"width\": %u, \"height\": %u, \"fps\": %g, \"max\": %.0f, \"duration\": %g, \"seed\": %lu, ",
               flow.width, flow.height, flow.fps, flow.max_bps, job.duration_s, (unsigned long)job.seed)
        << format ("\"delay\": %g, \"queue\": %g, ", link.delay_ms / 1000, link.queue.ms / 1000)
        << "\"controller\": " << quoted (flow.controller) << ", \"encoder\": " << quoted (flow.send)
        << ", \"clip\": " << quoted (flow.clip) << "}\n";
  }

  static std::string
  link_json (const ChainLinkSpec &spec)
  {
    std::string steps = format ("[0, %.0f]", spec.link.bps);

    for (const CapacityStep &step : spec.link.schedule)
      steps += format (", [%g, %.0f]", step.at_s, step.bps);
    return "{\"capacity\": " + (spec.link.bps > 0 ? "[" + steps + "]" : std::string ("null")) +
           format (", \"delay\": %g}", spec.link.delay_ms / 1000);
  }

  std::string
  flow_json (unsigned number) const
  {
    const LabFlow &f = job.flows[number];
    auto video = videos.find (number);

    return "{\"kind\": " + quoted (f.kind_name) + ", \"controller\": " + quoted (f.controller) +
           format (", \"direction\": \"%s\", \"enter\": %u, \"leave\": %u, \"start\": %g, \"stop\": %g, \"rtt\": %g",
               f.forward ? "forward" : "reverse", f.place.enter, f.place.leave, f.start_s, f.stop_s,
               chain.base_rtt_s (number)) +
           ", \"stats\": " + (video == videos.end () ? "{}" : video->second->stats_json ()) + "}";
  }

  void
  write_links () const
  {
    std::ofstream file (job.out + "/links.json");

    file << format ("{\"duration\": %g, \"bin\": %g,\n \"hops\": [", job.duration_s, LabRecord::bin_s);
    for (size_t i = 0; i < job.hops.size (); i++)
      file << (i ? ",\n  " : "") << "{\"forward\": " << link_json (job.hops[i].forward)
           << ", \"reverse\": " << link_json (job.hops[i].backward) << "}";
    file << "],\n \"flows\": [";
    for (size_t i = 0; i < job.flows.size (); i++)
      file << (i ? ",\n  " : "") << flow_json (i);
    file << "]}\n";
  }

  LabJob job;
  Chain chain;
  LabRecord record;
  std::map<std::string, std::shared_ptr<const CodedClip>> clips;
  std::map<unsigned, std::unique_ptr<LabVideo>> videos;
};

} // namespace

int
main (int argc, char **argv)
{
  auto since = std::chrono::steady_clock::now ();

  if (argc != 2) {
    fprintf (stderr, "usage: sim-lab JOB.ini\n");
    return 1;
  }
  LabJob job = read_lab_job (argv[1]);
  std::filesystem::create_directories (job.out);
  sim_seed (job.seed);
  g_random_set_seed (job.seed); /* what payloaders and muxers draw */
  Lab (job).run ();
  ns3::Simulator::Destroy ();
  double wall_s = std::chrono::duration<double> (std::chrono::steady_clock::now () - since).count ();
  const double *spent = Stopwatch::spent_s;
  printf ("{\"simulated\": %g, \"wall\": %.3f, \"encode\": %.3f, \"decode\": %.3f, \"psnr\": %.3f}\n", job.duration_s,
      wall_s, spent[Stopwatch::encode], spent[Stopwatch::decode] - spent[Stopwatch::compare],
      spent[Stopwatch::compare]);
  return 0;
}
