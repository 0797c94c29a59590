#pragma once

#include "server/router.h"
#include "sim/paths.h"
#include "sim/registry.h"
#include "sim/watches.h"

namespace muster::sim {

// Whether writes are answered with warnings of what no controller here does.
enum class UnheededWarnings { kNo, kYes };

// Answers requests of the Kubernetes API. Errors are metav1.Status bodies as a real server writes them.
class Api {
 public:
  Api(Registry& registry, Watches& watches, UnheededWarnings warnings)
      : registry_(registry), watches_(watches), warnings_(warnings) {}

  server::Answer answer(const server::Request& request);

 private:
  using Reply = Answered<server::Answer>;

  Reply resource(const server::Request& request, const ResourcePath& path);
  Reply collection(const server::Request& request, const ResourcePath& path);
  Reply named(const server::Request& request, const ResourcePath& path);
  Reply subresource(const server::Request& request, const ResourcePath& path);

  Reply list(const server::Request& request, const ResourcePath& path);
  Reply watch(const server::Request& request, const ResourcePath& path);
  Reply create(const server::Request& request, const ResourcePath& path);
  Reply remove_all(const server::Request& request, const ResourcePath& path);
  Reply get(const server::Request& request, const ResourcePath& path);
  Reply replace(const server::Request& request, const ResourcePath& path, Part part);
  Reply patch(const server::Request& request, const ResourcePath& path, Part part);
  Reply apply(const server::Request& request, const ResourcePath& path, Part part);
  Reply remove(const server::Request& request, const ResourcePath& path);

  Reply bind(const server::Request& request, const ResourcePath& path);
  Reply evict(const server::Request& request, const ResourcePath& path);
  Reply scale(const server::Request& request, const ResourcePath& path);
  Reply finalize(const server::Request& request, const ResourcePath& path);

  Answered<Selection> selection(const server::Request& request, const ResourcePath& path) const;
  // The object as the client wants it.
  Reply shown(const server::Request& request, const Kind& kind, const ObjectPtr& object, int status) const;
  // The same after a write, with warnings.
  Reply written(const server::Request& request, const ResourcePath& path, const ObjectPtr& object, int status,
                const std::vector<std::string>& unknown) const;

  Registry& registry_;
  Watches& watches_;
  UnheededWarnings warnings_;
};

}  // namespace muster::sim
