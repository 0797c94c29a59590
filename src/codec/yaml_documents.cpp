#include "codec/yaml_documents.h"

#include <algorithm>
#include <libfyaml.h>
#include <optional>
#include <vector>

#include "codec/input.h"
#include "codec/positions.h"
#include "codec/utf8.h"
#include "codec/yaml_scalar.h"
#include "model/quoted.h"

namespace muster {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

std::string_view text_of(fy_token* token) {
  std::size_t size = 0;
  const char* text = token == nullptr ? nullptr : fy_token_get_text(token, &size);
  return text == nullptr ? std::string_view() : std::string_view(text, size);
}

// What the library has to say of a text that it refuses: the first of its errors.
Error first_error(fy_diag* diag, const std::string& file) {
  void* at = nullptr;
  const fy_diag_error* error = diag == nullptr ? nullptr : fy_diag_errors_iterate(diag, &at);
  if (error == nullptr) return Error("is not YAML", Location{file, 0, 0});
  return Error(error->msg, Location{file, static_cast<std::uint64_t>(error->line), static_cast<std::uint64_t>(error->column)});
}

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kBeforeWord = " \t\r\n[{,";

// Whether "?" stands somewhere as it does before an explicit key: as a word of its own, at the beginning of a list or a map, or
// behind a byte order mark.
bool has_explicit_key(std::string_view text) {
  const auto begins_word = [&](std::size_t at) {
    const auto before = text.substr(0, at);
    return before.empty() || kBeforeWord.find(before.back()) != std::string_view::npos || before.ends_with("\xEF\xBB\xBF");
  };
  for (auto at = text.find('?'); at != std::string_view::npos; at = text.find('?', at + 1))
    if ((at + 1 == text.size() || kBlank.find(text[at + 1]) != std::string_view::npos) && begins_word(at)) return true;
  return false;
}

// The library destroys its own memory where, below an explicit key, a tab stands before an indicator: YAML wants spaces there. No
// manifest has either, so a text that has both is refused before the library sees it.
std::optional<Error> fatal_tab(std::string_view text, const std::string& file) {
  for (auto tab = text.find('\t'); tab != std::string_view::npos; tab = text.find('\t', tab + 1)) {
    const auto next = text.find_first_not_of(" \t", tab);
    if (next == std::string_view::npos) return std::nullopt;
    if (std::string_view(":?-").find(text[next]) == std::string_view::npos) continue;
    if (!has_explicit_key(text)) return std::nullopt;
    const auto before = text.substr(0, tab);
    const auto line_start = before.rfind('\n') + 1;  // 0 when there is none
    const auto line = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    return Error("has a tab before an indicator, in a text with explicit keys (\"? \"): write spaces",
                 Location{file, line, tab - line_start + 1});
  }
  return std::nullopt;
}

// Whoever reads a file has refused such a text already. The library may destroy its own memory over it.
std::optional<Error> fatal_control(std::string_view text, const std::string& file) {
  const auto at = find_control(text);
  if (!at) return std::nullopt;
  return Error("has a control character", locate(text, *at, file));
}

std::size_t cost_of(const Value& value) {
  constexpr std::size_t kBytesPerValue = 32;
  std::size_t cost = 1;
  if (const auto* text = value.as_string()) cost += text->size() / kBytesPerValue;
  if (const auto* list = value.as_list())
    for (const auto& item : *list) cost += cost_of(item);
  if (const auto* map = value.as_map())
    for (const auto& [key, item] : *map) cost += cost_of(key) + cost_of(item);
  return cost;
}

// How deep it is nested; 1 for a scalar.
int levels_of(const Value& value) {
  int below = 0;
  if (const auto* list = value.as_list())
    for (const auto& item : *list) below = std::max(below, levels_of(item));
  if (const auto* map = value.as_map())
    for (const auto& [key, item] : *map) below = std::max({below, levels_of(key), levels_of(item)});
  return below + 1;
}

bool is_scalar(const Value& value) { return value.as_list() == nullptr && value.as_map() == nullptr; }

}  // namespace

struct YamlDocuments::Parser {
  fy_diag* diag = nullptr;
  fy_parser* parser = nullptr;
  std::optional<Error> refused;
  std::uint64_t line = 1;  // of the last event that had a place
  std::uint64_t column = 1;

  Parser() = default;
  ~Parser() {
    if (parser != nullptr) fy_parser_destroy(parser);
    if (diag != nullptr) fy_diag_destroy(diag);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  Parser(Parser&&) = delete;
  Parser& operator=(Parser&&) = delete;
};

// An event of the library with its place, given back when it goes out of scope.
struct YamlDocuments::Event {
  Event(fy_parser* owner, fy_event* raw, Parser& last) : event(raw, Free{owner}) {
    if (const fy_mark* mark = fy_event_start_mark(raw)) {
      last.line = static_cast<std::uint64_t>(mark->line) + 1;
      last.column = static_cast<std::uint64_t>(mark->column) + 1;
    }
    line = last.line;
    column = last.column;
  }
  fy_event_type type() const { return event->type; }
  std::string_view text() const { return text_of(fy_event_get_token(event.get())); }
  std::string_view anchor() const { return text_of(fy_event_get_anchor_token(event.get())); }
  std::string_view tag() const { return text_of(fy_event_get_tag_token(event.get())); }
  // Whether a scalar is written as it reads: on one line, without escapes. The library's marks leave quotes out.
  bool is_verbatim() const {
    const fy_mark* begin = fy_event_start_mark(event.get());
    const fy_mark* end = fy_event_end_mark(event.get());
    return begin != nullptr && end != nullptr && begin->line == end->line && end->input_pos - begin->input_pos == text().size();
  }
  bool is_plain() const { return fy_token_scalar_style(fy_event_get_token(event.get())) == FYSS_PLAIN; }

  struct Free {
    fy_parser* owner;
    void operator()(fy_event* raw) const { fy_parser_event_free(owner, raw); }
  };
  std::unique_ptr<fy_event, Free> event;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

YamlDocuments::YamlDocuments(std::string_view text, std::string file)
    : file_(std::move(file)), parser_(std::make_unique<Parser>()) {
  parser_->refused = fatal_control(text, file_);
  if (!parser_->refused) parser_->refused = fatal_tab(text, file_);
  if (parser_->refused) return;
  fy_diag_cfg reports = {};
  fy_diag_cfg_default(&reports);
  reports.fp = nullptr;
  reports.level = FYET_ERROR;
  parser_->diag = fy_diag_create(&reports);
  // The library's own way of showing an error prints the line with a mark under it and reads past the line's end to do so.
  if (parser_->diag != nullptr) fy_diag_set_collect_errors(parser_->diag, true);
  fy_parse_cfg settings = {};
  settings.flags = static_cast<fy_parse_cfg_flags>(FYPCF_JSON_NONE | FYPCF_SLOPPY_FLOW_INDENTATION);
  settings.diag = parser_->diag;
  parser_->parser = fy_parser_create(&settings);
  if (parser_->parser != nullptr) fy_parser_set_string(parser_->parser, text.data(), text.size());
}

YamlDocuments::~YamlDocuments() = default;

Result<std::optional<Value>> YamlDocuments::next() {
  while (true) {
    auto event = next_event();
    if (!event) return fail(std::move(event.error()));
    if (event->type() == FYET_STREAM_END) return std::nullopt;
    if (event->type() == FYET_STREAM_START || event->type() == FYET_DOCUMENT_END) continue;
    if (event->type() != FYET_DOCUMENT_START) return wrong("is not YAML", event->line, event->column);
    anchors_.clear();
    auto root = next_event();
    if (!root) return fail(std::move(root.error()));
    auto value = read_value(*root, 1);
    if (!value) return fail(std::move(value.error()));
    return std::optional(std::move(*value));
  }
}

Result<YamlDocuments::Event> YamlDocuments::next_event() {
  if (parser_->refused) return fail(*parser_->refused);
  fy_event* event = parser_->parser == nullptr ? nullptr : fy_parser_parse(parser_->parser);
  if (event == nullptr) return fail(first_error(parser_->diag, file_));
  return Event(parser_->parser, event, *parser_);
}

Result<Value> YamlDocuments::read_value(const Event& event, int depth) {
  if (depth > kMaxDepth) return too_deep(event);
  if (event.type() == FYET_ALIAS) return read_alias(event, depth);
  if (!event.anchor().empty()) return read_anchored(event, depth);
  switch (event.type()) {
    case FYET_SCALAR: return read_scalar(event);
    case FYET_SEQUENCE_START: return read_list(event, depth);
    case FYET_MAPPING_START: return read_map(event, depth);
    default: return wrong("is not YAML", event.line, event.column);
  }
}

tl::unexpected<Error> YamlDocuments::too_deep(const Event& event) const {
  return wrong("nested deeper than " + std::to_string(kMaxDepth) + " levels", event.line, event.column);
}

Result<Value> YamlDocuments::read_anchored(const Event& event, int depth) {
  const std::string name(event.anchor());
  open_anchors_.insert(name);
  auto value = event.type() == FYET_SCALAR           ? read_scalar(event)
               : event.type() == FYET_SEQUENCE_START ? read_list(event, depth)
                                                     : read_map(event, depth);
  open_anchors_.erase(name);
  if (!value) return value;
  const std::size_t cost = cost_of(*value);
  if (auto paid = spend(cost, event); !paid) return fail(std::move(paid.error()));
  anchors_.insert_or_assign(name, Anchor{*value, cost, levels_of(*value)});
  return value;
}

Result<Value> YamlDocuments::read_alias(const Event& event, int depth) {
  const std::string_view name = event.text();
  const std::string alias = "*" + shortened(name);
  if (open_anchors_.contains(name)) return wrong("the alias " + alias + " stands inside what it names", event.line, event.column);
  const auto anchor = anchors_.find(name);
  if (anchor == anchors_.end()) return wrong("the alias " + alias + " names nothing", event.line, event.column);
  if (depth + anchor->second.levels - 1 > kMaxDepth) return too_deep(event);
  if (auto paid = spend(anchor->second.cost, event); !paid) return fail(std::move(paid.error()));
  return anchor->second.value;
}

Result<void> YamlDocuments::spend(std::size_t cost, const Event& event) {
  spent_ += cost;
  if (spent_ > kMaxExpansion) return wrong("the aliases expand to too much", event.line, event.column);
  return {};
}

Result<Value> YamlDocuments::read_scalar(const Event& event) {
  const std::string_view text = event.text();
  const std::string_view tag = event.tag();
  const auto make = [&](Value::Data data) {
    Value value(std::move(data), event.line, event.column);
    if (event.is_verbatim()) value.mark_verbatim();
    return value;
  };
  const bool known_tag = tag.starts_with(kTagPrefix);
  const std::string_view type = known_tag ? tag.substr(kTagPrefix.size()) : std::string_view();
  if (tag.empty()) return make(event.is_plain() ? resolve_plain_scalar(text) : Value::Data(std::string(text)));
  if (type != "int" && type != "float" && type != "bool" && type != "null") return make(std::string(text));

  Value::Data data = resolve_plain_scalar(text);
  if (const auto* number = std::get_if<std::int64_t>(&data); number != nullptr && type == "float")
    data = static_cast<double>(*number);
  const bool fits =
      (type == "int" && std::holds_alternative<std::int64_t>(data)) || (type == "float" && std::holds_alternative<double>(data)) ||
      (type == "bool" && std::holds_alternative<bool>(data)) || (type == "null" && std::holds_alternative<std::monostate>(data));
  if (!fits) return wrong(quoted(text) + " is not what its tag !!" + std::string(type) + " says", event.line, event.column);
  return make(std::move(data));
}

Result<Value> YamlDocuments::read_list(const Event& event, int depth) {
  Value::List list;
  while (true) {
    auto item = next_event();
    if (!item) return fail(std::move(item.error()));
    if (item->type() == FYET_SEQUENCE_END) return Value(std::move(list), event.line, event.column);
    auto value = read_value(*item, depth + 1);
    if (!value) return value;
    list.push_back(std::move(*value));
  }
}

Result<Value> YamlDocuments::read_map(const Event& event, int depth) {
  Value::Map map;
  std::vector<Value> merged;
  while (true) {
    auto name = next_event();
    if (!name) return fail(std::move(name.error()));
    if (name->type() == FYET_MAPPING_END) break;
    const bool is_merge = name->type() == FYET_SCALAR && name->is_plain() && name->text() == "<<";
    auto key = read_value(*name, depth + 1);
    if (!key) return key;
    if (!is_scalar(*key)) return wrong("a key must be a scalar", key->line(), key->column());
    auto content = next_event();
    if (!content) return fail(std::move(content.error()));
    auto value = read_value(*content, depth + 1);
    if (!value) return value;
    if (is_merge)
      merged.push_back(std::move(*value));
    else
      map.emplace_back(std::move(*key), std::move(*value));
  }
  if (auto unique = check_keys(map); !unique) return fail(std::move(unique.error()));
  if (auto done = merge(map, std::move(merged)); !done) return fail(std::move(done.error()));
  return Value(std::move(map), event.line, event.column);
}

// Adds what the sources have and the map has not. A list of maps means all of them, the first one first.
Result<void> YamlDocuments::merge(Value::Map& map, std::vector<Value> sources) {
  std::set<std::string> present;
  if (!sources.empty())
    for (const auto& [key, value] : map) present.insert(scalar_text(key));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (const auto* list = sources[i].as_list()) {
      const Value::List maps = *list;
      for (const auto& source : maps)
        if (source.as_map() == nullptr) return wrong("a merge key takes maps only", source.line(), source.column());
      sources.insert(sources.begin() + static_cast<std::ptrdiff_t>(i) + 1, maps.begin(), maps.end());
      continue;
    }
    const auto* source = sources[i].as_map();
    if (source == nullptr) return wrong("a merge key takes a map or a list of maps", sources[i].line(), sources[i].column());
    for (const auto& member : *source)
      if (present.insert(scalar_text(member.first)).second) map.push_back(member);
  }
  return {};
}

Result<void> YamlDocuments::check_keys(const Value::Map& map) const {
  std::map<std::string, const Value*> seen;
  for (const auto& [key, value] : map) {
    const auto [first, is_new] = seen.emplace(scalar_text(key), &key);
    if (is_new) continue;
    return wrong("the key " + quoted(first->first) + " appears twice, first on line " + std::to_string(first->second->line()),
                 key.line(), key.column());
  }
  return {};
}

tl::unexpected<Error> YamlDocuments::wrong(std::string message, std::uint64_t line, std::uint64_t column) const {
  return fail(Error(std::move(message), Location{file_, line, column}));
}

}  // namespace muster
