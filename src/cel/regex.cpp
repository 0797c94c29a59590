#include "cel/regex.h"

#include <cctype>
#include <optional>

#include "model/quoted.h"

namespace muster::cel {
namespace {

constexpr std::size_t kMaxSteps = 4000;
constexpr int kMaxNesting = 100;
constexpr int kMaxRepeat = 1000;

bool is_word_byte(unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }

}  // namespace

// Turns the pattern into a program of steps, by recursive descent. Each part is compiled behind the steps that are there already.
class Regex::Compiler {
 public:
  explicit Compiler(std::string_view pattern) : pattern_(pattern) {}

  Result<Regex> run() {
    alternatives(0);
    if (ok() && at_ != pattern_.size()) fail_with("unexpected )");
    if (!ok()) return fail("error parsing regexp: " + error_ + ": `" + std::string(pattern_) + "`");
    emit({});
    Regex regex;
    regex.program_ = std::move(steps_);
    return regex;
  }

 private:
  bool ok() const { return error_.empty(); }
  void fail_with(std::string text) {
    if (ok()) error_ = std::move(text);
  }
  bool more() const { return ok() && at_ < pattern_.size(); }
  char peek() const { return pattern_[at_]; }
  bool eat(char c) {
    if (!more() || peek() != c) return false;
    ++at_;
    return true;
  }

  std::uint32_t emit(Step step) {
    if (steps_.size() >= kMaxSteps) fail_with("expression too large");
    if (ok()) steps_.push_back(step);
    return static_cast<std::uint32_t>(steps_.size()) - 1;
  }
  std::uint32_t here() const { return static_cast<std::uint32_t>(steps_.size()); }

  void alternatives(int depth) {
    if (depth > kMaxNesting) return fail_with("expression nests too deeply");
    const auto flags = fold_case_;
    const auto begin = here();
    sequence(depth);
    std::vector<std::uint32_t> ends;
    auto start = begin;
    while (eat('|')) {
      // Everything compiled for the last alternative moves one step on, to make room for the choice before it.
      insert_split(start);
      ends.push_back(emit({Step::Kind::kJump, {}, 0, 0}));
      if (!ok()) return;
      steps_[start].other = here();
      start = here();
      sequence(depth);
    }
    if (!ok()) return;
    for (const auto end : ends) steps_[end].next = here();
    fold_case_ = flags;
  }

  // Puts a split before the steps from `start` on; it goes on with them, and its other way is set by the caller.
  void insert_split(std::uint32_t start) {
    const auto count = here() - start;
    emit({});
    if (!ok()) return;
    for (auto i = start + count; i > start; --i) {
      steps_[i] = steps_[i - 1];
      shift(steps_[i], start);
    }
    steps_[start] = Step{Step::Kind::kSplit, {}, start + 1, 0};
  }
  static void shift(Step& step, std::uint32_t from) {
    if (step.kind != Step::Kind::kSplit && step.kind != Step::Kind::kJump) {
      if (step.next >= from) ++step.next;
      return;
    }
    if (step.next >= from) ++step.next;
    if (step.kind == Step::Kind::kSplit && step.other >= from) ++step.other;
  }

  void sequence(int depth) {
    while (more() && peek() != '|' && peek() != ')') {
      const auto begin = here();
      const auto from = at_;
      if (!atom(depth)) return;
      repeat(begin, from);
    }
  }

  bool atom(int depth) {
    const char c = peek();
    ++at_;
    switch (c) {
      case '(': return group(depth);
      case '[': return bracket();
      case '.': {
        Bytes any;
        any.fill(~std::uint64_t{0});
        any[0] &= ~(std::uint64_t{1} << '\n');
        return byte_step(any);
      }
      case '^': return plain(Step::Kind::kBegin);
      case '$': return plain(Step::Kind::kEnd);
      case '*':
      case '+':
      case '?': fail_with("missing argument to repetition operator"); return false;
      case '\\': return escape();
      default: return literal(c);
    }
  }

  bool group(int depth) {
    const bool outside = fold_case_;
    if (eat('?')) {
      if (eat('P')) {
        if (!skip_name()) return false;
      } else if (!eat(':') && !flags()) {
        return false;
      }
      if (closed_by_flags_) {
        closed_by_flags_ = false;
        return ok();
      }
    }
    alternatives(depth + 1);
    fold_case_ = outside;
    if (ok() && !eat(')')) fail_with("missing closing )");
    return ok();
  }

  bool skip_name() {
    if (!eat('<')) {
      fail_with("invalid named capture");
      return false;
    }
    while (more() && peek() != '>') ++at_;
    if (!eat('>')) fail_with("invalid named capture");
    return ok();
  }

  // "(?i)" for the rest of the group, "(?i:...)" for a group of its own.
  bool flags() {
    bool on = true;
    while (more() && peek() != ')' && peek() != ':') {
      const char c = peek();
      ++at_;
      if (c == '-')
        on = false;
      else if (c == 'i')
        fold_case_ = on;
      else if (c != 's' && c != 'U') {
        fail_with("invalid or unsupported Perl syntax");
        return false;
      }
    }
    if (eat(')')) {
      closed_by_flags_ = true;
      return true;
    }
    if (!eat(':')) fail_with("missing argument to repetition operator");
    return ok();
  }

  bool plain(Step::Kind kind) {
    const auto step = emit({kind, {}, 0, 0});
    if (ok()) steps_[step].next = here();
    return ok();
  }
  bool byte_step(const Bytes& bytes) {
    const auto step = emit({Step::Kind::kBytes, bytes, 0, 0});
    if (ok()) steps_[step].next = here();
    return ok();
  }
  void add(Bytes& bytes, unsigned char c) const {
    const auto set = [&](unsigned char b) { bytes[b / 64] |= std::uint64_t{1} << (b % 64); };
    set(c);
    if (fold_case_ && std::isalpha(c) != 0) set(static_cast<unsigned char>(std::tolower(c))), set(static_cast<unsigned char>(std::toupper(c)));
  }
  bool literal(char c) {
    Bytes bytes{};
    add(bytes, static_cast<unsigned char>(c));
    return byte_step(bytes);
  }

  // The set behind a class letter such as d or W, if it is one.
  std::optional<Bytes> named_class(char c) const {
    Bytes bytes{};
    for (unsigned b = 0; b < 256; ++b) {
      const auto byte = static_cast<unsigned char>(b);
      bool in = false;
      switch (std::tolower(static_cast<unsigned char>(c))) {
        case 'd': in = std::isdigit(byte) != 0; break;
        case 'w': in = is_word_byte(byte); break;
        case 's': in = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r'; break;
        default: return std::nullopt;
      }
      if (in != (std::isupper(static_cast<unsigned char>(c)) != 0)) bytes[b / 64] |= std::uint64_t{1} << (b % 64);
    }
    return bytes;
  }

  std::optional<char> escaped_char() {
    if (!more()) {
      fail_with("trailing backslash at end of expression");
      return std::nullopt;
    }
    const char c = peek();
    ++at_;
    switch (c) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      case 'f': return '\f';
      case 'v': return '\v';
      case 'a': return '\a';
      default: break;
    }
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      fail_with("invalid escape sequence");
      return std::nullopt;
    }
    return c;
  }

  bool escape() {
    if (more()) {
      const char c = peek();
      if (const auto bytes = named_class(c)) {
        ++at_;
        return byte_step(*bytes);
      }
      if (eat('A')) return plain(Step::Kind::kBegin);
      if (eat('z')) return plain(Step::Kind::kEnd);
      if (eat('b')) return plain(Step::Kind::kWordEdge);
      if (eat('B')) return plain(Step::Kind::kNoWordEdge);
    }
    const auto c = escaped_char();
    return c && literal(*c);
  }

  bool bracket() {
    Bytes bytes{};
    const bool negated = eat('^');
    for (bool first = true; first || (more() && peek() != ']'); first = false) {
      if (!more()) break;
      if (pattern_.substr(at_).starts_with("[:")) {
        if (!posix_class(bytes)) return false;
        continue;
      }
      if (peek() == '\\' && at_ + 1 < pattern_.size())
        if (const auto named = named_class(pattern_[at_ + 1])) {
          for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] |= (*named)[i];
          at_ += 2;
          continue;
        }
      const auto low = bracket_char();
      if (!low) return false;
      auto high = low;
      if (at_ + 1 < pattern_.size() && peek() == '-' && pattern_[at_ + 1] != ']') {
        ++at_;
        high = bracket_char();
        if (!high) return false;
      }
      if (static_cast<unsigned char>(*high) < static_cast<unsigned char>(*low)) {
        fail_with("invalid character class range");
        return false;
      }
      for (unsigned b = static_cast<unsigned char>(*low); b <= static_cast<unsigned char>(*high); ++b)
        add(bytes, static_cast<unsigned char>(b));
    }
    if (!eat(']')) {
      fail_with("missing closing ]");
      return false;
    }
    if (negated)
      for (auto& word : bytes) word = ~word;
    return byte_step(bytes);
  }

  std::optional<char> bracket_char() {
    const char c = peek();
    ++at_;
    if (c != '\\') return c;
    return escaped_char();
  }

  bool posix_class(Bytes& bytes) {
    const auto end = pattern_.find(":]", at_);
    const auto name = end == std::string_view::npos ? std::string_view() : pattern_.substr(at_ + 2, end - at_ - 2);
    const auto test = name == "alpha"   ? &isalpha
                      : name == "digit" ? &isdigit
                      : name == "alnum" ? &isalnum
                      : name == "lower" ? &islower
                      : name == "upper" ? &isupper
                      : name == "space" ? &isspace
                      : name == "punct" ? &ispunct
                                        : nullptr;
    if (test == nullptr) {
      fail_with("invalid character class range");
      return false;
    }
    for (int b = 0; b < 128; ++b)
      if (test(b) != 0) bytes[static_cast<std::size_t>(b) / 64] |= std::uint64_t{1} << (b % 64);
    at_ = end + 2;
    return true;
  }

  // Repetitions of what was compiled from `begin` on, whose text begins at `from`.
  void repeat(std::uint32_t begin, std::size_t from) {
    int low = 1;
    int high = 1;
    if (eat('*')) {
      low = 0, high = -1;
    } else if (eat('+')) {
      high = -1;
    } else if (eat('?')) {
      low = 0;
    } else if (!counted(low, high)) {
      return;
    }
    eat('?');  // whether it takes little or much does not matter for whether it matches
    if (more() && (peek() == '*' || peek() == '+' || peek() == '?')) return fail_with("invalid nested repetition operator");
    expand(begin, from, low, high);
  }

  // "{2}", "{2,}", "{2,5}"; anything else in braces is literal text.
  bool counted(int& low, int& high) {
    if (!more() || peek() != '{') return false;
    auto at = at_ + 1;
    const auto number = [&](int& out) {
      const auto start = at;
      out = 0;
      while (at < pattern_.size() && std::isdigit(static_cast<unsigned char>(pattern_[at])) != 0 && out <= kMaxRepeat)
        out = out * 10 + (pattern_[at++] - '0');
      return at != start;
    };
    if (!number(low)) return false;
    high = low;
    if (at < pattern_.size() && pattern_[at] == ',') {
      ++at;
      if (at < pattern_.size() && pattern_[at] == '}')
        high = -1;
      else if (!number(high))
        return low = high = 1, false;
    }
    if (at >= pattern_.size() || pattern_[at] != '}') return low = high = 1, false;
    if (low > kMaxRepeat || high > kMaxRepeat || (high >= 0 && high < low)) {
      fail_with("invalid repeat count");
      return false;
    }
    at_ = at + 1;
    return true;
  }

  void expand(std::uint32_t begin, std::size_t from, int low, int high) {
    const auto resume = at_;
    const auto again = [&] {
      if (++copies_ > kMaxSteps) return fail_with("expression too large");
      at_ = from;
      atom(0);
      at_ = resume;
    };
    if (low == 0) steps_.resize(begin);
    for (int i = 1; i < low && ok(); ++i) again();
    if (high < 0) {
      // As often as wanted: a choice before one more copy, which leads back to the choice.
      const auto choice = emit({Step::Kind::kSplit, {}, 0, 0});
      if (!ok()) return;
      steps_[choice].next = here();
      again();
      const auto back = emit({Step::Kind::kJump, {}, choice, 0});
      if (!ok()) return;
      steps_[choice].other = back + 1;
      return;
    }
    std::vector<std::uint32_t> choices;
    for (int i = low; i < high && ok(); ++i) {
      choices.push_back(emit({Step::Kind::kSplit, {}, 0, 0}));
      if (!ok()) return;
      steps_[choices.back()].next = here();
      again();
    }
    if (!ok()) return;
    for (const auto choice : choices) steps_[choice].other = here();
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::size_t copies_ = 0;
  bool fold_case_ = false;
  bool closed_by_flags_ = false;
  std::vector<Step> steps_;
  std::string error_;
};

Result<Regex> Regex::compile(std::string_view pattern) { return Compiler(pattern).run(); }

// The steps at which the simulation stands, each at most once.
struct Regex::Threads {
  std::vector<std::uint32_t> list;
  std::vector<char> present;
  bool matched = false;
  std::vector<std::uint32_t> open;

  void reset(std::size_t steps) {
    list.clear();
    present.assign(steps, 0);
    matched = false;
  }
};

// Adds a step and everything that can be reached from it without reading.
void Regex::follow(Threads& threads, std::uint32_t step, std::string_view text, std::size_t at) const {
  threads.open.assign(1, step);
  while (!threads.open.empty()) {
    const auto current = threads.open.back();
    threads.open.pop_back();
    if (threads.present[current] != 0) continue;
    threads.present[current] = 1;
    const auto& s = program_[current];
    const auto word_edge = [&] {
      const bool before = at > 0 && is_word_byte(static_cast<unsigned char>(text[at - 1]));
      const bool after = at < text.size() && is_word_byte(static_cast<unsigned char>(text[at]));
      return before != after;
    };
    switch (s.kind) {
      case Step::Kind::kMatch: threads.matched = true; break;
      case Step::Kind::kBytes: threads.list.push_back(current); break;
      case Step::Kind::kJump: threads.open.push_back(s.next); break;
      case Step::Kind::kSplit: threads.open.push_back(s.other), threads.open.push_back(s.next); break;
      case Step::Kind::kBegin:
        if (at == 0) threads.open.push_back(s.next);
        break;
      case Step::Kind::kEnd:
        if (at == text.size()) threads.open.push_back(s.next);
        break;
      case Step::Kind::kWordEdge:
        if (word_edge()) threads.open.push_back(s.next);
        break;
      case Step::Kind::kNoWordEdge:
        if (!word_edge()) threads.open.push_back(s.next);
        break;
    }
  }
}

bool Regex::search(std::string_view text) const {
  Threads now, next;
  now.reset(program_.size());
  for (std::size_t at = 0;; ++at) {
    follow(now, 0, text, at);
    if (now.matched) return true;
    if (at == text.size()) return false;
    next.reset(program_.size());
    const auto byte = static_cast<unsigned char>(text[at]);
    for (const auto step : now.list)
      if (((program_[step].bytes[byte / 64] >> (byte % 64)) & 1u) != 0) follow(next, program_[step].next, text, at + 1);
    std::swap(now, next);
  }
}

}  // namespace muster::cel
