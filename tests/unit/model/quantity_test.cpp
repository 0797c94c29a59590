#include "model/quantity.h"

#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

namespace muster {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Quantity quantity(std::string_view text) {
  auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : Quantity();
}

struct GoodQuantity {
  std::string_view text;
  std::int64_t units;
  std::int64_t milli;
  std::string_view canonical;
};

class QuantityTest : public testing::TestWithParam<GoodQuantity> {};

TEST_P(QuantityTest, IsReadAndPrinted) {
  const auto& [text, units, milli, canonical] = GetParam();
  const Quantity parsed = quantity(text);
  EXPECT_EQ(parsed.units(), units) << text;
  EXPECT_EQ(parsed.milli(), milli) << text;
  EXPECT_EQ(parsed.text(), canonical) << text;
  EXPECT_EQ(quantity(parsed.text()), parsed) << text;
}

constexpr GoodQuantity kGood[] = {
    {"0", 0, 0, "0"},
    {"-0", 0, 0, "0"},
    {"000", 0, 0, "0"},
    {"0Ki", 0, 0, "0"},
    {"0e5", 0, 0, "0"},
    {"1", 1, 1000, "1"},
    {"+1", 1, 1000, "1"},
    {"007", 7, 7000, "7"},
    {"100m", 1, 100, "100m"},
    {"1500m", 2, 1500, "1500m"},
    {"2000m", 2, 2000, "2"},
    {"1.5", 2, 1500, "1500m"},
    {".5", 1, 500, "500m"},
    {"5.", 5, 5000, "5"},
    {"1.G", 1'000'000'000, 1'000'000'000'000, "1G"},
    {"0.1", 1, 100, "100m"},
    {"1u", 1, 1, "1u"},
    {"1n", 1, 1, "1n"},
    {"1000000n", 1, 1, "1m"},
    {"0.9n", 1, 1, "1n"},
    {"0.0000000001", 1, 1, "1n"},
    {"1.0000000001", 2, 1001, "1000000001n"},
    {"1.2345", 2, 1235, "1234500u"},
    {"1k", 1000, 1'000'000, "1k"},
    {"1000k", 1'000'000, 1'000'000'000, "1M"},
    {"1M", 1'000'000, 1'000'000'000, "1M"},
    {"1T", 1'000'000'000'000, 1'000'000'000'000'000, "1T"},
    {"1P", 1'000'000'000'000'000, 1'000'000'000'000'000'000, "1P"},
    {"1E", 1'000'000'000'000'000'000, kMax, "1E"},
    {"1Ki", 1024, 1'024'000, "1Ki"},
    {"1023Ki", 1'047'552, 1'047'552'000, "1023Ki"},
    {"1024Ki", 1'048'576, 1'048'576'000, "1Mi"},
    {"187.5Ki", 192'000, 192'000'000, "192000"},  // binary: no decimal suffix, though 192k would be shorter
    {"1.5Gi", 1'610'612'736, 1'610'612'736'000, "1536Mi"},
    {"0.5Ki", 512, 512'000, "512"},
    {"0.1Ki", 103, 102'400, "102400m"},
    {"1.1Ki", 1127, 1'126'400, "1126400m"},
    {"0.0001Ki", 1, 103, "102400u"},
    {"1Ti", 1'099'511'627'776, 1'099'511'627'776'000, "1Ti"},
    {"1Pi", 1'125'899'906'842'624, 1'125'899'906'842'624'000, "1Pi"},
    {"1Ei", 1'152'921'504'606'846'976, kMax, "1Ei"},
    {"1e3", 1000, 1'000'000, "1e3"},
    {"1E3", 1000, 1'000'000, "1e3"},
    {"1e+3", 1000, 1'000'000, "1e3"},
    {"12e6", 12'000'000, 12'000'000'000, "12e6"},
    {"1500e-3", 2, 1500, "1500e-3"},
    {"1e-9", 1, 1, "1e-9"},
    {"1e-30", 1, 1, "1e-9"},
    {"100e1", 1000, 1'000'000, "1e3"},
    {"-1", -1, -1000, "-1"},
    {"-1500m", -2, -1500, "-1500m"},
    {"-0.5", -1, -500, "-500m"},
    {"-1n", -1, -1, "-1n"},
    {"-1k", -1000, -1'000'000, "-1k"},
    {"-1Ki", -1024, -1'024'000, "-1Ki"},
    {"-0.1n", -1, -1, "-1n"},
    {"9223372036854775807", kMax, kMax, "9223372036854775807"},
    {"9223372036854775808", kMax, kMax, "9223372036854775807"},
    {"100E", kMax, kMax, "9223372036854775807"},
    {"8Ei", kMax, kMax, "9223372036854775807"},
    {"1e400000000000", kMax, kMax, "9223372036854775807e0"},
    {"-8Ei", -kMax, std::numeric_limits<std::int64_t>::min(), "-9223372036854775807"},
    {"274877906944", 274877906944, 274877906944000, "274877906944"},
    {"123456789012345678901234567890", kMax, kMax, "9223372036854775807"},
    {"0.1234567890123456789012345", 1, 124, "123456790n"},
    {"1.00000000000000000000000000000000001Ki", 1025, 1'024'001, "1024000000001n"},
    {"0.00000000000000000000000000000000001Ei", 1, 1, "1n"},
    {"1.0000000000000000000000000000000000Ki", 1024, 1'024'000, "1Ki"},
    {"1000000000000000000000e-21", 1, 1000, "1"},
};

// The canonical text has no exponent of zero; the table writes one where only the value is of interest.
INSTANTIATE_TEST_SUITE_P(Good, QuantityTest, testing::ValuesIn([] {
                           std::vector<GoodQuantity> all(std::begin(kGood), std::end(kGood));
                           for (auto& row : all)
                             if (row.canonical.ends_with("e0")) row.canonical.remove_suffix(2);
                           return all;
                         }()));

TEST(Quantity, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"",      "+",    "-",   ".",   "k",   "Gi",   "e3",  "abc",   "1x",   "1 ",
        " 1",    "1Gii", "1ki", "1KI", "1iK", "1e",   "1e+", "1e3.5", "1ee3", "1e3k",
        "1.5.5", "--1",  "+-1", "1-",  "1,5", "0x10", "NaN", "inf",   "1mm",  "1e99999999999999999999",
        "١"}) {
    const auto parsed = Quantity::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("is not a quantity"), std::string::npos) << text;
  }
}

TEST(Quantity, RemembersItsFormat) {
  EXPECT_EQ(quantity("1").format(), Quantity::Format::kDecimalSi);
  EXPECT_EQ(quantity("1Ki").format(), Quantity::Format::kBinarySi);
  EXPECT_EQ(quantity("1e3").format(), Quantity::Format::kDecimalExponent);
  EXPECT_EQ(quantity("0.0001Ki").format(), Quantity::Format::kDecimalSi);
}

TEST(Quantity, ComparesByValue) {
  EXPECT_EQ(quantity("1Ki"), quantity("1024"));
  EXPECT_EQ(quantity("1000m"), quantity("1e0"));
  EXPECT_LT(quantity("999m"), quantity("1"));
  EXPECT_LT(quantity("-2"), quantity("-1500m"));
  EXPECT_LT(quantity("-1500m"), quantity("-1"));
  EXPECT_GT(quantity("1n"), quantity("0"));
}

TEST(Quantity, IsMadeFromNumbers) {
  EXPECT_EQ(Quantity::from_units(1024, Quantity::Format::kBinarySi).text(), "1Ki");
  EXPECT_EQ(Quantity::from_milli(1500).text(), "1500m");
  EXPECT_EQ(Quantity::from_milli(-1500).text(), "-1500m");
  EXPECT_EQ(Quantity::from_milli(-1500).milli(), -1500);
  EXPECT_EQ(Quantity::from_milli(-1000).units(), -1);
}

RC_GTEST_PROP(QuantityProperty, TextReadsBackTheSame, (std::int64_t number)) {
  using Format = Quantity::Format;
  const auto format = *rc::gen::element(Format::kDecimalSi, Format::kBinarySi, Format::kDecimalExponent);
  const auto q = *rc::gen::element(Quantity::from_units(number, format), Quantity::from_milli(number, format));
  if (q.units() == std::numeric_limits<std::int64_t>::min()) return;  // one below what a text can say
  const auto again = Quantity::parse(q.text());
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == q);
}

RC_GTEST_PROP(QuantityProperty, LongAndShortFormsAgree, (std::uint32_t digits)) {
  const auto suffix = *rc::gen::element<std::string>("", "n", "u", "m", "k", "M", "Ki", "Mi", "Gi", "e2", "e-7");
  const auto point = *rc::gen::inRange<std::size_t>(0, 6);
  std::string text = std::to_string(digits);
  if (point < text.size()) text.insert(point, ".");
  if (text.find('.') == std::string::npos) text += ".";
  // Zeros change nothing, but they take the number past what fits 64 bits, so that another path reads it.
  RC_ASSERT(Quantity::parse(text + suffix).value() == Quantity::parse(text + std::string(30, '0') + suffix).value());
  const auto tiny = Quantity::parse(text + std::string(30, '0') + "1" + suffix).value();
  RC_ASSERT(tiny >= Quantity::parse(text + suffix).value());
}

}  // namespace
}  // namespace muster
