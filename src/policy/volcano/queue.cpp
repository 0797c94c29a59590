#include "policy/volcano/queue.h"

namespace muster::volcano {

void JobSums::add(const JobSums& other) {
  allocated += other.allocated;
  request += other.request;
  inqueue += other.inqueue;
  elastic += other.elastic;
  overcommitted += other.overcommitted;
}

void JobSums::subtract(const JobSums& other) {
  allocated -= other.allocated;
  request -= other.request;
  inqueue -= other.inqueue;
  elastic -= other.elastic;
  overcommitted -= other.overcommitted;
}

}  // namespace muster::volcano
