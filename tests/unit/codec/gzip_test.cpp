#include "codec/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace muster {
namespace {

std::string unpacked(const std::string& packed, std::size_t most) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(most, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Gzip, WhatIsUnpackedIsWhatWasPacked) {
  std::string noise;
  for (unsigned i = 0, state = 1; i < 100'000; ++i) noise += static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U);
  for (const auto& text : {std::string(), std::string("a"), std::string(1'000'000, 'x'), noise})
    EXPECT_TRUE(unpacked(gzip(text), text.size() + 1) == text) << text.size();
}

TEST(Gzip, RepetitionIsPackedShort) {
  std::string rows;
  for (int i = 0; i < 10'000; ++i) rows += R"({"node":"gpu-)" + std::to_string(i) + R"(","unschedulable":false,"pods":8},)";
  EXPECT_LT(gzip(rows).size() * 5, rows.size());
}

}  // namespace
}  // namespace muster
