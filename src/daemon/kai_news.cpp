#include "daemon/kai_news.h"

#include <functional>

#include "base/wording.h"
#include "policy/kai/original_text.h"

namespace muster::daemon {

KaiNews::News KaiNews::look_at(const std::string& object, const std::string& text, const Timestamp& now) {
  const auto hash = std::hash<std::string>()(text);
  const auto [known, is_new] = told_.try_emplace(object);
  auto& told = known->second;
  if (!is_new && told.hash == hash) return News::kNone;
  const auto words = std::hash<std::string>()(without_numbers(text));
  const bool only_numbers = !is_new && told.words == words;
  if (only_numbers && now.seconds - told.seconds < kai::kNumbersLast) return News::kNone;
  told = {hash, words, now.seconds};
  return only_numbers ? News::kNumbers : News::kWords;
}

}  // namespace muster::daemon
