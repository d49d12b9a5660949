# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parts of `pipelines/call`: clips, codecs, sender, receiver, bottleneck, measures, report."""
