#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace muster::sim {

// The messages in which the built-in kinds come in protobuf, and what becomes of their fields in JSON.

// kRaw are bytes as they are; all other ones are in base64 in JSON.
enum class WireValue { kText, kBool, kInt32, kInt64, kBytes, kRaw, kMessage };
enum class WireShape {
  kOne,
  kList,
  kMap,     // by texts
  kInline,  // a message whose fields are members of the one that holds it
};
// What a message is in JSON.
enum class WireForm { kObject, kQuantity, kIntOrString, kTime, kMicroTime, kJson };

struct WireMessage;

struct WireField {
  std::uint32_t number = 0;
  std::string_view name;
  WireValue value = WireValue::kText;
  WireShape shape = WireShape::kOne;
  // Clients send it also where they have nothing to say, and JSON leaves it out there. Otherwise 0 has a meaning of its own.
  bool drops_zero = false;
  const WireMessage* message = nullptr;  // of kMessage
};

// A set of fields is the bits of one number.
inline constexpr std::size_t kMostWireFields = 64;

struct WireMessage {
  std::string_view name;
  WireForm form = WireForm::kObject;
  std::vector<WireField> fields = {};

  const WireField* find(std::uint32_t number) const;
};

// The message of a kind; nullptr where there is none. The options of a DELETE are the same whatever version they name.
const WireMessage* find_message(std::string_view api_version, std::string_view kind);
// What is around every body: which kind it has, and its message.
const WireMessage& envelope_message();
std::vector<const WireMessage*> all_messages();

// The table as it is written down, in protobuf_table.cpp.
struct MessageTable {
  std::string_view api_version;
  std::string_view text;
};
std::span<const MessageTable> message_tables();

}  // namespace muster::sim
