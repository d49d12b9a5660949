/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encodertable.h"

#define KBIT 1000

/* A small VBV makes a new rate take effect at once; without zerolatency the look-ahead holds seconds of frames that
   were coded for the old one. */
static const EncoderSetting x264_settings[] = {
    {"tune", "zerolatency"}, {"vbv-buf-capacity", "100"}, {"aud", "false"}, {NULL, NULL}};

/* The default buffer of 6 s lets the rate recover only after many seconds. */
static const EncoderSetting vpx_settings[] = {{"end-usage", "cbr"}, {"deadline", "1"}, {"lag-in-frames", "0"},
    {"buffer-size", "100"}, {"buffer-initial-size", "60"}, {"buffer-optimal-size", "80"}, {"undershoot", "95"},
    {"overshoot", "15"}, {"min-quantizer", "2"}, {"max-quantizer", "56"}, {"max-intra-bitrate", "300"},
    {"keyframe-max-dist", "300"}, {NULL, NULL}};

/* With max-bitrate unset each fall of the rate brings a key frame. */
static const EncoderSetting openh264_settings[] = {
    {"rate-control", "bitrate"}, {"max-bitrate", "100000000"}, {"gop-size", "300"}, {NULL, NULL}};

/* max-quantizer is 0 by default, with which constant bitrate aborts; the buffer is 6 s. */
static const EncoderSetting aom_settings[] = {{"max-quantizer", "63"}, {"end-usage", "cbr"},
    {"usage-profile", "realtime"}, {"lag-in-frames", "0"}, {"buf-sz", "300"}, {"buf-initial-sz", "200"},
    {"buf-optimal-sz", "250"}, {"undershoot-pct", "50"}, {"overshoot-pct", "50"}, {"keyframe-max-dist", "300"},
    {NULL, NULL}};

static const EncoderSetting x265_settings[] = {{"tune", "zerolatency"}, {"key-int-max", "300"}, {NULL, NULL}};
static const EncoderSetting va_settings[] = {{"rate-control", "cbr"}, {NULL, NULL}};
static const EncoderSetting nv_settings[] = {{"rc-mode", "cbr"}, {"zerolatency", "true"}, {NULL, NULL}};
static const EncoderSetting jpeg_settings[] = {{"quality", "50"}, {NULL, NULL}};
static const EncoderSetting none[] = {{NULL, NULL}};

/* Of encoders that were not at hand: what their properties and sources say (docs/ratecontrol.md), and no more of it
   than makes a rate hold and keeps frames from waiting. */
static const EncoderSetting cbr_settings[] = {{"rate-control", "cbr"}, {NULL, NULL}};
static const EncoderSetting qsv_settings[] = {{"rate-control", "cbr"}, {"low-latency", "true"}, {NULL, NULL}};
static const EncoderSetting msdk_settings[] = {
    {"rate-control", "cbr"}, {"b-frames", "0"}, {"async-depth", "1"}, {NULL, NULL}};
static const EncoderSetting amf_settings[] = {{"usage", "ultra-low-latency"}, {"rate-control", "cbr"}, {NULL, NULL}};
static const EncoderSetting mf_settings[] = {{"rc-mode", "cbr"}, {"low-latency", "true"}, {NULL, NULL}};
static const EncoderSetting vt_settings[] = {{"realtime", "true"}, {"allow-frame-reordering", "false"}, {NULL, NULL}};
static const EncoderSetting tegra_settings[] = {{"control-rate", "constant_bitrate"}, {NULL, NULL}};
static const EncoderSetting omx_settings[] = {{"control-rate", "constant"}, {NULL, NULL}};
static const EncoderSetting mpp_settings[] = {{"rc-mode", "cbr"}, {NULL, NULL}};
static const EncoderSetting svt_hevc_settings[] = {{"rc", "vbr"}, {NULL, NULL}};

/* Its reservoir is as long as its distance of key frames unless it is told otherwise; dropped frames would be no frames
   at all to those who count them. */
static const EncoderSetting theora_settings[] = {
    {"rate-buffer", "8"}, {"drop-frames", "false"}, {"keyframe-freq", "256"}, {"keyframe-force", "256"}, {NULL, NULL}};

/* clang-format off */
#define RATE(name, key, bps, ...) \
  {.factory = name, .knob = ENCODER_KNOB_BITRATE, .property = key, .unit = bps, .settings = __VA_ARGS__}
#define COSTLY .costly = TRUE
#define WAITS .waits = TRUE
#define CONTROLS(name) \
  RATE (name, "bitrate", 1, none), \
  {.factory = name, .knob = ENCODER_KNOB_EXTRA_CONTROLS, .property = "extra-controls", .unit = 1, .settings = none}
#define AT_START(name, key, bps) \
  {.factory = name, .knob = ENCODER_KNOB_AT_START, .property = key, .unit = bps, .settings = none}

const EncoderRow encoder_rows[] = {
    RATE ("x264enc", "bitrate", KBIT, x264_settings, .pauses = TRUE),
    RATE ("vp8enc", "target-bitrate", 1, vpx_settings, WAITS, .any_state = TRUE),
    RATE ("vp9enc", "target-bitrate", 1, vpx_settings, WAITS, .any_state = TRUE),
    RATE ("openh264enc", "bitrate", 1, openh264_settings, .prime = TRUE, .max_debt_ms = 300),
    {.factory = "jpegenc", .knob = ENCODER_KNOB_QUALITY, .property = "quality", .unit = 1, .settings = jpeg_settings},
    RATE ("av1enc", "target-bitrate", KBIT, aom_settings, WAITS),
    RATE ("x265enc", "bitrate", KBIT, x265_settings, COSTLY),
    RATE ("theoraenc", "bitrate", KBIT, theora_settings),

    RATE ("vah264enc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vah264lpenc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vah265enc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vah265lpenc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vavp8enc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vavp9enc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vavp9lpenc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vaav1enc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vaav1lpenc", "bitrate", KBIT, va_settings, COSTLY),
    RATE ("vaapih264enc", "bitrate", KBIT, cbr_settings, COSTLY, .any_state = TRUE),
    RATE ("vaapih265enc", "bitrate", KBIT, cbr_settings, COSTLY, .any_state = TRUE),
    RATE ("vaapivp8enc", "bitrate", KBIT, cbr_settings, COSTLY, .any_state = TRUE),
    RATE ("vaapivp9enc", "bitrate", KBIT, cbr_settings, COSTLY, .any_state = TRUE),
    RATE ("vaapimpeg2enc", "bitrate", KBIT, cbr_settings, COSTLY, .any_state = TRUE),
    RATE ("qsvh264enc", "bitrate", KBIT, qsv_settings, COSTLY),
    RATE ("qsvh265enc", "bitrate", KBIT, qsv_settings, COSTLY),
    RATE ("qsvvp9enc", "bitrate", KBIT, qsv_settings, COSTLY),
    RATE ("qsvav1enc", "bitrate", KBIT, qsv_settings, COSTLY),
    RATE ("msdkh264enc", "bitrate", KBIT, msdk_settings, COSTLY),
    RATE ("msdkh265enc", "bitrate", KBIT, msdk_settings, COSTLY),
    RATE ("msdkvp9enc", "bitrate", KBIT, msdk_settings, COSTLY),
    RATE ("msdkav1enc", "bitrate", KBIT, msdk_settings, COSTLY),
    RATE ("msdkmpeg2enc", "bitrate", KBIT, msdk_settings, COSTLY),

    RATE ("nvh264enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvh265enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvav1enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvcudah264enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvcudah265enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvcudaav1enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvd3d11h264enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvd3d11h265enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvd3d11av1enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvautogpuh264enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvautogpuh265enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvautogpuav1enc", "bitrate", KBIT, nv_settings, COSTLY),
    RATE ("nvv4l2h264enc", "bitrate", 1, tegra_settings),
    RATE ("nvv4l2h265enc", "bitrate", 1, tegra_settings),
    RATE ("nvv4l2vp8enc", "bitrate", 1, tegra_settings),
    RATE ("nvv4l2vp9enc", "bitrate", 1, tegra_settings),
    RATE ("nvv4l2av1enc", "bitrate", 1, tegra_settings),

    RATE ("amfh264enc", "bitrate", KBIT, amf_settings, COSTLY),
    RATE ("amfh265enc", "bitrate", KBIT, amf_settings, COSTLY),
    RATE ("amfav1enc", "bitrate", KBIT, amf_settings, COSTLY),
    RATE ("mfh264enc", "bitrate", KBIT, mf_settings, COSTLY),
    RATE ("mfh265enc", "bitrate", KBIT, mf_settings, COSTLY),
    RATE ("mfvp9enc", "bitrate", KBIT, mf_settings, COSTLY),
    RATE ("d3d12h264enc", "bitrate", KBIT, cbr_settings, COSTLY),
    RATE ("vulkanh264enc", "bitrate", KBIT, cbr_settings, COSTLY),
    RATE ("vtenc_h264", "bitrate", KBIT, vt_settings),
    RATE ("vtenc_h264_hw", "bitrate", KBIT, vt_settings),
    RATE ("vtenc_h265", "bitrate", KBIT, vt_settings),
    RATE ("vtenc_h265_hw", "bitrate", KBIT, vt_settings),
    RATE ("amcvidenc-*", "bitrate", 1, none),

    RATE ("omxh264enc", "target-bitrate", KBIT, omx_settings, .blurb = "Kbps"), /* Xilinx' */
    RATE ("omxh264enc", "target-bitrate", 1, omx_settings),
    RATE ("omxh265enc", "target-bitrate", KBIT, omx_settings, .blurb = "Kbps"),
    RATE ("omxh265enc", "target-bitrate", 1, omx_settings),
    RATE ("omxmpeg4videoenc", "target-bitrate", 1, omx_settings),
    RATE ("mpph264enc", "bps", 1, mpp_settings),
    RATE ("mpph265enc", "bps", 1, mpp_settings),
    RATE ("mppvp8enc", "bps", 1, mpp_settings),
    CONTROLS ("v4l2h264enc"),
    CONTROLS ("v4l2h265enc"),
    CONTROLS ("v4l2vp8enc"),
    CONTROLS ("v4l2vp9enc"),
    CONTROLS ("v4l2mpeg4enc"),
    CONTROLS ("v4l2h263enc"),

    RATE ("svthevcenc", "bitrate", KBIT, svt_hevc_settings, COSTLY),
    AT_START ("svtav1enc", "target-bitrate", KBIT),
    AT_START ("rav1enc", "bitrate", 1),
    AT_START ("avenc_*", "bitrate", 1),
    {NULL},
};
/* clang-format on */
