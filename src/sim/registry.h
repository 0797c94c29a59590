#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sim/api_error.h"
#include "sim/outside.h"
#include "sim/store.h"

namespace muster::sim {

// Which part of an object a write is for.
enum class Part {
  kAll,  // but the status, where that is a subresource
  kStatus,
  kServer,  // all of it, without asking what may change: by the server's own hand
};

struct WriteOptions {
  std::string manager = "unknown";
  std::string_view subresource = {};  // through which it came, where its part does not say so
  bool dry_run = false;
  bool is_apply = false;  // the object says already who owns what
};

enum class Propagation { kBackground, kForeground, kOrphan };

struct DeleteOptions {
  std::optional<std::int64_t> grace_seconds = {};
  std::string uid = {};  // preconditions; empty for none
  std::string resource_version = {};
  Propagation propagation = Propagation::kBackground;
  bool dry_run = false;
};

struct Deleted {
  ObjectPtr object;  // as it was last, or as it now is
  bool gone = false;
};

// The rules of writing: what the server fills in, what it refuses, what a deletion waits for. Above it are requests, below it is
// the store.
class Registry {
 public:
  Registry(Store& store, Outside outside) : store_(store), outside_(std::move(outside)) {}

  // New pods that name no scheduler get this one, as an admission webhook would have it. Empty: the name that a server writes.
  void set_usual_scheduler(std::string name) { usual_scheduler_ = std::move(name); }

  Answered<ObjectPtr> get(const Kind& kind, const Key& key) const;
  // The namespace of cluster-wide kinds is empty.
  Answered<ObjectPtr> create(const Kind& kind, const std::string& ns, Tree object, const WriteOptions& options = {});
  // With the resourceVersion that the object names, if it names one.
  Answered<ObjectPtr> replace(const Kind& kind, const Key& key, Tree object, Part part, const WriteOptions& options = {});
  // What `change` makes of the object as it is.
  using Changer = std::function<Answered<Tree>(Tree)>;
  Answered<ObjectPtr> change(const Kind& kind, const Key& key, Part part, const Changer& changer, const WriteOptions& options = {});

  Answered<Deleted> remove(const Kind& kind, const Key& key, const DeleteOptions& options = {});

  // Takes an object out whatever it waits for: a namespace that is empty at last.
  Answered<Deleted> erase(const Kind& kind, const ObjectPtr& object, bool dry_run);

  const Store& store() const { return store_; }
  const Outside& outside() const { return outside_; }

 private:
  Answered<void> check_new(const Kind& kind, const std::string& ns, Tree& object) const;
  Answered<ObjectPtr> write(const Kind& kind, const ObjectPtr& before, Tree after, Part part, const WriteOptions& options);
  Answered<ObjectPtr> put(const Kind& kind, Tree tree, bool dry_run);
  std::int64_t grace_of(const Kind& kind, const Tree& object, const DeleteOptions& options) const;

  Store& store_;
  Outside outside_;
  std::string usual_scheduler_;
};

}  // namespace muster::sim
