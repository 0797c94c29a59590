#include "policy/kai/actions/extension_action.h"

#include <fmt/format.h>

#include "policy/kai/extension_session.h"

namespace muster::kai {

void run_extension_action(ExtensionInstance& extension, Session& session) {
  ExtensionSession seen(session, extension.name());
  muster_text why{nullptr, 0};
  const auto status = extension.action().execute(extension.self(), &seen, &why);
  if (const auto open = seen.discard_open(); open != 0)
    session.warn(fmt::format("the action \"{}\" left {} open, which {} taken back", extension.name(),
                             open == 1 ? "a statement" : fmt::format("{} statements", open), open == 1 ? "was" : "were"));
  if (status == MUSTER_OK) return;
  const auto text = text_from(why);
  session.warn(fmt::format("the action \"{}\" failed: {}", extension.name(), text.empty() ? "it does not say why" : text));
}

}  // namespace muster::kai
