#include "kube/kubeconfig.h"

#include <filesystem>
#include <set>

#include "codec/base64.h"
#include "codec/value_json.h"
#include "codec/yaml_value.h"
#include "model/quoted.h"

namespace muster::kube {
namespace {

// Reads the fields of one map and keeps the first thing that is wrong with them, so that the reading itself stays plain.
class Fields {
 public:
  Fields(const Value& map, std::string path, const std::string& file, std::optional<Error>& error)
      : map_(map), path_(std::move(path)), file_(file), error_(error) {
    if (!map.is_null() && map.as_map() == nullptr) wrong(map, {}, "must be a map, not " + std::string(map.type_name()));
  }

  std::string text(std::string_view key) const {
    const auto* value = find(key);
    if (value == nullptr) return {};
    if (const auto* string = value->as_string()) return *string;
    wrong(*value, key, "must be a string, not " + std::string(value->type_name()));
    return {};
  }
  bool flag(std::string_view key) const {
    const auto* value = find(key);
    if (value == nullptr) return false;
    if (const auto* truth = value->as_bool()) return *truth;
    wrong(*value, key, "must be true or false, not " + std::string(value->type_name()));
    return false;
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> out;
    for (const auto& item : list(key)) {
      if (const auto* string = item.as_string())
        out.push_back(*string);
      else
        wrong(item, key, "must be a list of strings");
    }
    return out;
  }
  const Value::List& list(std::string_view key) const {
    static const Value::List kNone;
    const auto* value = find(key);
    if (value == nullptr) return kNone;
    if (const auto* items = value->as_list()) return *items;
    wrong(*value, key, "must be a list, not " + std::string(value->type_name()));
    return kNone;
  }
  Fields inner(std::string_view key) const {
    static const Value kNothing;
    const auto* value = find(key);
    return {value == nullptr ? kNothing : *value, joined(key), file_, error_};
  }
  // Base64 in one field, or the path of a file in another.
  PemSource pem(std::string_view data_key, std::string_view file_key) const {
    PemSource out{{}, path(file_key)};
    const auto data = text(data_key);
    if (data.empty()) return out;
    auto decoded = base64_decoded(data);
    if (!decoded) wrong(*find(data_key), data_key, "is not base64");
    out.text = decoded.value_or("");
    return out;
  }
  // A path, which is relative to the folder of the kubeconfig.
  std::string path(std::string_view key) const {
    const auto given = text(key);
    if (given.empty()) return {};
    return (std::filesystem::path(file_).parent_path() / given).lexically_normal().string();
  }

  const Value* find(std::string_view key) const {
    const auto* value = map_.as_map() == nullptr ? nullptr : map_.find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  void wrong(const Value& at, std::string_view key, std::string message) const {
    if (error_) return;
    error_ = Error(std::move(message), Location{file_, at.line(), at.column()});
    error_->field = joined(key);
  }
  void wrong(std::string_view key, std::string message) const {
    const auto* value = find(key);
    wrong(value == nullptr ? map_ : *value, key, std::move(message));
  }
  const std::string& file() const { return file_; }
  bool empty() const { return map_.as_map() == nullptr; }
  const Value::Map& members() const {
    static const Value::Map kNone;
    return empty() ? kNone : *map_.as_map();
  }

 private:
  std::string joined(std::string_view key) const {
    if (key.empty() || path_.empty()) return path_ + std::string(key);
    return path_ + "." + std::string(key);
  }

  const Value& map_;
  std::string path_;
  const std::string& file_;
  std::optional<Error>& error_;
};

// What stands under a name in one of the three lists: `- name: x` beside `cluster: {...}`, `user: {...}` or `context: {...}`.
struct Entry {
  const KubeconfigFile* file = nullptr;
  const Value* item = nullptr;
};

struct List {
  std::string_view key;   // "clusters"
  std::string_view body;  // "cluster"
};
constexpr List kClusters{"clusters", "cluster"};
constexpr List kUsers{"users", "user"};
constexpr List kContexts{"contexts", "context"};

Entry find_entry(std::span<const KubeconfigFile> files, const List& list, const std::string& name) {
  for (const auto& file : files) {
    const auto* items = file.root.find(list.key);
    if (items == nullptr || items->as_list() == nullptr) continue;
    for (const auto& item : *items->as_list())
      if (const auto* text = item.find("name"); text != nullptr && text->as_string() != nullptr && *text->as_string() == name)
        return {&file, &item};
  }
  return {};
}

std::string known_names(std::span<const KubeconfigFile> files, const List& list) {
  std::string out;
  for (const auto& file : files)
    if (const auto* items = file.root.find(list.key); items != nullptr && items->as_list() != nullptr)
      for (const auto& item : *items->as_list())
        if (const auto* name = item.find("name"); name != nullptr && name->as_string() != nullptr)
          out += (out.empty() ? "" : ", ") + muster::quoted(*name->as_string());
  return out.empty() ? "there is none" : "there is " + out;
}

Fields body_of(const Entry& entry, const List& list, const std::string& name, std::optional<Error>& error) {
  static const Value kNothing;
  const auto* body = entry.item->find(list.body);
  return {body == nullptr ? kNothing : *body, std::string(list.key) + "[" + name + "]." + std::string(list.body), entry.file->name,
          error};
}

void check_list(const Fields& root, const List& list, std::optional<Error>& error) {
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const auto& item : root.list(list.key)) {
    const Fields fields(item, std::string(list.key) + "[" + std::to_string(index++) + "]", root.file(), error);
    const auto name = fields.text("name");
    static_cast<void>(fields.inner(list.body));
    if (name.empty()) fields.wrong("name", "must not be empty");
    if (!seen.insert(name).second) fields.wrong("name", muster::quoted(name) + " is there twice");
  }
}

// What the extension for credential plugins says, as JSON.
std::string read_exec_config(const Fields& cluster) {
  for (const auto& item : cluster.list("extensions")) {
    if (item.as_map() == nullptr) continue;
    const auto* name = item.find("name");
    const auto* extension = item.find("extension");
    const bool is_it = name != nullptr && name->as_string() != nullptr && *name->as_string() == "client.authentication.k8s.io/exec";
    if (is_it && extension != nullptr) return json_of_value(*extension);
  }
  return {};
}

void read_cluster(const Fields& cluster, Access& out) {
  out.server = cluster.text("server");
  if (const auto wrong = check_server(out.server)) cluster.wrong("server", *wrong);
  out.authority = cluster.pem("certificate-authority-data", "certificate-authority");
  out.tls_server_name = cluster.text("tls-server-name");
  out.proxy = cluster.text("proxy-url");
  out.exec_config = read_exec_config(cluster);
  out.check_certificate = !cluster.flag("insecure-skip-tls-verify");
  if (!out.check_certificate && !out.authority.empty())
    cluster.wrong("insecure-skip-tls-verify", "excludes a certificate-authority: one of them must go");
}

ExecSettings read_exec(const Fields& exec) {
  constexpr std::string_view kGroup = "client.authentication.k8s.io/";
  ExecSettings out;
  out.api_version = exec.text("apiVersion");
  if (out.api_version != std::string(kGroup) + "v1" && out.api_version != std::string(kGroup) + "v1beta1")
    exec.wrong("apiVersion", "must be " + std::string(kGroup) + "v1 or v1beta1, not " + muster::quoted(out.api_version));
  out.command = exec.text("command");
  if (out.command.empty()) exec.wrong("command", "must not be empty");
  // Like a shell: a name without a slash is looked for in PATH.
  if (out.command.find('/') != std::string::npos) out.command = exec.path("command");
  out.arguments = exec.texts("args");
  out.install_hint = exec.text("installHint");
  out.wants_cluster = exec.flag("provideClusterInfo");
  if (exec.text("interactiveMode") == "Always") exec.wrong("interactiveMode", "asks for a terminal, and there is none here");
  std::optional<Error> wrong;
  for (const auto& item : exec.list("env")) {
    const Fields variable(item, "exec.env", exec.file(), wrong);
    out.environment.emplace_back(variable.text("name"), variable.text("value"));
    if (wrong) exec.wrong(item, "env", "must be a list of name and value");
  }
  return out;
}

Impersonation read_impersonation(const Fields& user) {
  Impersonation out{user.text("as"), user.text("as-uid"), user.texts("as-groups"), {}};
  const auto extra = user.inner("as-user-extra");
  for (const auto& [key, values] : extra.members())
    if (const auto* name = key.as_string()) out.extra[*name] = extra.texts(*name);
  if (out.user.empty() && (!out.uid.empty() || !out.groups.empty() || !out.extra.empty()))
    user.wrong("as", "must be given with as-uid, as-groups or as-user-extra");
  return out;
}

void read_user(const Fields& user, Access& out) {
  out.client_certificate = user.pem("client-certificate-data", "client-certificate");
  out.client_key = user.pem("client-key-data", "client-key");
  if (out.client_certificate.empty() != out.client_key.empty())
    user.wrong(out.client_key.empty() ? "client-key" : "client-certificate", "is missing: a client certificate needs both");
  out.token = user.text("token");
  out.token_file = user.path("tokenFile");
  out.user = user.text("username");
  out.password = user.text("password");
  out.impersonate = read_impersonation(user);
  if (user.find("exec") != nullptr) out.exec = read_exec(user.inner("exec"));
  if (const auto* provider = user.find("auth-provider"))
    user.wrong(*provider, "auth-provider", "is no longer supported by Kubernetes; use an exec plugin");
}

std::string current_context(std::span<const KubeconfigFile> files) {
  for (const auto& file : files)
    if (const auto* value = file.root.find("current-context"); value != nullptr && value->as_string() != nullptr)
      if (!value->as_string()->empty()) return *value->as_string();
  return {};
}

}  // namespace

Result<KubeconfigFile> read_kubeconfig(std::string_view text, const std::string& file) {
  auto root = read_yaml_value(text, file);
  if (!root) return fail(root.error());
  KubeconfigFile out{file, std::move(*root)};
  std::optional<Error> error;
  const Fields fields(out.root, {}, out.name, error);
  static_cast<void>(fields.text("current-context"));
  for (const auto& list : {kClusters, kUsers, kContexts}) check_list(fields, list, error);
  const auto kind = fields.text("kind");
  if (!kind.empty() && kind != "Config") fields.wrong("kind", "must be Config, so this is no kubeconfig");
  if (error) return fail(std::move(*error));
  return out;
}

Result<Access> access_of(std::span<const KubeconfigFile> files, const std::string& context) {
  const auto first = files.empty() ? Location{} : Location{files.front().name, 0, 0};
  const auto name = context.empty() ? current_context(files) : context;
  if (name.empty())
    return fail(Error("has no current-context; choose one with --context: " + known_names(files, kContexts), first));
  const auto chosen = find_entry(files, kContexts, name);
  if (chosen.item == nullptr)
    return fail(Error("has no context " + muster::quoted(name) + ": " + known_names(files, kContexts), first));

  std::optional<Error> error;
  Access out;
  const auto body = body_of(chosen, kContexts, name, error);
  const auto cluster_name = body.text("cluster");
  const auto user_name = body.text("user");
  if (const auto ns = body.text("namespace"); !ns.empty()) out.default_namespace = ns;
  const auto cluster = find_entry(files, kClusters, cluster_name);
  if (cluster.item == nullptr)
    body.wrong("cluster", muster::quoted(cluster_name) + " is no cluster of this kubeconfig: " + known_names(files, kClusters));
  else
    read_cluster(body_of(cluster, kClusters, cluster_name, error), out);
  const auto user = find_entry(files, kUsers, user_name);
  if (user.item != nullptr)
    read_user(body_of(user, kUsers, user_name, error), out);
  else if (!user_name.empty())
    body.wrong("user", muster::quoted(user_name) + " is no user of this kubeconfig: " + known_names(files, kUsers));
  if (error) return fail(std::move(*error));
  complete_server(out);
  out.origin = "context " + muster::quoted(name);
  return out;
}

}  // namespace muster::kube
