/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* links.json of a job of the quality lab (format: lab.cc). */
#ifndef SIM_LAB_LINKS_H
#define SIM_LAB_LINKS_H

#include "labjob.h"
#include <map>
#include <string>

namespace sim
{

/* A JSON string. */
std::string quoted (const std::string &text);
/* Into the job's folder. stats: JSON objects of the video flows, by number. */
void write_lab_links (const LabJob &job, const Chain &chain, const std::map<unsigned, std::string> &stats);

} // namespace sim
#endif
