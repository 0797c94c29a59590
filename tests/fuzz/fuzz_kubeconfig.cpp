// Arbitrary bytes as a kubeconfig or as what a credential plugin prints: understood or refused with a reason, never more.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "codec/base64.h"
#include "kube/exec_credential.h"
#include "kube/kubeconfig.h"

extern "C" const char* __lsan_default_suppressions() { return "leak:libfyaml"; }  // NOLINT: the sanitizer's name

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  using namespace muster::kube;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto file = read_kubeconfig(text, "/fuzz/config")) {
    const KubeconfigFile files[] = {std::move(*file)};
    for (const auto* context : {"", "a"}) {
      const auto access = access_of(files, context);
      MUSTER_ASSERT(access ? !access->server.empty() : !access.error().message.empty());
    }
  } else {
    MUSTER_ASSERT(!file.error().message.empty());
  }
  if (const auto bytes = base64_decoded(text)) MUSTER_ASSERT(base64_decoded(base64_encoded(*bytes)) == bytes);
  if (const auto credential = read_exec_credential(text, "client.authentication.k8s.io/v1"))
    MUSTER_ASSERT(!credential->token.empty() || !credential->certificate.empty());
  return 0;
}
