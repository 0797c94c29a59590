#pragma once

#include "codec/json_writer.h"
#include "policy/volcano/session.h"

namespace muster {

// Pods, nodes, jobs and queues as the original's scheduler writes them for an extender: the fields of its own structures, of which
// some hold Kubernetes objects. Of those the parts are written that muster keeps.
void write_task(JsonWriter& json, const volcano::Session& session, PodId pod);
void write_node(JsonWriter& json, const volcano::Session& session, NodeId node);
void write_job(JsonWriter& json, const volcano::Session& session, GroupId id);
void write_queue(JsonWriter& json, const volcano::Session& session, QueueId id);

}  // namespace muster
