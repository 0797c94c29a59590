#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/tape_mirror.h"

namespace muster::daemon::tape {

// An entry on its way to whoever listens.
struct Note {
  std::string entry;
  std::string key = {};  // of the object that it is about
  std::vector<Assumption> assumed = {};
};

// Whoever is told all that a cluster is told, and what it decides. Called on the deciding thread: must not wait.
class Listener {
 public:
  virtual ~Listener() = default;

  // A new life, which ends the one before it.
  virtual void begin(Opening opening) = 0;
  virtual void note(Note note) = 0;
  // The life is over.
  virtual void end() = 0;
};

// Several at once.
class Listeners final : public Listener {
 public:
  explicit Listeners(std::vector<std::shared_ptr<Listener>> all) : all_(std::move(all)) {}
  void begin(Opening opening) override {
    for (const auto& one : all_) one->begin(opening);
  }
  void note(Note note) override {
    for (const auto& one : all_) one->note(note);
  }
  void end() override {
    for (const auto& one : all_) one->end();
  }

 private:
  const std::vector<std::shared_ptr<Listener>> all_;
};

}  // namespace muster::daemon::tape
