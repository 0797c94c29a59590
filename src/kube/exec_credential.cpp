#include "kube/exec_credential.h"

#include "codec/base64.h"
#include "codec/json_writer.h"
#include "kube/process.h"
#include "kube/text_file.h"
#include "model/json.h"
#include "model/quoted.h"

namespace muster::kube {
namespace {

// KUBERNETES_EXEC_INFO: what the plugin is told.
std::string exec_info(const Access& access) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("kind", "ExecCredential").member("apiVersion", access.exec->api_version);
  json.key("spec").begin_object();
  if (access.exec->wants_cluster) {
    json.key("cluster").begin_object().member("server", access.server);
    if (!access.tls_server_name.empty()) json.member("tls-server-name", access.tls_server_name);
    if (!access.check_certificate) json.member("insecure-skip-tls-verify", true);
    if (!access.proxy.empty()) json.member("proxy-url", access.proxy);
    std::string authority = access.authority.text;
    if (authority.empty() && !access.authority.file.empty()) authority = read_text_file(access.authority.file).value_or("");
    if (!authority.empty()) json.member("certificate-authority-data", base64_encoded(authority));
    if (!access.exec_config.empty()) json.key("config").raw(access.exec_config);
    json.end_object();
  }
  json.member("interactive", false).end_object().end_object();
  return out;
}

}  // namespace

Result<ExecCredential> read_exec_credential(std::string_view text, const std::string& api_version) {
  const auto json = read_json(trimmed(text));
  if (!json || json->kind != Json::Kind::kMap) {
    // Not what it printed: that may be a secret.
    return fail("did not print an ExecCredential, but " + std::to_string(text.size()) + " bytes of something else");
  }
  if (text_at(&*json, "kind") != "ExecCredential" || text_at(&*json, "apiVersion") != api_version)
    return fail("printed a " + muster::quoted(text_at(&*json, "apiVersion") + " " + text_at(&*json, "kind")) +
                ", not an ExecCredential of " + api_version);
  const auto* status = json->find("status");
  ExecCredential out{text_at(status, "token"), text_at(status, "clientCertificateData"), text_at(status, "clientKeyData"), {}};
  if (out.token.empty() && out.certificate.empty()) return fail("printed neither a token nor a client certificate");
  if (out.certificate.empty() != out.key.empty()) return fail("printed a client certificate or a key without the other");
  if (const auto expires = text_at(status, "expirationTimestamp"); !expires.empty()) {
    const auto parsed = Timestamp::parse_rfc3339(expires);
    if (!parsed) return fail("printed an expirationTimestamp that is none: " + muster::quoted(expires));
    out.expires = *parsed;
  }
  return out;
}

Result<ExecCredential> run_exec_plugin(const Access& access, Duration longest) {
  const auto& exec = *access.exec;
  Program program{exec.command, exec.arguments, exec.environment};
  program.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_info(access));
  const auto hint = exec.install_hint.empty() ? "" : "; " + shortened(exec.install_hint);
  const auto output = output_of(program, longest);
  if (!output) return fail("credential plugin " + output.error().message + hint);
  auto credential = read_exec_credential(*output, exec.api_version);
  if (!credential) return fail("credential plugin " + muster::quoted(exec.command) + " " + credential.error().message);
  return credential;
}

}  // namespace muster::kube
