#include "cel/selector.h"

#include <map>

#include "cel/checker.h"
#include "cel/evaluator.h"
#include "cel/parser.h"

namespace muster::cel {
namespace {

// A name without a domain is in the driver's.
std::pair<std::string, std::string> domain_and_id(const std::string& name, std::string_view driver) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return {std::string(driver), name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

using Domains = std::map<std::string, std::vector<std::pair<Value, Value>>>;

Value as_map(Domains domains) {
  std::vector<std::pair<Value, Value>> entries;
  for (auto& [domain, values] : domains) entries.emplace_back(Value(domain), Value::map(std::move(values)));
  return Value::map(std::move(entries), true);
}

struct AttributeValue {
  Result<Value> operator()(std::monostate) const { return fail("unsupported attribute value"); }
  Result<Value> operator()(std::int64_t value) const { return Value(value); }
  Result<Value> operator()(bool value) const { return Value(value); }
  Result<Value> operator()(const std::string& value) const { return Value(value); }
  Result<Value> operator()(const VersionText& value) const {
    auto version = Semver::parse(value.text);
    if (!version) return fail("parse semantic version: " + version.error().message);
    return Value(std::move(*version));
  }
};

Result<Value> fields_of(std::string_view driver, const Device& device) {
  Domains attributes;
  for (const auto& [name, attribute] : device.attributes) {
    auto value = std::visit(AttributeValue(), attribute);
    if (!value) return fail("attribute " + name + ": " + value.error().message);
    auto [domain, id] = domain_and_id(name, driver);
    attributes[domain].emplace_back(Value(std::move(id)), std::move(*value));
  }
  Domains capacity;
  for (const auto& [name, amount] : device.capacity) {
    auto [domain, id] = domain_and_id(name, driver);
    capacity[domain].emplace_back(Value(std::move(id)), Value(amount.value));
  }
  std::vector<std::pair<Value, Value>> fields;
  fields.emplace_back(std::string("driver"), std::string(driver));
  fields.emplace_back(std::string("allowMultipleAllocations"), device.shareable);
  fields.emplace_back(std::string("attributes"), as_map(std::move(attributes)));
  fields.emplace_back(std::string("capacity"), as_map(std::move(capacity)));
  return Value::map(std::move(fields));
}

}  // namespace

Result<DeviceSelector> DeviceSelector::compile(std::string_view expression) {
  auto tree = parse(expression);
  if (!tree) return fail(Error("compilation failed: " + tree.error().message, tree.error().location));
  if (auto checked = check(*tree, expression); !checked) {
    const auto& error = checked.error();
    return fail(error.location.line == 0 ? error : Error("compilation failed: " + error.message, error.location));
  }
  return DeviceSelector(std::make_shared<const SyntaxTree>(std::move(*tree)));
}

Result<bool> DeviceSelector::matches(std::string_view driver, const Device& device, std::uint64_t cost_limit) const {
  const auto fields = fields_of(driver, device);
  if (!fields) return fail(fields.error());
  const auto value = evaluate(*tree_, *fields, cost_limit);
  if (value.is_error()) return fail(value.error_text());
  if (value.is(Kind::kBool)) return value.boolean();
  const std::string type(name_of(value.kind()));
  return fail("CEL result of type " + type + " could not be converted to bool: " +
              (value.is(Kind::kString) ? "unsupported native conversion from string to 'bool'"
                                       : "unsupported type conversion from '" + type + "' to bool"));
}

}  // namespace muster::cel
