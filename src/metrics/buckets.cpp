#include "metrics/buckets.h"

#include <cmath>

#include "base/assert.h"

namespace muster::metrics {
namespace {

// By squaring, because it rounds as the originals' library does; std::pow is more exact and so gives other numbers.
double power(double base, int exponent) {
  double out = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) out *= base;
  return out;
}

}  // namespace

Buckets geometric(double first, double last, int count) {
  MUSTER_ASSERT(first > 0 && last > first && count > 1);
  const double factor = std::exp(1.0 / (count - 1) * std::log(last / first));
  Buckets out;
  for (int i = 0; i < count; ++i) out.push_back(first * power(factor, i));
  return out;
}

Buckets exponential(double start, double factor, int count) {
  MUSTER_ASSERT(start > 0 && factor > 1 && count > 0);
  Buckets out;
  for (; count > 0; --count, start *= factor) out.push_back(start);
  return out;
}

}  // namespace muster::metrics
