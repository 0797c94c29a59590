#include "daemon/profiler.h"

#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

#include "app/http_client.h"
#include "daemon/monitor.h"
#include "daemon/pprof.h"
#include "unit/daemon/soon.h"
#include "unit/server/raw_client.h"

namespace muster::daemon {

// Uses so much processor time. It has to be there under this name.
[[gnu::noinline]] std::uint64_t burn_for_a_profile(std::int64_t millis);

std::uint64_t burn_for_a_profile(std::int64_t millis) {
  const auto used = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
  };
  volatile std::uint64_t value = 1;
  for (const auto end = used() + millis; used() < end;)
    for (int i = 0; i < 100'000; ++i) value = value * 6364136223846793005U + 1;
  return value;
}

namespace {

constexpr std::string_view kBurner = "burn_for_a_profile";

std::uint64_t seen_in(const StackSamples& samples, std::string_view function, ProgramSymbols& symbols) {
  std::uint64_t seen = 0;
  for (const auto& [stack, count] : samples.stacks)
    for (const auto address : stack)
      if (symbols.function_at(address).find(function) != std::string::npos) {
        seen += count;
        break;
      }
  return seen;
}

TEST(StackSampler, SeesWhoUsesTheProcessor) {
  auto sampler = StackSampler::begin();
  ASSERT_TRUE(sampler);
  std::thread(burn_for_a_profile, 400).join();
  const auto samples = (*sampler)->end();
  EXPECT_GT(samples.taken, 15u);
  EXPECT_LT(samples.taken, 80u);
  EXPECT_EQ(samples.lost, 0u);
  ProgramSymbols symbols;
  EXPECT_GT(seen_in(samples, kBurner, symbols) * 10, samples.taken * 8);
}

TEST(StackSampler, OneAtATimeAndThenAnother) {
  auto sampler = StackSampler::begin();
  ASSERT_TRUE(sampler);
  EXPECT_FALSE(StackSampler::begin());
  EXPECT_EQ((*sampler)->end().stacks.size(), (*sampler)->end().stacks.size());
  EXPECT_TRUE(StackSampler::begin());  // and ends at once
  EXPECT_TRUE(StackSampler::begin());
}

TEST(StackSampler, TakesNothingWhenItHasEnded) {
  auto sampler = StackSampler::begin();
  ASSERT_TRUE(sampler);
  const auto before = (*sampler)->end().taken;
  burn_for_a_profile(50);
  EXPECT_EQ((*sampler)->end().taken, before);
}

TEST(ProgramSymbols, NamesFunctionsOfTheProgramAndOfLibraries) {
  ProgramSymbols symbols;
  const auto here = reinterpret_cast<std::uintptr_t>(&burn_for_a_profile);
  EXPECT_EQ(symbols.function_at(here), "muster::daemon::burn_for_a_profile(long)");
  EXPECT_EQ(symbols.function_at(here + 8), symbols.function_at(here));
  EXPECT_NE(symbols.function_at(reinterpret_cast<std::uintptr_t>(&::getpid)).find("getpid"), std::string::npos);
  ASSERT_NE(symbols.mapping_of(here), nullptr);
  EXPECT_NE(symbols.mapping_of(here)->file.find("unit_daemon"), std::string::npos);
  const int nowhere = 0;
  EXPECT_EQ(symbols.mapping_of(reinterpret_cast<std::uintptr_t>(&nowhere)), nullptr);
  EXPECT_EQ(symbols.function_at(0), "");
}

// A message taken apart: the numbers and the texts of each field.
struct Fields {
  std::map<std::uint64_t, std::vector<std::uint64_t>> numbers;
  std::map<std::uint64_t, std::vector<std::string>> texts;
};

std::uint64_t varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (int shift = 0; !text.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

Fields fields_of(std::string_view text) {
  Fields fields;
  while (!text.empty()) {
    const auto key = varint(text);
    const auto number = varint(text);
    if ((key & 7) == 0) {
      fields.numbers[key >> 3].push_back(number);
      continue;
    }
    EXPECT_EQ(key & 7, 2u);
    EXPECT_LE(number, text.size());
    fields.texts[key >> 3].emplace_back(text.substr(0, number));
    text.remove_prefix(std::min<std::size_t>(number, text.size()));
  }
  return fields;
}

std::vector<std::uint64_t> packed_numbers(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) numbers.push_back(varint(text));
  return numbers;
}

TEST(Pprof, HasSamplesWithTheirFunctions) {
  const auto here = reinterpret_cast<std::uintptr_t>(&burn_for_a_profile) + 4;
  StackSamples samples;
  samples.stacks[{here, 1}] = 3;  // the second is nobody's
  samples.taken = 3;
  samples.lost = 7;
  ProgramSymbols symbols;
  const auto profile = fields_of(pprof_message(samples, {.began_nanos = 5, .lasted_nanos = 6}, symbols));
  const auto& texts = profile.texts.at(6);
  EXPECT_EQ(texts.at(0), "");
  ASSERT_EQ(profile.texts.at(2).size(), 1u);
  const auto sample = fields_of(profile.texts.at(2)[0]);
  EXPECT_EQ(packed_numbers(sample.texts.at(1)[0]), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(packed_numbers(sample.texts.at(2)[0]), (std::vector<std::uint64_t>{3, 30'000'000}));
  ASSERT_EQ(profile.texts.at(4).size(), 2u);
  const auto location = fields_of(profile.texts.at(4)[0]);
  EXPECT_EQ(location.numbers.at(3), std::vector<std::uint64_t>{here});
  const auto line = fields_of(location.texts.at(4)[0]);
  EXPECT_EQ(line.numbers.at(1), std::vector<std::uint64_t>{1});
  const auto function = fields_of(profile.texts.at(5).at(0));
  EXPECT_EQ(texts.at(function.numbers.at(2)[0]), "muster::daemon::burn_for_a_profile(long)");
  const auto mapping = fields_of(profile.texts.at(3).at(location.numbers.at(2)[0] - 1));
  EXPECT_EQ(mapping.numbers.at(1), location.numbers.at(2));
  EXPECT_LE(mapping.numbers.at(2)[0], here);
  EXPECT_GT(mapping.numbers.at(3)[0], here);
  EXPECT_NE(texts.at(mapping.numbers.at(5)[0]).find("unit_daemon"), std::string::npos);
  EXPECT_FALSE(fields_of(profile.texts.at(4)[1]).texts.contains(4));
  EXPECT_EQ(profile.numbers.at(9), std::vector<std::uint64_t>{5});
  EXPECT_EQ(profile.numbers.at(10), std::vector<std::uint64_t>{6});
  EXPECT_EQ(profile.numbers.at(12), std::vector<std::uint64_t>{10'000'000});
  EXPECT_EQ(texts.at(profile.numbers.at(13)[0]), "7 samples were lost");
}

// Over a socket, by the one who shows all else of a scheduler, too.
class ProfilerTest : public testing::Test {
 protected:
  void start(const std::string& listen, const std::string& profiles) {
    monitor_ = std::make_unique<Monitor>(MonitorSettings{.listen = listen, .healthz = {}, .profiles = profiles},
                                         Monitor::Questions{.ready = [] { return true; }, .leading = [] { return true; }}, log_);
    ASSERT_TRUE(monitor_->start());
  }
  void TearDown() override {
    if (monitor_) monitor_->stop();
  }
  HttpResponse get(const std::string& path, std::size_t server = 0) {
    HttpClient client;
    HttpRequest request;
    request.url = "http://127.0.0.1:" + std::to_string(ports_.at(server)) + path;
    request.timeout_nanos = 20'000'000'000;
    request.largest_answer = std::size_t{16} << 20;
    auto answer = client.send(request);
    return answer ? std::move(*answer) : HttpResponse{.status = 0, .body = answer.error().message};
  }
  server::RawClient raw(const std::string& line) {
    server::RawClient client(static_cast<std::uint16_t>(ports_.at(0)));
    client.send(line + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client;
  }

  kube::SystemClock clock_;
  std::vector<int> ports_;
  Log log_{{}, clock_, [this](std::string_view line) {
             if (const auto at = line.find("port="); at != std::string_view::npos)
               ports_.push_back(std::atoi(line.data() + at + 5));
           }};
  std::unique_ptr<Monitor> monitor_;
};

TEST_F(ProfilerTest, IsNotServedUnlessAskedFor) {
  start("127.0.0.1:0", "");
  EXPECT_EQ(get("/debug/pprof/profile?seconds=1").status, 404);
}

TEST_F(ProfilerTest, GivesAProfileWhereTheRestIs) {
  start("127.0.0.1:0", "127.0.0.1:0");
  ASSERT_EQ(ports_.size(), 1u);
  const auto began = std::chrono::steady_clock::now();
  const auto profile = get("/debug/pprof/profile?seconds=1");
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::seconds(1));
  EXPECT_EQ(profile.status, 200);
  EXPECT_TRUE(profile.body.starts_with("\x1f\x8b")) << profile.body.size();
  EXPECT_EQ(get("/readyz").status, 200);
}

TEST_F(ProfilerTest, HasAnAddressOfItsOwn) {
  start("127.0.0.1:0", "localhost:0");
  ASSERT_EQ(ports_.size(), 2u);
  EXPECT_EQ(get("/debug/pprof/profile?seconds=1", 0).status, 404);
  EXPECT_EQ(get("/metrics", 1).status, 404);
  EXPECT_EQ(get("/debug/pprof/profile?seconds=1", 1).status, 200);
}

TEST_F(ProfilerTest, RefusesWhatIsNoLength) {
  start("127.0.0.1:0", "127.0.0.1:0");
  for (const std::string seconds : {"0", "-1", "121", "x", "", "1.5"})
    EXPECT_EQ(get("/debug/pprof/profile?seconds=" + seconds).status, 400) << seconds;
}

TEST_F(ProfilerTest, IsNotForStrangers) {
  start("127.0.0.1:0", "127.0.0.1:0");
  server::RawClient client(static_cast<std::uint16_t>(ports_.at(0)));
  client.send("GET /debug/pprof/profile?seconds=1 HTTP/1.1\r\nHost: stranger.example\r\n\r\n");
  EXPECT_EQ(server::status_of(client.read_answer()), "403");
}

TEST_F(ProfilerTest, TakesOneAtATimeAndEndsOneThatNobodyWaitsFor) {
  start("127.0.0.1:0", "127.0.0.1:0");
  auto first = raw("GET /debug/pprof/profile?seconds=120");
  EXPECT_NE(first.read_until("\r\n\r\n").find("200 OK"), std::string::npos);
  EXPECT_EQ(get("/debug/pprof/profile?seconds=1").status, 503);
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(server::status_of(raw("HEAD /debug/pprof/profile").read_until("\r\n\r\n")), "200");
  first.close();
  EXPECT_TRUE(soon([&] { return get("/debug/pprof/profile?seconds=1").status == 200; }));
}

TEST_F(ProfilerTest, EndsWithTheProcess) {
  start("127.0.0.1:0", "127.0.0.1:0");
  auto client = raw("GET /debug/pprof/profile?seconds=120");
  client.read_until("\r\n\r\n");
  const auto began = std::chrono::steady_clock::now();
  monitor_->stop();
  monitor_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

}  // namespace
}  // namespace muster::daemon
