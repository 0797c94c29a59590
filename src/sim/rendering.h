#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/time.h"
#include "sim/api_error.h"
#include "sim/object.h"

namespace muster::sim {

// How objects are shown to a client.
enum class Form {
  kWhole,
  kMetadata,  // PartialObjectMetadata
  kTable,     // what kubectl get prints
};

// What an Accept header asks for first of what there is here; 406 when there is nothing of it.
Answered<Form> form_from(std::string_view accept);

// Writes objects of one kind as the client that asked for it wants them.
struct Rendering {
  const Kind& kind;  // as it was asked for; events have two
  Form form = Form::kWhole;
  Timestamp now = {};
  bool rows_have_objects = false;  // includeObject=Object

  std::string object(const Object& object) const;
  // `remaining` counts what further pages hold, when there are some.
  struct Page {
    std::uint64_t revision = 0;
    std::string next = {};
    std::size_t remaining = 0;
  };
  std::string list(std::span<const ObjectPtr> objects, const Page& page) const;

 private:
  void append_whole(std::string& out, const Object& object) const;
  void append_metadata(std::string& out, const Object& object) const;
  void append_row(std::string& out, const Object& object) const;
  std::string table(std::span<const ObjectPtr> objects, const Page& page) const;
};

}  // namespace muster::sim
