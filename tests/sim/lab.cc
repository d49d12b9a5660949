/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The quality lab's simulated engine: real encoders, rate control, payloaders and decoders in virtual time over an ns-3
   network.

     sim-lab JOB.ini

   The job is a key file. Rates in bit/s with k, M, G; schedules "0:1.0M,40:2.5M" (s:rate) or one rate; times in s.

     [job]     seed=1  duration=60  out=FOLDER
     [hop N]   N = 0, 1, ...: the bottlenecks in a chain, router N to router N + 1
               capacity=SCHEDULE, or trace=FILE (mahimahi: a line for each chance to send 1500 bytes, in ms; repeats)
               delay=0.05 (one way)  queue=0.3 (s of the capacity)  ecn=false
               discipline=droptail|red|ared|codel|fq_codel|pie|p-aqm (ared: RED that adapts max_p)
               flow-life=2 media-target-time=0.02 (paqmshaper's, of p-aqm)
                loss=0  burst=0 (mean packets lost in a row; 0: independent)  jitter=0  reorder=false
     [reverse N]  the same for the way back over hop N ([reverse] is [reverse 0]); without it: no limit, same delay
     [flow N]  N = 0, 1, ... in any kinds; all: start=0 stop=DURATION access-delay=0 (one way, s, beside the hops')
               access-rate=0 (of the links beside the hops; 0: 1G)  ect=false (packets may be marked; with tcp: ECN)
               (a video flow's first picture is taken up to a frame period after start, by the seed)
               enter=0 (first hop) leave=LAST (last hop) direction=forward|reverse
       kind=video  controller=low-delay|rfc5348|fixed:RATE|oracle|gcc|rtptfrcbwe
                   (the first two repair as tfrcsrc's repair=auto plans it: packets sent again and sums; with +byrtx or
                   +byfec one kind alone, with +rtx packets sent again as rtprtxsend does, with +norepair nothing; with
                   +erf p-aqm hops are asked for a rate; gcc+rtx, rtptfrcbwe+rtx: asked for and answered as webrtcsink
                   and a browser do)
                   max-delay=0.15 weight=1 (of tfrcsink; of rtptfrcbwe its path-weight)
               clip=FILE (raw I420) width height fps
               send=PIPELINE    raw pictures to RTP: "x264enc ... name=encoder ! ratecontrol name=control ! rtph264pay
                                ... mtu=1200 timestamp-offset=0". One thread, or runs differ
               knob=bitrate unit=1000   property of `encoder` for a rate where `control` is missing, bit/s of one step
               encoding-name=H264 depay=rtph264depay request-keyframe=true decode=avdec_h264 max-threads=1
               record=h264parse (without it no received.mkv)
               min max start-rate (wire bit/s)  rates=SCHEDULE (controller oracle: the wire rates it is told)
               latency=0.1 (how long the receiver waits for a gap; the least for a planned repair, which may take 0.4)
               pause=40,60
       kind=recorded  frames of out/coded-clips.txt (coded-clips.py), chosen by the rate, and no pictures; keys:
                   controller start-rate min max max-delay rates as of video; nothing in flow-N
       kind=tcp    tcp=cubic|newreno|bbr
       kind=short-tcp  flows=10 on=2 (transferring at the start) idle=10 (mean s between transfers) of 30 to 50 KB
       kind=udp    rate packet=1500 (IP bytes)
       kind=audio  rate=20k (20 ms of it in a packet, beside 16k of headers)

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
     stdout           one line of JSON: {"simulated": s, "wall": s, "cpu": s, "encode": s, "decode": s, "psnr": s}, the
   last three parts of cpu Exit status 0; 1 with a text on stderr where the job cannot be run. */
#include "apps/chain.h"
#include "apps/labjob.h"
#include "apps/lablinks.h"
#include "apps/labrecord.h"
#include "apps/labtraffic.h"
#include "apps/labvideo.h"
#include "apps/scenario.h"
#include "apps/stopwatch.h"
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <glib.h>
#include <map>
#include <ns3/core-module.h>
#include <unistd.h>

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
    std::map<unsigned, std::string> stats;
    for (auto &[number, video] : videos)
      stats[number] = video->stats_json ();
    write_lab_links (job, chain, stats);
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
    else if (flow.kind == LabKind::recorded)
      videos[number] = std::make_unique<LabVideo> (flow, nullptr, hosts, "", seed_of (number));
    else
      add_lab_traffic (flow, hosts);
  }

  uint64_t
  seed_of (unsigned number) const
  {
    return job.seed * 1000 + 2 * number;
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
    videos[number] = std::make_unique<LabVideo> (flow, clip, hosts, folder, seed_of (number));
    record.add_packets (
        number, folder + "/packets.csv", flow.forward, flow.forward ? flow.place.enter : flow.place.leave);
    write_call (flow, folder);
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
  std::set_terminate ([] { _exit (1); }); /* the text has been printed */
  LabJob job = read_lab_job (argv[1]);
  std::filesystem::create_directories (job.out);
  sim_seed (job.seed);
  g_random_set_seed (job.seed); /* what payloaders and muxers draw */
  Lab (job).run ();
  ns3::Simulator::Destroy ();
  double wall_s = std::chrono::duration<double> (std::chrono::steady_clock::now () - since).count ();
  const double *spent = Stopwatch::spent_s;
  printf ("{\"simulated\": %g, \"wall\": %.3f, \"cpu\": %.3f, \"encode\": %.3f, \"decode\": %.3f, \"psnr\": %.3f}\n",
      job.duration_s, wall_s, Stopwatch::now_s (), spent[Stopwatch::encode],
      spent[Stopwatch::decode] - spent[Stopwatch::compare], spent[Stopwatch::compare]);
  return 0;
}
