#include "sim/protobuf.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "codec/base64.h"
#include "codec/utf8.h"
#include "model/time.h"
#include "sim/protobuf_messages.h"

namespace muster::sim {
namespace {

// What is wrong, and in which field: "spec.template".
struct Broken {
  std::string path;
  std::string why;
};
template <class T>
using Unbroken = tl::expected<T, Broken>;

tl::unexpected<Broken> broken(std::string why) { return tl::unexpected(Broken{{}, std::move(why)}); }

tl::unexpected<Broken> broken_in(std::string_view field, Broken inner) {
  const auto dot = field.empty() || inner.path.empty() ? "" : ".";
  return tl::unexpected(Broken{fmt::format("{}{}{}", field, dot, inner.path), std::move(inner.why)});
}

// The two forms of a value on the wire that any message here uses.
enum class WireType : std::uint8_t { kVarint = 0, kBytes = 2 };

struct Sent {
  std::uint32_t number = 0;
  WireType type = WireType::kBytes;
  std::uint64_t integer = 0;
  std::string_view bytes = {};
};

Unbroken<std::uint64_t> take_varint(std::string_view& rest) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest.empty()) return broken("ends within a number");
    const auto byte = static_cast<std::uint8_t>(rest.front());
    rest.remove_prefix(1);
    if (shift == 63 && byte > 1) break;
    out |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return out;
  }
  return broken("has a number of more than 64 bits");
}

Unbroken<Sent> take_field(std::string_view& rest) {
  constexpr std::uint64_t kMostNumber = (1U << 29U) - 1;
  const auto tag = take_varint(rest);
  if (!tag) return tl::unexpected(tag.error());
  const auto number = *tag >> 3U;
  const auto type = *tag & 7U;
  if (number == 0 || number > kMostNumber) return broken(fmt::format("has the field number {}", number));
  if (type != 0 && type != 2)
    return broken(fmt::format("has field {} in wire type {}, which no field of Kubernetes has", number, type));
  const auto value = take_varint(rest);
  if (!value) return tl::unexpected(value.error());
  Sent out{static_cast<std::uint32_t>(number), static_cast<WireType>(type), *value};
  if (out.type == WireType::kVarint) return out;
  if (*value > rest.size()) return broken(fmt::format("ends within field {}", number));
  out.bytes = rest.substr(0, *value);
  rest.remove_prefix(*value);
  return out;
}

Unbroken<Tree> text_tree(std::string_view bytes) {
  if (find_bad_utf8(bytes)) return broken("is not UTF-8");
  return Tree(bytes);
}

Unbroken<Tree> integer_tree(std::uint64_t bits, WireValue value) {
  const auto integer = static_cast<std::int64_t>(bits);
  if (value == WireValue::kBool) return Tree(integer != 0);
  using Int32 = std::numeric_limits<std::int32_t>;
  if (value == WireValue::kInt32 && (integer < Int32::min() || integer > Int32::max()))
    return broken(fmt::format("is {}, which is no 32-bit integer", integer));
  return Tree(integer);
}

Unbroken<Tree> time_tree(const Tree& parts, WireForm form) {
  constexpr std::int64_t kYear1 = -62'135'596'800;
  constexpr std::int64_t kYear10000 = 253'402'300'800;
  if (parts.as_map()->empty()) return Tree();
  const auto seconds = parts.integer_at("seconds").value_or(0);
  const auto nanos = parts.integer_at("nanos").value_or(0);
  if (seconds < kYear1 || seconds >= kYear10000 || nanos < 0 || nanos >= kNanosPerSecond)
    return broken("is a time that RFC 3339 does not know");
  auto text = Timestamp{seconds, 0}.rfc3339();
  if (form == WireForm::kMicroTime) text.insert(text.size() - 1, fmt::format(".{:06}", nanos / 1000));
  return Tree(std::move(text));
}

Unbroken<Tree> int_or_string_tree(const Tree& parts) {
  const auto type = parts.integer_at("type").value_or(0);
  if (type == 0) return Tree(parts.integer_at("intVal").value_or(0));
  if (type == 1) return Tree(parts.text_at("strVal"));
  return broken(fmt::format("is of type {}, neither an integer (0) nor a text (1)", type));
}

Unbroken<Tree> json_tree(const Tree& parts) {
  const auto text = parts.text_at("raw");
  if (text.empty()) return Tree();
  auto out = Tree::parse(text);
  if (!out) return broken("is no JSON: " + out.error());
  return std::move(*out);
}

// What a message whose fields are read is in JSON.
Unbroken<Tree> shown_as(WireForm form, Tree parts) {
  switch (form) {
    case WireForm::kObject: return parts;
    case WireForm::kQuantity: return Tree(parts.as_map()->empty() ? "0" : parts.text_at("string"));
    case WireForm::kIntOrString: return int_or_string_tree(parts);
    case WireForm::kTime:
    case WireForm::kMicroTime: return time_tree(parts, form);
    case WireForm::kJson: return json_tree(parts);
  }
  return broken("is of no known form");
}

bool is_zero(const Tree& value) {
  const auto* text = value.as_string();
  const auto* flag = value.as_bool();
  return value.is_null() || (text != nullptr && text->empty()) || (flag != nullptr && !*flag) || value.as_integer() == 0;
}

// As JSON written by Go has them. Of entries with the same key the last one counts.
void sort_entries(Tree::Map& entries) {
  std::reverse(entries.begin(), entries.end());
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  const auto same = std::unique(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.key == b.key; });
  entries.erase(same, entries.end());
}

// Reads messages into trees. No message holds itself, so that it is no deeper than the table.
class MessageReader {
 public:
  static Unbroken<void> read(const WireMessage& message, std::string_view bytes, Tree& into) {
    std::uint64_t seen = 0;
    while (!bytes.empty()) {
      const auto sent = take_field(bytes);
      if (!sent) return tl::unexpected(sent.error());
      const auto* field = message.find(sent->number);
      if (field == nullptr) return broken(fmt::format("field {} of {} is not known here", sent->number, message.name));
      const auto bit = std::uint64_t{1} << static_cast<std::size_t>(field - message.fields.data());
      const bool is_repeated = field->shape == WireShape::kList || field->shape == WireShape::kMap;
      if (!is_repeated && (seen & bit) != 0) return broken(fmt::format("field {} of {} comes twice", sent->number, message.name));
      seen |= bit;
      if (auto good = read_field(*field, *sent, into); !good)
        return broken_in(field->shape == WireShape::kInline ? "" : field->name, std::move(good.error()));
    }
    for (const auto& field : message.fields)
      if (auto* map = field.shape == WireShape::kMap ? into.find(field.name) : nullptr) sort_entries(*map->as_map());
    return {};
  }

 private:
  static Unbroken<void> read_field(const WireField& field, const Sent& sent, Tree& into) {
    switch (field.shape) {
      case WireShape::kInline: return read_inline(field, sent, into);
      case WireShape::kMap: return read_entry(field, sent, into);
      case WireShape::kList: return read_items(field, sent, into);
      case WireShape::kOne: break;
    }
    auto value = value_of(field, sent);
    if (!value) return tl::unexpected(std::move(value.error()));
    if (!field.drops_zero || !is_zero(*value)) into[field.name] = std::move(*value);
    return {};
  }

  static Unbroken<void> read_inline(const WireField& field, const Sent& sent, Tree& into) {
    if (sent.type != WireType::kBytes) return wrong_type(field, sent);
    return read(*field.message, sent.bytes, into);
  }

  static Unbroken<void> read_entry(const WireField& field, const Sent& sent, Tree& into) {
    if (sent.type != WireType::kBytes) return wrong_type(field, sent);
    Sent key;
    Sent value;
    for (auto rest = sent.bytes; !rest.empty();) {
      const auto part = take_field(rest);
      if (!part) return tl::unexpected(part.error());
      if (part->number > 2) return broken(fmt::format("an entry of a map has field {}", part->number));
      (part->number == 1 ? key : value) = *part;
    }
    if (key.type != WireType::kBytes) return wrong_type(field, key);
    auto name = text_tree(key.bytes);
    if (!name) return tl::unexpected(std::move(name.error()));
    auto content = value_of(field, value);
    if (!content) return broken_in(*name->as_string(), std::move(content.error()));
    auto& map = into[field.name];
    if (!map.is_map()) map = Tree::map();
    map.as_map()->push_back({*name->as_string(), std::move(*content)});
    return {};
  }

  // Numbers may come one by one or many at once.
  static Unbroken<void> read_items(const WireField& field, const Sent& sent, Tree& into) {
    auto& list = into[field.name];
    if (!list.is_list()) list = Tree::list();
    if (!takes_integers(field) || sent.type == WireType::kVarint) {
      auto item = value_of(field, sent);
      if (!item) return tl::unexpected(std::move(item.error()));
      list.push_back(std::move(*item));
      return {};
    }
    for (auto rest = sent.bytes; !rest.empty();) {
      const auto bits = take_varint(rest);
      if (!bits) return tl::unexpected(bits.error());
      auto item = integer_tree(*bits, field.value);
      if (!item) return tl::unexpected(std::move(item.error()));
      list.push_back(std::move(*item));
    }
    return {};
  }

  static Unbroken<Tree> value_of(const WireField& field, const Sent& sent) {
    if (takes_integers(field) != (sent.type == WireType::kVarint)) return wrong_type(field, sent);
    switch (field.value) {
      case WireValue::kBool:
      case WireValue::kInt32:
      case WireValue::kInt64: return integer_tree(sent.integer, field.value);
      case WireValue::kText: return text_tree(sent.bytes);
      case WireValue::kBytes: return Tree(base64_encoded(sent.bytes));
      case WireValue::kRaw: return Tree(sent.bytes);
      case WireValue::kMessage: break;
    }
    Tree parts = Tree::map();
    if (auto good = read(*field.message, sent.bytes, parts); !good) return tl::unexpected(std::move(good.error()));
    return shown_as(field.message->form, std::move(parts));
  }

  static bool takes_integers(const WireField& field) {
    return field.value == WireValue::kBool || field.value == WireValue::kInt32 || field.value == WireValue::kInt64;
  }

  static tl::unexpected<Broken> wrong_type(const WireField& field, const Sent& sent) {
    return broken(fmt::format("has field {} in wire type {}", field.number, static_cast<int>(sent.type)));
  }
};

ApiError no_protobuf(std::string_view kind, const Broken& why) {
  return bad_request(fmt::format("the body is no {} in protobuf: {}{}{}", kind, why.path, why.path.empty() ? "" : ": ", why.why));
}

}  // namespace

Answered<Tree> protobuf_body(std::string_view body) {
  constexpr std::string_view kMagic("k8s\0", 4);
  if (!body.starts_with(kMagic))
    return refuse(bad_request("the body is no protobuf of Kubernetes: it does not begin with \"k8s\" and a zero"));
  Tree envelope = Tree::map();
  if (auto good = MessageReader::read(envelope_message(), body.substr(kMagic.size()), envelope); !good)
    return refuse(no_protobuf("object", good.error()));
  const auto version = envelope.text_at("typeMeta.apiVersion");
  const auto kind = envelope.text_at("typeMeta.kind");
  if (kind.empty()) return refuse(bad_request("Object 'Kind' is missing in the body of the request"));
  for (const std::string_view form : {"contentEncoding", "contentType"})
    if (const auto said = envelope.text_at(form); !said.empty())
      return refuse(bad_request(fmt::format("the body is no {} in protobuf: it has the {} \"{}\"", kind, form, said)));
  const auto* message = find_message(version, kind);
  if (message == nullptr) return refuse(bad_request(fmt::format("no kind \"{}\" is registered for version \"{}\"", kind, version)));
  Tree out = Tree::map();
  out["kind"] = Tree(kind);
  out["apiVersion"] = Tree(version);
  if (auto good = MessageReader::read(*message, envelope.text_at("raw"), out); !good)
    return refuse(no_protobuf(kind, good.error()));
  return out;
}

}  // namespace muster::sim
