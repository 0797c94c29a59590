#include "sim/custom_admission.h"

#include "sim/schema_fields.h"
#include "sim/schema_validation.h"
#include "sim/volcano_admission.h"

namespace muster::sim {
namespace {

Answered<void> unless_wrong(const Kind& kind, const Tree& object, std::vector<Cause> wrong) {
  if (!wrong.empty()) return refuse(invalid(kind.subject(object.text_at("metadata.name")), std::move(wrong)));
  return {};
}

}  // namespace

void shape_custom(const Kind& kind, Tree& object) {
  if (const auto* schema = schema_of(kind)) shape(*schema, object);
}

Answered<void> admit_new_custom(const Kind& kind, Tree& object) {
  const auto* schema = schema_of(kind);
  if (schema == nullptr) return {};
  shape(*schema, object);
  if (auto good = unless_wrong(kind, object, wrong_fields(*schema, object)); !good) return good;
  if (kind.group == "batch.volcano.sh" && kind.kind == "Job") default_volcano_job(object);
  return {};
}

Answered<void> admit_custom_change(const Kind& kind, const Tree& before, Tree& after) {
  const auto* schema = schema_of(kind);
  if (schema == nullptr) return {};
  shape(*schema, after);
  return unless_wrong(kind, after, newly_wrong_fields(*schema, before, after));
}

Answered<void> admit_custom_status(const Kind& kind, const Tree& before, Tree& after) {
  const auto* schema = schema_of(kind);
  if (schema == nullptr) return {};
  shape(*schema, after);
  return unless_wrong(kind, after, newly_wrong_status(*schema, before, after));
}

}  // namespace muster::sim
