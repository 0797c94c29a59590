#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cel/selector.h"
#include "engine/devices/device_catalog.h"

namespace muster {

// Compiled selectors and what they said about devices: each device is asked about once, as long as its slice stays the same.
class SelectorAnswers {
 public:
  explicit SelectorAnswers(DeviceCatalog& catalog) : catalog_(catalog) {}

  // Whether all selectors choose the device. An error says which of them failed: "selector #0: CEL runtime error: ...".
  Result<bool> choose(const std::vector<std::string>& selectors, const SliceEntry& entry, std::size_t device);

  // To be called before a series of choose(): forgets devices that have gone.
  void refresh();

 private:
  struct Expression {
    Result<cel::DeviceSelector> selector;
    enum class Answer : std::uint8_t { kUnknown, kNo, kYes };
    std::vector<Answer> answers;  // by instance; errors are not kept
  };
  Expression& compiled(const std::string& text);

  DeviceCatalog& catalog_;
  boost::unordered_flat_map<std::string, std::unique_ptr<Expression>> expressions_;
};

}  // namespace muster
