# SPDX-License-Identifier: LGPL-2.1-or-later
"""A call between webrtcbin and a browser, governed by rtptfrcbwe, with a page that shows what it does."""
