#include "app/cluster_files.h"

#include "app/cluster_intake.h"
#include "codec/input.h"

namespace muster {
namespace {

Result<void> read_into(ClusterIntake& intake, const Input& input, const Progress& progress) {
  constexpr std::uint64_t kStride = 4096;
  const auto read = read_objects(input, [&](Object&& object, const Location& location) {
    if (intake.objects() % kStride == 0) progress("reading objects", intake.objects());
    return intake.take(std::move(object), location);
  });
  if (!read) return fail(read.error());
  intake.count(*read);
  return {};
}

}  // namespace

Result<LoadedCluster> load_cluster(const std::vector<std::string>& paths, volcano::ClusterOptions options, const Progress& progress,
                                   Objects objects) {
  ClusterIntake intake(std::move(options), objects);
  for (const auto& path : paths) {
    const auto files = input_files(path);
    if (!files) return fail(files.error());
    for (const auto& file : *files) {
      progress("reading " + file, intake.objects());
      const auto input = Input::read(file);
      if (!input) return fail(input.error());
      if (auto done = read_into(intake, *input, progress); !done) return fail(std::move(done.error()));
    }
  }
  return intake.finish();
}

Result<LoadedCluster> load_cluster_text(std::string_view text, const std::string& file, volcano::ClusterOptions options) {
  ClusterIntake intake(std::move(options));
  const auto input = Input::of_text(text, file);
  if (!input) return fail(input.error());
  if (auto done = read_into(intake, *input, [](std::string_view, std::uint64_t) {}); !done) return fail(std::move(done.error()));
  return intake.finish();
}

}  // namespace muster
