/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labvideo.h"
#include "ccflow.h"
#include "hostedsender.h"
#include "scenario.h"
#include <algorithm>
#include <ns3/simulator.h>

using namespace ns3;

namespace sim
{

static const double sending_rest_s = 1;

/* Cameras keep no common time: flows that start together take their pictures at different ones. */
static double
phase_s (uint64_t seed, double fps)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, seed);

  return random.next (random.user) / 4294967296.0 / fps;
}

LabVideo::LabVideo (
    const LabFlow &f, std::shared_ptr<const CodedClip> c, const HostPair &hosts, const std::string &where, uint64_t s)
    : flow (f), clip (c), folder (where), seed (s)
{
  flow.start_s += phase_s (seed, flow.fps);
  if (flow.kind == LabKind::recorded)
    make_recorded ();
  else
    make_media ();
  std::string base = flow.controller;
  for (const std::string option : {"+rtx", "+erf", "+norepair", "+byrtx", "+byfec"})
    if (has_option (option))
      base.erase (base.find (option), option.size ());
  const std::string hosted = flow.controller == base + "+rtx" ? base : flow.controller; /* no other option */
  if (base == "low-delay")
    use_cc (hosts, CC_MODE_LOW_DELAY);
  else if (base == "rfc5348")
    use_cc (hosts, CC_MODE_RFC5348);
  else if (hosted == "gcc")
    use_hosted (hosts, "rtpgccbwe");
  else if (hosted == "rtptfrcbwe")
    use_hosted (hosts, "rtptfrcbwe");
  else if (flow.controller == "oracle" || flow.controller.rfind ("fixed:", 0) == 0)
    use_plain (hosts);
  else
    NS_ABORT_MSG ("no controller " << flow.controller);
}

void
LabVideo::make_media ()
{
  CodedSourceSpec out;
  CodedSinkSpec in;

  out.clip = in.clip = clip;
  out.fps = in.fps = flow.fps;
  out.folder = in.folder = folder;
  out.pipeline = flow.send;
  out.knob = flow.knob;
  out.knob_unit = flow.knob_unit;
  out.pause_from_s = flow.pause_from_s;
  out.pause_to_s = flow.pause_to_s;
  source = coded = std::make_shared<CodedSource> (out);
  in.encoding_name = flow.encoding_name;
  in.depay = flow.depay;
  in.decode = flow.decode;
  in.record = flow.record;
  in.latency_s = flow.latency_s;
  in.captured = [this] (uint64_t frame) { return coded->captured (frame); };
  sink = shown = std::make_shared<CodedSink> (in);
}

/* Of the 153 groups of the usual recording; 43 leads through all of them. */
static const unsigned group_stride = 43;
static const double headers_part = 0.05; /* of the wire rate, about */

void
LabVideo::make_recorded ()
{
  RecordedSourceSpec out;

  out.start_bps = (1 - headers_part) * flow.start_bps;
  out.max_bps = (1 - headers_part) * flow.max_bps;
  out.first_group = seed / 2 % 1000 * group_stride;
  source = std::make_shared<RecordedSource> (out);
  sink = std::make_shared<RecordedSink> ();
}

void
LabVideo::place (Ptr<Application> sender, Ptr<Application> receiver, const HostPair &hosts)
{
  hosts.from->AddApplication (sender);
  hosts.to->AddApplication (receiver);
  sender->SetStartTime (Seconds (flow.start_s));
  /* Pictures end first, so that the last of them still leave. */
  Simulator::Schedule (Seconds (flow.stop_s), &RtpSource::stop, source.get ());
  sender->SetStopTime (Seconds (flow.stop_s + sending_rest_s));
}

bool
LabVideo::has_option (const std::string &option) const
{
  return (flow.controller + "+").find (option + "+") != std::string::npos;
}

/* As tfrcsink and tfrcsrc do by default, in every mode: all packets carry send times. Recorded frames have no packets
   to mend. */
RepairSpec
LabVideo::repair () const
{
  RepairSpec spec;

  spec.planned = coded && !has_option ("+norepair") && !has_option ("+rtx");
  spec.rtx = !has_option ("+byfec");
  spec.fec = !has_option ("+byrtx");
  spec.least_s = flow.latency_s;
  return spec;
}

void
LabVideo::use_cc (const HostPair &hosts, CcMode mode)
{
  CcFlowSpec spec = cc_flow_spec (mode, nullptr);

  spec.sender.rtp = source;
  spec.sender.peer = hosts.to_address;
  spec.sender.seed = seed;
  spec.sender.ect = flow.ect;
  spec.sender.ask_rate = spec.sender.params.probe = has_option ("+erf");
  spec.sender.params.pays_resent = coded != nullptr; /* as in tfrcsink */
  spec.sender.params.weight = spec.receiver.params.path.weight = flow.weight;
  spec.sender.params.start_Bps = flow.start_bps / 8;
  spec.sender.params.min_Bps = flow.min_bps / 8;
  spec.sender.params.max_Bps = flow.max_bps / 8;
  if (flow.max_delay_s > 0)
    spec.sender.params.buffer.max_delay = cc_duration (flow.max_delay_s);
  spec.receiver.sink = sink;
  spec.receiver.codec = coded ? rtp_codec_from_name (flow.encoding_name.c_str ()) : RTP_CODEC_INTRA;
  spec.receiver.nack_latency_s = has_option ("+rtx") ? flow.latency_s : 0;
  spec.receiver.repair = repair ();
  spec.sender.repairs = spec.receiver.repair.planned;
  spec.receiver.timing = FeedbackTiming::avpf;
  spec.receiver.path_report = true;
  spec.receiver.seed = seed + 1;
  cc_sender = CreateObject<CcSenderApplication> ();
  cc_receiver = CreateObject<CcReceiverApplication> ();
  cc_sender->configure (spec.sender);
  cc_receiver->configure (spec.receiver);
  place (cc_sender, cc_receiver, hosts);
}

void
LabVideo::use_hosted (const HostPair &hosts, const char *element)
{
  Ptr<HostedSenderApplication> sender = CreateObject<HostedSenderApplication> ();
  Ptr<TwccReceiverApplication> receiver = CreateObject<TwccReceiverApplication> ();
  HostedSenderConfig out;
  TwccReceiverConfig in;

  out.element.factory = element;
  out.element.start_bps = flow.start_bps;
  out.element.min_bps = flow.min_bps;
  out.element.max_bps = flow.max_bps;
  out.element.max_delay_s = flow.max_delay_s;
  out.element.weight = flow.weight;
  out.element.encoding_name = coded ? flow.encoding_name : "JPEG"; /* recorded frames are all key units */
  out.source = source;
  out.peer = hosts.to_address;
  out.resends = has_option ("+rtx");
  in.sink = sink;
  in.seed = seed + 1;
  in.nack_latency_s = out.resends ? flow.latency_s : 0;
  sender->configure (out);
  receiver->configure (in);
  place (sender, receiver, hosts);
}

void
LabVideo::use_plain (const HostPair &hosts)
{
  Ptr<PlainRtpSender> sender = CreateObject<PlainRtpSender> ();
  Ptr<PlainRtpReceiver> receiver = CreateObject<PlainRtpReceiver> ();

  sender->source = source;
  sender->peer = hosts.to_address;
  receiver->sink = sink;
  follow (flow.rates);
  place (sender, receiver, hosts);
}

/* The rate at the start, and each one after it. */
void
LabVideo::follow (const std::vector<CapacityStep> &rates)
{
  for (size_t i = 0; i < rates.size (); i++) {
    bool over = i + 1 < rates.size () && rates[i + 1].at_s <= flow.start_s;
    RateNews news = plain_rate (std::min (rates[i].bps, flow.max_bps), flow.fps);
    if (!over)
      Simulator::Schedule (Seconds (std::max (rates[i].at_s, flow.start_s)), [this, news] { source->on_rate (news); });
  }
}

void
LabVideo::finish ()
{
  if (shown)
    shown->finish (coded->frames ());
}

std::string
LabVideo::stats_json () const
{
  const CodedSinkStats s = shown ? shown->stats () : CodedSinkStats ();
  std::string text = format ("\"packets\": %lu, \"late\": %lu, \"gaps\": %lu, \"missing\": %lu, \"shown\": %lu, "
                             "\"stale\": %lu",
      (unsigned long)s.packets, (unsigned long)s.late, (unsigned long)s.gaps, (unsigned long)s.missing,
      (unsigned long)s.shown, (unsigned long)s.stale);

  if (cc_sender)
    text += format (", \"frames_dropped\": %lu, \"key_units_asked\": %lu, \"plis\": %lu, \"nacks\": %lu, "
                    "\"resent\": %lu, \"restored\": %lu, \"sums\": %lu, \"mended\": %lu, \"circuit_openings\": %lu, "
                    "\"circuit_reason\": \"%s\"",
        (unsigned long)cc_sender->sender ().buffer.frames_dropped, (unsigned long)cc_sender->key_units_asked,
        (unsigned long)cc_receiver->key_units_asked, (unsigned long)cc_receiver->nacks,
        (unsigned long)cc_sender->resent, (unsigned long)cc_receiver->restored, (unsigned long)cc_sender->sums,
        (unsigned long)cc_receiver->mended, (unsigned long)cc_sender->sender ().circuit.openings,
        circuit_reason_name (cc_sender->sender ().circuit.reason));
  return "{" + text + "}";
}

} // namespace sim
