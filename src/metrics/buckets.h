#pragma once

#include <vector>

namespace muster::metrics {

// Upper bounds of a histogram's buckets, ascending and finite; the last bucket, without a bound, is not listed.
using Buckets = std::vector<double>;

// `count` bounds from `first` to `last`, each the same factor above the one before. They are the very numbers that the originals
// export, to the last bit: `last` itself is often missed by one, and the text of a bound is part of a series' name.
Buckets geometric(double first, double last, int count);

// `count` bounds: start, start·factor, start·factor·factor, …
Buckets exponential(double start, double factor, int count);

}  // namespace muster::metrics
