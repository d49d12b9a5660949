/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application does that links the plug-ins: all of them go into one program, and their elements are there. */
#include <gst/check/gstcheck.h>

GST_PLUGIN_STATIC_DECLARE (jpegstrips);
GST_PLUGIN_STATIC_DECLARE (newpred);
GST_PLUGIN_STATIC_DECLARE (paqm);
GST_PLUGIN_STATIC_DECLARE (ratecontrol);
GST_PLUGIN_STATIC_DECLARE (rtcpavpf);
GST_PLUGIN_STATIC_DECLARE (subpictures);
GST_PLUGIN_STATIC_DECLARE (tfrc);
GST_PLUGIN_STATIC_DECLARE (videoquality);

static const struct {
  const gchar *plugin, *element;
} elements[] = {
    {"jpegstrips", "rtpjpegstripdepay"},
    {"jpegstrips", "rtpjpegstrippay"},
    {"newpred", "newpred"},
    {"newpred", "newpredreport"},
    {"paqm", "paqmshaper"},
    {"ratecontrol", "ratecontrol"},
    {"rtcpavpf", "rtcpavpf"},
    {"rtcpavpf", "rtcpinject"},
    {"subpictures", "subpicturemerge"},
    {"subpictures", "subpicturesplit"},
    {"tfrc", "rtptfrcbwe"},
    {"tfrc", "tfrcsink"},
    {"tfrc", "tfrcsrc"},
    {"videoquality", "framemeasure"},
    {"videoquality", "framestamp"},
};

/* A plug-in that was linked has no file. */
GST_START_TEST (test_elements_come_from_the_program)
{
  GST_PLUGIN_STATIC_REGISTER (jpegstrips);
  GST_PLUGIN_STATIC_REGISTER (newpred);
  GST_PLUGIN_STATIC_REGISTER (paqm);
  GST_PLUGIN_STATIC_REGISTER (ratecontrol);
  GST_PLUGIN_STATIC_REGISTER (rtcpavpf);
  GST_PLUGIN_STATIC_REGISTER (subpictures);
  GST_PLUGIN_STATIC_REGISTER (tfrc);
  GST_PLUGIN_STATIC_REGISTER (videoquality);

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstElement *element = gst_element_factory_make (elements[i].element, NULL);
    GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (), elements[i].plugin);
    fail_unless (element != NULL, "no %s", elements[i].element);
    fail_unless (plugin != NULL, "no plug-in %s", elements[i].plugin);
    assert_equals_string (gst_plugin_get_filename (plugin), NULL);
    gst_object_unref (plugin);
    gst_object_unref (element);
  }
}
GST_END_TEST;

static Suite *
staticplugins_suite (void)
{
  Suite *suite = suite_create ("staticplugins");
  TCase *tcase = tcase_create ("staticplugins");

  tcase_add_test (tcase, test_elements_come_from_the_program);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (staticplugins);
