#include "sim/tree.h"

#include <algorithm>

#include "base/split.h"
#include "codec/input.h"
#include "codec/json_decoder.h"
#include "codec/json_syntax.h"
#include "codec/json_writer.h"
#include "codec/utf8.h"

namespace muster::sim {
namespace {

// Builds what json_value_end has found to be right: nothing is checked twice.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  Tree value() {
    skip_space();
    switch (text_[at_]) {
      case '{': return map();
      case '[': return list();
      case '"': return Tree(string());
      case 't': return at_ += 4, Tree(true);
      case 'f': return at_ += 5, Tree(false);
      case 'n': return at_ += 4, Tree();
      default: return number();
    }
  }

 private:
  void skip_space() { at_ = skip_json_space(text_, at_); }
  // Past a separator, or past the end bracket: whether there is more.
  bool more(char end) {
    skip_space();
    return text_[at_++] != end;
  }
  bool is_empty(char end) {
    ++at_;
    skip_space();
    if (text_[at_] != end) return false;
    ++at_;
    return true;
  }

  Tree map() {
    Tree out = Tree::map();
    if (is_empty('}')) return out;
    auto& members = *out.as_map();
    do {
      skip_space();
      auto key = string();
      skip_space();
      ++at_;  // the colon
      members.push_back({std::move(key), value()});
    } while (more('}'));
    keep_last(members);
    return out;
  }

  // Of members with the same key the last one counts.
  static void keep_last(Tree::Map& members) {
    std::vector<std::pair<std::string_view, std::size_t>> order;
    order.reserve(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) order.emplace_back(members[i].key, i);
    std::sort(order.begin(), order.end());
    std::vector<bool> dropped(members.size());
    bool any = false;
    for (std::size_t i = 1; i < order.size(); ++i)
      if (order[i].first == order[i - 1].first) any = dropped[order[i - 1].second] = true;
    if (!any) return;
    std::size_t at = 0;
    std::erase_if(members, [&](const auto&) { return dropped[at++]; });
  }

  Tree list() {
    Tree out = Tree::list();
    if (is_empty(']')) return out;
    do {
      out.as_list()->push_back(value());
    } while (more(']'));
    return out;
  }

  std::string string() {
    const auto begin = at_++;
    bool escaped = false;
    for (; text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') {
        escaped = true;
        ++at_;
      }
    ++at_;
    const auto whole = text_.substr(begin, at_ - begin);
    return escaped ? JsonDecoder::string_of(whole) : std::string(whole.substr(1, whole.size() - 2));
  }

  Tree number() {
    const auto end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    Tree out(Tree::Number{std::string(text_.substr(at_, end - at_))});
    at_ = end;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::vector<const Tree::Member*> by_key(const Tree::Map& members) {
  std::vector<const Tree::Member*> out;
  out.reserve(members.size());
  for (const auto& one : members) out.push_back(&one);
  std::ranges::sort(out, {}, &Tree::Member::key);
  return out;
}

}  // namespace

Tree Tree::map() {
  Tree out;
  out.data_ = Map();
  return out;
}

tl::expected<Tree, std::string> Tree::parse(std::string_view text) {
  if (find_bad_utf8(text)) return tl::unexpected<std::string>("is not UTF-8");
  const auto begin = skip_json_space(text, 0);
  const auto end = json_value_end(text, begin, kMaxDepth);
  if (!end) return tl::unexpected("byte " + std::to_string(end.error().offset) + ": " + end.error().message);
  if (skip_json_space(text, *end) != text.size())
    return tl::unexpected("byte " + std::to_string(*end) + ": there is something after the value");
  return TreeBuilder(text).value();
}

std::size_t Tree::append_to(std::string& out) const {
  struct Writer {
    std::string& out;
    std::size_t operator()(std::monostate) const { return out += "null", 0; }
    std::size_t operator()(bool value) const { return out += value ? "true" : "false", 0; }
    std::size_t operator()(const Number& number) const { return out += number.text, 0; }
    std::size_t operator()(const std::string& text) const { return append_json_string(out, text), 0; }
    std::size_t operator()(const List& items) const {
      std::size_t below = 0;
      out += '[';
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) out += ',';
        below = std::max(below, items[i].append_to(out));
      }
      out += ']';
      return below + 1;
    }
    std::size_t operator()(const Map& members) const {
      std::size_t below = 0;
      out += '{';
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (i > 0) out += ',';
        append_json_string(out, members[i].key);
        out += ':';
        below = std::max(below, members[i].value.append_to(out));
      }
      out += '}';
      return below + 1;
    }
  };
  return std::visit(Writer{out}, data_);
}

std::size_t Tree::levels() const {
  std::size_t below = 0;
  if (const auto* items = as_list())
    for (const auto& item : *items) below = std::max(below, item.levels());
  else if (const auto* members = as_map())
    for (const auto& [key, value] : *members) below = std::max(below, value.levels());
  else
    return 0;
  return below + 1;
}

std::string Tree::text() const {
  std::string out;
  append_to(out);
  return out;
}

std::optional<std::int64_t> Tree::as_integer() const {
  const auto* number = as_number();
  return number == nullptr ? std::nullopt : parse_integer(number->text);
}

std::string Tree::scalar_text() const {
  if (const auto* text = as_string()) return *text;
  if (const auto* number = as_number()) return number->text;
  if (const auto* flag = as_bool()) return *flag ? "true" : "false";
  return {};
}

const Tree* Tree::find(std::string_view key) const {
  const auto* members = as_map();
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(), [&](const auto& one) { return one.key == key; });
  return found == members->end() ? nullptr : &found->value;
}

const Tree* Tree::at(std::string_view path) const {
  const auto* out = this;
  for (const auto step : split(path, '.')) {
    out = out->find(step);
    if (out == nullptr) return nullptr;
  }
  return out;
}

std::string_view Tree::text_at(std::string_view path) const {
  const auto* found = at(path);
  const auto* text = found == nullptr ? nullptr : found->as_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::optional<std::int64_t> Tree::integer_at(std::string_view path) const {
  const auto* found = at(path);
  return found == nullptr ? std::nullopt : found->as_integer();
}

bool Tree::true_at(std::string_view path) const {
  const auto* found = at(path);
  const auto* flag = found == nullptr ? nullptr : found->as_bool();
  return flag != nullptr && *flag;
}

Tree& Tree::operator[](std::string_view key) {
  if (!is_map()) data_ = Map();
  if (auto* found = find(key)) return *found;
  return std::get<Map>(data_).emplace_back(Member{std::string(key), Tree()}).value;
}

Tree& Tree::make(std::string_view path) {
  auto* out = this;
  for (const auto step : split(path, '.')) out = &(*out)[step];
  return *out;
}

void Tree::erase(std::string_view key) {
  if (auto* members = as_map()) std::erase_if(*members, [&](const auto& one) { return one.key == key; });
}

void Tree::erase_at(std::string_view path) {
  const auto dot = path.rfind('.');
  auto* parent = dot == std::string_view::npos ? this : at(path.substr(0, dot));
  if (parent != nullptr) parent->erase(path.substr(dot == std::string_view::npos ? 0 : dot + 1));
}

void Tree::push_back(Tree item) {
  if (!is_list()) data_ = List();
  std::get<List>(data_).push_back(std::move(item));
}

bool Tree::operator==(const Tree& other) const {
  if (data_.index() != other.data_.index()) return false;
  if (const auto* number = as_number()) return number->text == other.as_number()->text;
  if (const auto* text = as_string()) return *text == *other.as_string();
  if (const auto* flag = as_bool()) return *flag == *other.as_bool();
  if (const auto* items = as_list()) return *items == *other.as_list();
  const auto* members = as_map();
  if (members == nullptr) return true;
  const auto& others = *other.as_map();
  if (std::ranges::equal(*members, others, {}, &Member::key, &Member::key))
    return std::ranges::equal(*members, others, {}, &Member::value, &Member::value);
  return members->size() == others.size() &&
         std::ranges::equal(by_key(*members), by_key(others),
                            [](const auto* one, const auto* same) { return one->key == same->key && one->value == same->value; });
}

std::vector<std::pair<std::string, std::string>> texts_of(const Tree* map) {
  std::vector<std::pair<std::string, std::string>> out;
  if (map == nullptr || !map->is_map()) return out;
  for (const auto& [key, value] : *map->as_map())
    if (const auto* text = value.as_string()) out.emplace_back(key, *text);
  return out;
}

}  // namespace muster::sim
