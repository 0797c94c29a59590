#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/ids.h"

namespace muster::volcano {

// A card of a node and who has it, for people to look at.
struct CardUse {
  struct Amount {
    std::string resource;
    double used = 0;
    double total = 0;
  };

  CardUse(std::string name, std::string asked_as) : card(std::move(name)), resource(std::move(asked_as)) {}

  std::string card;  // as annotations of pods name it
  std::string resource;
  double used = 0;  // from 0 to 1: the largest of its shares
  std::vector<Amount> amounts;
  std::vector<PodId> pods;

  // It is shared by this, memory or cores for example.
  void share(std::string name, double part, double all) {
    if (all > 0) used = std::clamp(part / all, used, 1.0);
    amounts.push_back({std::move(name), part, all});
  }
};

}  // namespace muster::volcano
