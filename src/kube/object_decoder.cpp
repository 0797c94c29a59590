#include "kube/object_decoder.h"

#include "codec/input.h"
#include "codec/object_reader.h"
#include "codec/object_walk.h"
#include "codec/positions.h"
#include "codec/utf8.h"
#include "model/json.h"

namespace muster::kube {
namespace {

// Objects are met by the million, and nobody asks where in the stream they stood.
class NoPositions final : public Positions {
 public:
  const Location& at(std::size_t) override { return nowhere_; }

 private:
  Location nowhere_;
};

}  // namespace

Identity identity_of(const ObjectMeta& meta) { return {meta.ns, meta.name, meta.uid, meta.resource_version}; }

MetaFields read_meta(std::string_view text) {
  MetaFields out;
  static_cast<void>(each_member(text, 0, [&](std::string_view key, JsonSpan value) -> Result<void> {
    if (key == "metadata") out = read_meta_fields(value.in(text));
    return {};
  }));
  return out;
}

MetaFields read_meta_fields(std::string_view metadata) {
  MetaFields out;
  const auto meta = read_json(metadata);
  if (!meta) return out;
  out.id = {text_at(&*meta, "namespace"), text_at(&*meta, "name"), text_at(&*meta, "uid"), text_at(&*meta, "resourceVersion")};
  out.next_page = text_at(&*meta, "continue");
  out.ends_initial_events = text_at(meta->find("annotations"), "k8s.io/initial-events-end") == "true";
  return out;
}

Result<Object> ObjectDecoder::decode_whole(std::string text) {
  if (find_bad_utf8(text)) return fail("is not UTF-8");
  const auto end = each_member(text, 0, [](std::string_view, JsonSpan) -> Result<void> { return {}; });
  if (!end) return fail(end.error());
  text.reserve(text.size() + Input::kPadding);
  return decode(text, {0, *end});
}

Result<Object> ObjectDecoder::decode(std::string_view text, JsonSpan object) {
  std::optional<Object> out;
  const ObjectSink keep = [&](Object&& one, const Location&) -> Result<void> {
    out = std::move(one);
    return {};
  };
  NoPositions positions;
  ReadStats stats;
  ObjectWalk walk(json_, positions, keep, stats);
  const bool read = json_.document(text, object.begin, object.end, [&](JsonValue& value) { return walk.read_as(value, reader_); });
  if (!read) return fail(json_.take_error(positions));
  if (!out) return fail("is no object");
  return std::move(*out);
}

}  // namespace muster::kube
