#include "kube/credentials.h"

#include "codec/base64.h"
#include "kube/text_file.h"

namespace muster::kube {
namespace {

Result<std::string> read_pem(const PemSource& source) {
  if (!source.text.empty() || source.file.empty()) return source.text;
  return read_text_file(source.file);
}

// A file that is just being written may be empty.
Result<std::string> read_token(const std::string& file) {
  const auto text = read_text_file(file);
  if (!text) return fail(text.error());
  auto token = trimmed(*text);
  if (token.empty()) return fail(Error("there is no token in it", Location{file, 0, 0}));
  return token;
}

}  // namespace

Result<std::unique_ptr<Credentials>> Credentials::open(Access access, const Clock& clock, OnProblem on_problem) {
  std::unique_ptr<Credentials> out(new Credentials(std::move(access), clock, std::move(on_problem)));
  if (out->access_.exec) {
    auto credential = run_exec_plugin(out->access_, kLongestPlugin);
    if (!credential) return fail(credential.error());
    out->plugin_ = std::move(*credential);
    out->plugin_at_ = clock.now();
  }
  auto secrets = out->read(out->plugin_);
  if (!secrets) return fail(secrets.error());
  out->secrets_ = std::make_shared<const Secrets>(std::move(*secrets));
  out->read_at_ = clock.now();
  return out;
}

Credentials::~Credentials() {
  if (runner_.joinable()) runner_.join();
}

std::shared_ptr<const Secrets> Credentials::current() {
  const std::lock_guard lock(mutex_);
  const auto now = clock_.now();
  if (access_.exec && !running_ && plugin_is_stale()) {
    if (runner_.joinable()) runner_.join();  // it has ended
    running_ = true;
    plugin_at_ = now;
    runner_ = std::thread([this] { run_plugin(); });
  }
  if (now - read_at_ >= kReread || (refused_ && now - read_at_ >= std::chrono::seconds(1))) {
    read_at_ = now;
    refused_ = false;
    renew();
  }
  return secrets_;
}

void Credentials::renew() {
  auto fresh = read(plugin_);
  if (!fresh) return tell(fresh.error().text());
  secrets_ = std::make_shared<const Secrets>(std::move(*fresh));
  if (!access_.exec) told_.clear();
}

void Credentials::tell(const std::string& problem) {
  if (std::exchange(told_, problem) != problem && on_problem_) on_problem_("credentials cannot be renewed: " + problem);
}

void Credentials::refused() {
  const std::lock_guard lock(mutex_);
  refused_ = true;
}

// Not more often than every few seconds, whatever the plugin says.
bool Credentials::plugin_is_stale() const {
  constexpr std::int64_t kAheadSeconds = 60;
  constexpr Duration kRest = std::chrono::seconds(5);
  if (clock_.now() - plugin_at_ < kRest) return false;
  return refused_ || (plugin_ && plugin_->expires && plugin_->expires->seconds <= clock_.wall().seconds + kAheadSeconds);
}

void Credentials::run_plugin() {
  auto credential = run_exec_plugin(access_, kLongestPlugin);
  const std::lock_guard lock(mutex_);
  running_ = false;
  if (!credential) return tell(credential.error().text());
  told_.clear();
  plugin_ = std::move(*credential);
  refused_ = false;
  renew();
}

Result<Secrets> Credentials::read(const std::optional<ExecCredential>& plugin) const {
  Secrets out;
  for (const auto& [source, into] :
       {std::pair{&access_.authority, &out.authority}, std::pair{&access_.client_certificate, &out.certificate},
        std::pair{&access_.client_key, &out.key}}) {
    auto text = read_pem(*source);
    if (!text) return fail(text.error());
    *into = std::move(*text);
  }
  std::string token = access_.token;
  if (!access_.token_file.empty()) {
    auto latest = read_token(access_.token_file);
    // A token that is given beside the file does until the file could be read once.
    if (!latest && (token.empty() || secrets_)) return fail(latest.error());
    if (latest) token = std::move(*latest);
  }
  if (plugin && !plugin->token.empty()) token = plugin->token;
  if (plugin && !plugin->certificate.empty()) {
    out.certificate = plugin->certificate;
    out.key = plugin->key;
  }
  if (!token.empty())
    out.authorization = "Bearer " + token;
  else if (!access_.user.empty())
    out.authorization = "Basic " + base64_encoded(access_.user + ":" + access_.password);
  return out;
}

}  // namespace muster::kube
