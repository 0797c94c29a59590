#include <gtest/gtest.h>

#include "codec/deflate.h"
#include "codec/object_bytes.h"

namespace muster {
namespace {

template <class T>
std::string bytes(const T& value) {
  std::string out;
  ByteWriter writer(out);
  write_plain(writer, value);
  return out;
}

template <class T>
bool reads(std::string_view text, T& value) {
  ByteReader reader(text);
  read_plain(reader, value);
  return reader.good() && reader.left() == 0;
}

TEST(PlainBytes, AQuantityIsTheSameAgain) {
  for (const char* text :
       {"0", "1Gi", "5m", "1.5", "0.1n", "-2e3", "0.5Ki", "0.0000001Ki", "-1.5Gi", "9E", "100E", "1e99", "0.00001"}) {
    const auto quantity = *Quantity::parse(text);
    Quantity read;
    ASSERT_TRUE(reads(bytes(quantity), read)) << text;
    EXPECT_EQ(read, quantity) << text;
    EXPECT_EQ(read.format(), quantity.format()) << text;
    EXPECT_EQ(read.written_exponent(), quantity.written_exponent()) << text;
    EXPECT_EQ(read.text(), quantity.text()) << text;
  }
}

TEST(PlainBytes, NumbersKeepTheirSignAndSize) {
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63}, std::int64_t{-64}, std::int64_t{1} << 40,
                                    std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    std::int64_t read = 7;
    EXPECT_TRUE(reads(bytes(number), read));
    EXPECT_EQ(read, number);
  }
  std::int32_t small = 0;
  EXPECT_FALSE(reads(bytes(std::int64_t{1} << 40), small)) << "it is too large for the field";
  std::uint64_t most = 0;
  EXPECT_TRUE(reads(bytes(~std::uint64_t{0}), most));
  EXPECT_EQ(most, ~std::uint64_t{0});
  EXPECT_FALSE(reads("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", most)) << "65 bits";
  double inexact = 0;
  EXPECT_TRUE(reads(bytes(0.1), inexact));
  EXPECT_EQ(inexact, 0.1);
}

Pod a_full_pod() {
  Pod pod;
  pod.meta.name = "a";
  pod.meta.ns = "ns";
  pod.meta.created = {1'767'225'600, 5};
  pod.meta.deleted = Timestamp{1, 2};
  pod.meta.labels.set("k", "v");
  pod.meta.owners = {{"Job", "j", "u", true}};
  pod.spec.priority = -3;
  pod.spec.containers.push_back({});
  pod.spec.containers[0].requests["cpu"] = *Quantity::parse("250m");
  pod.spec.pod_requests = ResourceList{{"memory", *Quantity::parse("1Gi")}};
  pod.spec.tolerations = {{"key", TolerationOp::kExists, "", TaintEffect::kNoExecute}};
  pod.spec.affinity.node_required = NodeSelector{{{{{"zone", SelectorOp::kNotIn, {"a", "b"}}}, {}}}};
  pod.spec.volumes = {{"v", "claim", true, "image"}};
  pod.status.conditions = {{"Ready", "True", "r", "m", "", {7, 0}}};
  pod.numa_predicted = {{"node-0", {{"cpu", *Quantity::parse("2")}}}};
  return pod;
}

TEST(PlainBytes, ObjectsAreTheSameAgain) {
  DeviceRequest request;
  request.name = "gpu";
  request.alternatives = {request, request};
  ResourceClaim claim;
  claim.requests = {request};
  ResourceSlice slice;
  slice.devices.push_back({});
  slice.devices[0].attributes["model"] = VersionText{"1.2.3"};
  slice.devices[0].attributes["unknown"] = std::monostate();
  for (const Object& object : {Object(a_full_pod()), Object(claim), Object(slice), Object(KaiQueue())}) {
    Object read;
    const auto written = bytes(object);
    ASSERT_TRUE(reads(written, read));
    EXPECT_EQ(read.index(), object.index());
    EXPECT_EQ(bytes(read), written);
  }
  Object read;
  ASSERT_TRUE(reads(bytes(Object(a_full_pod())), read));
  EXPECT_EQ(std::get<Pod>(read).spec.affinity, a_full_pod().spec.affinity);
  EXPECT_EQ(std::get<Pod>(read).meta.labels, a_full_pod().meta.labels);
}

TEST(PlainBytes, WhatBreaksOffIsRefused) {
  const auto written = bytes(Object(a_full_pod()));
  for (std::size_t size = 0; size < written.size(); ++size) {
    Object read;
    EXPECT_FALSE(reads(std::string_view(written).substr(0, size), read)) << size;
  }
}

TEST(PlainBytes, ValuesThatDoNotExistAreRefused) {
  TaintEffect effect{};
  EXPECT_TRUE(reads(std::string_view("\x02", 1), effect));
  EXPECT_FALSE(reads(std::string_view("\x03", 1), effect));
  bool flag = false;
  EXPECT_FALSE(reads(std::string_view("\x02", 1), flag));
  Object object;
  EXPECT_FALSE(reads(std::string_view("\x7f\x00", 2), object)) << "there are not so many kinds";
  std::vector<std::string> many;
  EXPECT_FALSE(reads(std::string_view("\xff\xff\xff\xff\x0f", 5), many));
  plain::QuantityParts parts{.whole = 0, .nano = 1'000'000'000};
  Quantity quantity;
  EXPECT_FALSE(reads(bytes(parts), quantity));
}

TEST(PlainBytes, NothingIsNestedWithoutEnd) {
  DeviceRequest request;
  for (int i = 0; i < 200; ++i) {
    DeviceRequest outer;
    outer.alternatives.push_back(std::move(request));
    request = std::move(outer);
  }
  DeviceRequest read;
  EXPECT_FALSE(reads(bytes(request), read));
}

TEST(PlainBytes, TheShapeTellsTypesApart) {
  EXPECT_EQ(plain_shape<Timestamp>(), "{i8i4}");
  EXPECT_EQ(plain_shape<std::vector<std::optional<Taint>>>(), "[?{sse2}]");
  EXPECT_NE(plain_shape<Pod>(), plain_shape<Node>());
  EXPECT_NE(plain_shape<DeviceRequest>().find('^'), std::string::npos) << "it holds its own kind";
}

TEST(Deflate, PiecesComeOutAsTheyWentIn) {
  DeflateStream pack;
  InflateStream unpack;
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 300'000; ++i) noise.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
  for (const auto& piece : {std::string(1, 'x'), std::string(100'000, 'y'), noise, noise.substr(0, 100), noise.substr(0, 100)}) {
    const auto packed = pack.pack(piece);
    const auto got = unpack.unpack(packed, piece.size());
    ASSERT_TRUE(got) << got.error().message;
    EXPECT_EQ(*got, piece);
  }
}

TEST(Deflate, WhatIsNotWhatItSaysIsRefused) {
  const std::string piece = "some text that is packed, some text that is packed";
  const auto packed = DeflateStream().pack(piece);
  EXPECT_FALSE(InflateStream().unpack(packed, piece.size() - 1));
  EXPECT_FALSE(InflateStream().unpack(packed, piece.size() + 1));
  EXPECT_FALSE(InflateStream().unpack(packed.substr(0, packed.size() / 2), piece.size()));
  EXPECT_FALSE(InflateStream().unpack("no such thing", 5));
  EXPECT_EQ(checksum("123456789"), 0xcbf43926u);
}

}  // namespace
}  // namespace muster
