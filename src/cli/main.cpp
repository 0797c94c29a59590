#include <cstdio>
#include <string>

#include "app/batch.h"

int main(int argc, char** argv) {
  muster::BatchOptions options;
  std::string path;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--timing") options.timing = true;
    if (argument == "--batch" && i + 1 < argc) path = argv[i + 1];
    if (argument == "reference") options.search = muster::SearchKind::kReference;
  }
  const auto done = muster::run_batch(path, options, [](const std::string& line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
  });
  if (done) return 0;
  std::fprintf(stderr, "muster: %s\n", done.error().text().c_str());
  return 1;
}
