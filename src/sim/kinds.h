#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/api_error.h"

namespace muster::sim {

// What a kind's objects have beside themselves.
struct Subresources {
  bool status = false;
  bool scale = false;
  bool binding = false;  // of pods, with eviction
};

// A kind of object that the embedded cluster serves. One table holds them all, by group and version as discovery tells them.
struct Kind {
  std::string_view group;  // empty for the core group
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
  std::string_view singular;
  std::string_view short_names;  // separated by spaces
  bool namespaced;
  bool is_custom;  // a CustomResourceDefinition makes it in a real cluster: no strategic merge, no defaults
  Subresources subresources = {};
  std::string_view categories = {};
  // The same objects as those of another kind, in another form: events.k8s.io/v1 is stored as core events.
  std::string_view form_of = {};

  std::string api_version() const;
  Subject subject(std::string_view name) const { return {group, plural, kind, name}; }
};

std::span<const Kind> kinds();
const Kind* find_kind(std::string_view group, std::string_view version, std::string_view plural);
// The kind that an object's apiVersion and kind name.
const Kind* kind_of_object(std::string_view api_version, std::string_view kind);
// Of the core group when the group is empty; must be there.
const Kind& kind_named(std::string_view group, std::string_view plural);
// The kind under which its objects are stored: itself, but for those that are a form of another.
const Kind& stored_kind(const Kind& kind);
// A small number for tables by kind.
std::size_t index_of(const Kind& kind);

// The fields besides metadata.name and metadata.namespace by which objects of a kind can be selected.
std::span<const std::string_view> selectable_fields(const Kind& kind);

}  // namespace muster::sim
