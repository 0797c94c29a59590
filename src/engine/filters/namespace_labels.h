#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/objects.h"

namespace muster {

// The labels of namespaces, for terms that choose namespaces by selector.
class NamespaceLabels {
 public:
  void set(const Namespace& object);
  void remove(std::string_view name);

  // The labels of a namespace; empty ones when it is not known.
  const StringMap& of(std::string_view name) const;
  // Counts changes.
  std::uint64_t version() const { return version_; }

 private:
  boost::unordered_flat_map<std::string, StringMap> labels_;
  std::uint64_t version_ = 0;
};

}  // namespace muster
