#pragma once

#include <tuple>

#include "engine/books.h"

namespace muster {

// Pods by age, and those of one age by uid and name: an order that does not rest on when the scheduler heard of them, as that of
// their ids does.
inline bool is_older(const Books& books, PodId left, PodId right) {
  const auto& l = books.pod(left);
  const auto& r = books.pod(right);
  if (l.created != r.created) return l.created < r.created;
  if (l.uid != r.uid) return l.uid < r.uid;
  if (l.name != r.name) return l.name < r.name;
  return books.symbols().text(l.ns) < books.symbols().text(r.ns);
}

}  // namespace muster
