#include "metrics/process_metrics.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "metrics/prefixed_registry.h"

namespace muster::metrics {
namespace {

std::string content_of(const char* file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// When the machine started, in seconds since 1970; 0 when it does not say.
double boot_time() {
  std::istringstream lines(content_of("/proc/stat"));
  for (std::string name, rest; lines >> name; std::getline(lines, rest))
    if (double seconds = 0; name == "btime" && lines >> seconds) return seconds;
  return 0;
}

double open_files() {
  std::error_code failed;
  const std::filesystem::directory_iterator files("/proc/self/fd", failed);
  return failed ? 0 : static_cast<double>(std::distance(begin(files), end(files)));
}

double most(int resource) {
  rlimit limit{};
  return getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0 ? static_cast<double>(limit.rlim_cur) : 0;
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  // The program's name, in parentheses, may hold anything; what follows are fields 3, 4, …
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  std::istringstream fields{std::string(text.substr(name_end + 1))};
  std::string skipped;
  const auto skip = [&](int count) {
    while (count-- > 0) fields >> skipped;
  };
  ProcessStat out;
  skip(11);
  fields >> out.user_ticks >> out.system_ticks;
  skip(6);
  fields >> out.start_ticks >> out.virtual_bytes >> out.resident_pages;
  if (!fields) return std::nullopt;
  return out;
}

ProcessMetrics::ProcessMetrics(Registry& registry)
    : cpu_seconds(registry.counter("process_cpu_seconds_total", "Time that the process has spent on processors, in seconds.")),
      resident_memory_bytes(registry.gauge("process_resident_memory_bytes", "Memory that the process occupies.")),
      virtual_memory_bytes(registry.gauge("process_virtual_memory_bytes", "Addresses that the process has reserved.")),
      virtual_memory_max_bytes(
          registry.gauge("process_virtual_memory_max_bytes", "Addresses that the process may reserve at most.")),
      open_fds(registry.gauge("process_open_fds", "Files and sockets that the process has open.")),
      max_fds(registry.gauge("process_max_fds", "Files and sockets that the process may have open at most.")),
      start_time_seconds(registry.gauge("process_start_time_seconds", "When the process started, in seconds since 1970.")) {
  registry.before_text([this] { refresh(); });
}

void ProcessMetrics::refresh() {
  open_fds.set(open_files());
  max_fds.set(most(RLIMIT_NOFILE));
  virtual_memory_max_bytes.set(most(RLIMIT_AS));
  const auto stat = parse_process_stat(content_of("/proc/self/stat"));
  if (!stat) return;
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  cpu_seconds.raise_to((stat->user_ticks + stat->system_ticks) / ticks_per_second);
  resident_memory_bytes.set(stat->resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  virtual_memory_bytes.set(stat->virtual_bytes);
  start_time_seconds.set(boot_time() + stat->start_ticks / ticks_per_second);
}

}  // namespace muster::metrics
