#include "codec/yaml_objects.h"

#include <cmath>

#include "codec/json_decoder.h"
#include "codec/json_writer.h"
#include "codec/object_walk.h"
#include "codec/positions.h"
#include "codec/yaml_documents.h"
#include "codec/yaml_scalar.h"

namespace muster {
namespace {

// Writes a value as JSON and marks where each piece comes from.
class Converter {
 public:
  Converter(std::string& out, MappedPositions& positions) : out_(out), json_(out), positions_(positions) {}

  void write(const Value& value) {
    positions_.mark(out_.size(), value.line(), value.column());
    std::visit([&](const auto& data) { write_data(data); }, value.data());
  }

 private:
  void write_data(std::monostate) { json_.null(); }
  void write_data(bool data) { json_.value(data); }
  void write_data(std::int64_t data) { json_.value(data); }
  void write_data(const std::string& data) { json_.value(data); }
  void write_data(double data) {
    if (std::isfinite(data))
      json_.value(data);
    else
      json_.value(std::isnan(data) ? ".nan" : ".inf");  // JSON has no such numbers; as a string it is refused where it matters
  }
  void write_data(const Value::List& data) {
    json_.begin_array();
    for (const auto& item : data) write(item);
    json_.end_array();
  }
  void write_data(const Value::Map& data) {
    json_.begin_object();
    for (const auto& [key, item] : data) {
      json_.key(scalar_text(key));
      write(item);
    }
    json_.end_object();
  }

  std::string& out_;
  JsonWriter json_;
  MappedPositions& positions_;
};

Result<void> read_document(const Value& document, const std::string& file, JsonDecoder& json, const ObjectSink& sink,
                           ReadStats& stats) {
  if (document.as_map() == nullptr && document.as_list() == nullptr)
    return fail(Error("must be an object or a list of objects", Location{file, document.line(), document.column()}));
  std::string text;
  MappedPositions positions(file);
  Converter(text, positions).write(document);
  const std::size_t size = text.size();
  text.append(Input::kPadding, '\0');

  ObjectWalk walk(json, positions, sink, stats);
  if (!json.document(text, 0, size, [&](JsonValue& root) { return walk.read(root); })) return fail(json.take_error(positions));
  return {};
}

}  // namespace

Result<ReadStats> read_yaml_objects(const Input& input, const ObjectSink& sink) {
  ReadStats stats;
  JsonDecoder json;
  YamlDocuments documents(input.text(), input.name());
  while (true) {
    const auto document = documents.next();
    if (!document) return fail(document.error());
    if (!*document) return stats;
    if ((*document)->is_null()) continue;
    if (auto read = read_document(**document, input.name(), json, sink, stats); !read) return fail(std::move(read.error()));
  }
}

}  // namespace muster
