// An action of one's own, in C++: groups with the label example.com/express=true are placed before anybody else, each whole or not
// at all. List it before `allocate`.
//
//   actions: "enqueue, express, allocate"
//   configurations:
//   - name: express
//     arguments:
//       max-pods: 8    # larger groups wait for their turn like all others

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <muster/extension.h>
#include <string_view>
#include <vector>

namespace {

std::string_view view(muster_text text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.length);
}
muster_text text(std::string_view view) { return {view.data(), view.size()}; }

class Express {
 public:
  Express(const muster_host& host, std::int64_t max_pods) : host_(host), max_pods_(max_pods) {}

  void run(muster_session* session) const {
    std::vector<muster_group> groups(host_.groups(session, nullptr, 0));
    host_.groups(session, groups.data(), groups.size());
    std::erase_if(groups, [&](muster_group group) { return !is_express(session, group); });
    std::stable_sort(groups.begin(), groups.end(),
                     [&](muster_group left, muster_group right) { return host_.group_before(session, left, right); });
    for (const auto group : groups) place(session, group);
  }

 private:
  bool is_express(muster_session* session, muster_group group) const {
    return view(host_.group_label(session, group, text("example.com/express"))) == "true" && host_.group_admitted(session, group) &&
           host_.group_valid(session, group);
  }

  void place(muster_session* session, muster_group group) const {
    std::vector<muster_pod> pods(host_.group_pods(session, group, nullptr, 0));
    host_.group_pods(session, group, pods.data(), pods.size());
    std::erase_if(pods,
                  [&](muster_pod pod) { return host_.pod_state(session, pod) != MUSTER_PENDING || host_.pod_gated(session, pod); });
    if (pods.empty() || static_cast<std::int64_t>(pods.size()) > max_pods_) return;
    std::stable_sort(pods.begin(), pods.end(),
                     [&](muster_pod left, muster_pod right) { return host_.pod_before(session, left, right); });
    muster_statement* statement = host_.statement(session);
    const auto placed = [&](muster_pod pod) {
      muster_node node{MUSTER_NOTHING};
      bool later = false;
      return host_.queue_allows(session, host_.group_queue(session, group), pod) &&
             host_.best_node(session, pod, &node, &later, nullptr) == MUSTER_OK && !later &&
             host_.allocate(statement, pod, node) == MUSTER_OK;
    };
    if (std::all_of(pods.begin(), pods.end(), placed) && host_.group_ready(session, group))
      host_.commit(statement);
    else
      host_.discard(statement);
  }

  const muster_host& host_;
  std::int64_t max_pods_;
};

muster_status initialise(const muster_host* host, const muster_arguments* arguments, void** self, muster_text* why) {
  auto max_pods = std::numeric_limits<std::int64_t>::max();
  if (const auto* given = muster_argument_of(arguments, "max-pods")) {
    if (given->kind != MUSTER_ARGUMENT_INTEGER || given->integer < 1) {
      *why = text("\"max-pods\" must be a whole number of at least 1");
      return MUSTER_REFUSED;
    }
    max_pods = given->integer;
  }
  *self = std::make_unique<Express>(*host, max_pods).release();
  return MUSTER_OK;
}

muster_status execute(void* self, muster_session* session, muster_text* /*why*/) {
  static_cast<const Express*>(self)->run(session);
  return MUSTER_OK;
}

void close(void* self) { delete static_cast<Express*>(self); }

constexpr muster_action kAction = {sizeof(muster_action), execute};

}  // namespace

extern "C" const muster_extension_table* muster_extension() {
  static const muster_extension_table table = {sizeof(muster_extension_table),
                                               MUSTER_EXTENSION_VERSION,
                                               text("express"),
                                               text("small groups first, whole or not at all"),
                                               nullptr,
                                               &kAction,
                                               initialise,
                                               close};
  return &table;
}
