/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real encoders inside the simulation, obeying mode=low-delay over a link whose capacity halves and doubles. */
#include "ccflow.h"
#include "encodersource.h"
#include "scenario.h"
#include <ns3/core-module.h>

using namespace sim;

static void
capacity_steps (Report &report, const std::string &encoder)
{
  if (!EncoderSource::available (encoder)) {
    printf ("  SKIP: no plug-in for %s\n", encoder.c_str ());
    return;
  }
  double phase_s = report.options ().quick ? 10 : 30;
  DumbbellSpec net_spec;
  EncoderSpec spec;

  spec.encoder = encoder;
  /* Noise over a moving pattern: enough detail to fill a megabit. */
  spec.pictures = "videotestsrc pattern=zone-plate kx2=12 ky2=10 kt=3 kxt=1";
  net_spec.forward.bps = 1e6;
  net_spec.forward.delay_ms = 50;
  net_spec.forward.schedule = {{phase_s, 0.5e6}, {2 * phase_s, 1e6}};
  Dumbbell net (net_spec);
  net.add_pair ();
  auto source = std::make_shared<EncoderSource> (spec);
  CcFlow flow = add_cc_flow (net, 0, cc_flow_spec (CC_MODE_LOW_DELAY, source));
  ns3::Simulator::Stop (ns3::Seconds (3 * phase_s));
  ns3::Simulator::Run ();
  const RateSeries &received = net.forward ().pair[0].received;
  double produced = source->frame_bytes.mean () * 8 * spec.fps;
  report.check (encoder + " produced / asked", produced / source->asked_bps.mean (), 0.75, 1.15, "1");
  report.check (encoder + " use of 1 Mb/s", received.mean_bps (phase_s * 0.6, phase_s) / 1e6, 0.6, 1);
  report.check (encoder + " use of 0.5 Mb/s", received.mean_bps (phase_s * 1.5, phase_s * 2) / 0.5e6, 0.6, 1);
  report.check (encoder + " whole frames / offered",
      (double)flow.receiver->frames ().size () / flow.sender->frames_offered, 0.9, 1);
  report.check (encoder + " p95 queue delay at 0.5 Mb/s, ms",
      net.forward ().pair[0].queue_delay.percentile (0.95, phase_s * 1.5, phase_s * 2) * 1000, 0, 150);
  report.note (encoder + " key units", source->key_units);
  Csv csv (report.options (), "encoder-" + encoder, "time_s,asked_bps,frame_bytes");
  for (size_t i = 0; i < source->asked_bps.size (); i++)
    csv.row ({source->asked_bps.samples ()[i].at_s, source->asked_bps.samples ()[i].value,
        source->frame_bytes.samples ()[i].value});
  ns3::Simulator::Destroy ();
}

int
main (int argc, char **argv)
{
  return run_scenarios (argc, argv,
      {{"x264", "x264 follows the rate through 1, 0.5 and 1 Mb/s", true,
           [] (Report &report) { capacity_steps (report, "x264"); }},
          {"vp8", "vp8 follows the rate through 1, 0.5 and 1 Mb/s", true,
              [] (Report &report) { capacity_steps (report, "vp8"); }}});
}
