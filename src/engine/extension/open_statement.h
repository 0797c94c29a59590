#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/extension/host.h"

namespace muster {

// A dialect's statement in the hands of an extension. It is committed or discarded once; whatever is asked of it then is refused.
template <class Statement>
class OpenStatement : public ::muster_statement {
 public:
  // The rule has to live as long as the session's outbox.
  template <class Session>
  OpenStatement(muster_session& seen, Session& session, std::string_view rule)
      : seen_(seen), rule_(rule), statement_(std::in_place, session) {}

  bool is_open() const { return statement_.has_value(); }
  muster_session& session() override { return seen_; }

  muster_status commit() override {
    if (!is_open()) return MUSTER_INVALID;
    statement_->commit(rule_);
    statement_.reset();
    return MUSTER_OK;
  }
  muster_status discard() override {
    if (!is_open()) return MUSTER_INVALID;
    statement_->discard();
    statement_.reset();
    return MUSTER_OK;
  }

 protected:
  Statement& statement() { return *statement_; }
  std::string_view rule() const { return rule_; }

 private:
  muster_session& seen_;
  std::string_view rule_;
  std::optional<Statement> statement_;
};

// All that were opened in a session, closed ones too: a handle that is used once more must not crash.
class OpenStatements {
 public:
  muster_statement* add(std::unique_ptr<muster_statement> statement) { return all_.emplace_back(std::move(statement)).get(); }
  // The latest first; how many were open.
  std::size_t discard() {
    std::size_t open = 0;
    for (auto statement = all_.rbegin(); statement != all_.rend(); ++statement) open += (*statement)->discard() == MUSTER_OK;
    return open;
  }

 private:
  std::deque<std::unique_ptr<muster_statement>> all_;
};

}  // namespace muster
