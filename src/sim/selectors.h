#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api_error.h"
#include "sim/object.h"

namespace muster::sim {

// Which objects of a kind a request is about: its namespace (empty for all), and its labelSelector and fieldSelector.
class Selection {
 public:
  // A wrong selector, or a field by which the kind cannot be selected, is a bad request.
  static Answered<Selection> parse(const Kind& kind, std::string ns, std::string_view labels, std::string_view fields);

  bool matches(const Object& object) const;
  const std::string& ns() const { return ns_; }
  // Everything of the namespace.
  bool is_plain() const { return labels_.empty() && fields_.empty(); }

 private:
  struct Field {
    std::string name;
    std::string value;
    bool equal = true;
  };
  static Answered<Field> parse_field(const Kind& kind, std::string_view term);
  static std::string_view value_of(const Object& object, const std::string& field);

  std::string ns_;
  std::vector<Requirement> labels_;
  std::vector<Field> fields_;
};

// "a=b,c!=d,e in (x,y),f notin (z),g,!h".
Answered<std::vector<Requirement>> parse_label_selector(std::string_view text);

// A metav1.LabelSelector of an object: matchLabels and matchExpressions. Nothing selects nothing.
bool label_selector_matches(const Tree* selector, const StringMap& labels);

// The same as a text, by its keys: "a=b,c in (d,e),!f". Empty for what selects everything, or nothing.
std::string label_selector_text(const Tree* selector);
// "a=b,c=d": of a plain map.
std::string labels_text(const Tree* labels);

}  // namespace muster::sim
