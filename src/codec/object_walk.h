#pragma once

#include <string>
#include <string_view>

#include "codec/json_decoder.h"
#include "codec/kinds.h"
#include "codec/object_reader.h"
#include "codec/positions.h"

namespace muster {

// Hands the API objects of a JSON document to a sink while the decoder walks it. One walk serves many documents.
class ObjectWalk {
 public:
  ObjectWalk(JsonDecoder& json, Positions& positions, const ObjectSink& sink, ReadStats& stats)
      : json_(json), positions_(positions), sink_(sink), stats_(stats) {}

  // Reads an object, a List of any kind or an array of these. False: the decoder holds the error.
  bool read(JsonValue& value) { return read(value, {}); }

  // Reads a value whose kind is known from elsewhere.
  bool read_as(JsonValue& value, const KindReader& reader);

  // Takes over the fields that the decoder noted: `object`, of this kind, does not have them.
  void note_unknown_fields(std::string_view kind, const std::string& object);

 private:
  struct TypeMeta {
    std::string_view api_version;
    std::string_view kind;
  };

  bool read(JsonValue& value, TypeMeta inherited);
  bool read_list(JsonValue& value, TypeMeta type);
  bool read_object(JsonValue& value, TypeMeta type);
  bool deliver(JsonValue& value, Object&& object);

  JsonDecoder& json_;
  Positions& positions_;
  const ObjectSink& sink_;
  ReadStats& stats_;
};

}  // namespace muster
