#pragma once

namespace muster::volcano {

class Session;

// Makes room within a queue, pod by pod: for jobs that starve from less important ones, then within each job.
void preempt(Session& session);

}  // namespace muster::volcano
