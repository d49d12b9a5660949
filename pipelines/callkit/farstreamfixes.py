# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Farstream 0.2.9 needs from outside before its TFRC works."""
import ctypes

URI = b"urn:ietf:params:rtp-hdrext:rtt-sendts"
EXTENSION_ID, DIRECTION_BOTH = 3, 3
RTP, RTCP = 1, 2  # components


def set_extension(gobject, name):
    """A property that is a list of header extensions: introspection cannot set those."""
    glib, lib = ctypes.CDLL("libgobject-2.0.so.0"), ctypes.CDLL("libfarstream-0.2.so.5")
    lib.fs_rtp_header_extension_new.restype = glib.g_list_append.restype = ctypes.c_void_p
    lib.fs_rtp_header_extension_new.argtypes = [ctypes.c_uint, ctypes.c_int, ctypes.c_char_p]
    glib.g_list_append.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    glib.g_object_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
    entry = glib.g_list_append(None, lib.fs_rtp_header_extension_new(EXTENSION_ID, DIRECTION_BOTH, URI))
    glib.g_object_set(hash(gobject), name, entry, None)


def let_link(pad):
    """Farstream 0.2.9's packet modder, which stamps what TFRC sends, answers a caps query without filter with nothing
    as long as it is not linked, so that it never can be. Here its pad answers as any pad does."""
    lib = ctypes.CDLL("libgstreamer-1.0.so.0")
    lib.gst_pad_set_query_function_full.argtypes = [ctypes.c_void_p] * 4
    lib.gst_pad_set_query_function_full(
        hash(pad), ctypes.cast(lib.gst_pad_query_default, ctypes.c_void_p), None, None)
