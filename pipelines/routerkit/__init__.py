# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two hosts in network namespaces and paqmshaper as the router between them."""
