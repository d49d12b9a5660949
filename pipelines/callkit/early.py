# SPDX-License-Identifier: LGPL-2.1-or-later
"""Imported first by programs for people: Ctrl-C while the other modules load ends them as it ends any command, without a
list of Python's calls. main () hears it from listen () on."""
import signal

_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where it is to be ignored: nohup, a shell's &
if _ours:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def listen():
    """Ctrl-C and SIGTERM are KeyboardInterrupt."""
    if _ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
