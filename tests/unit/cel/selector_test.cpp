#include "cel/selector.h"

#include <gtest/gtest.h>

namespace muster::cel {
namespace {

Device a_gpu() {
  Device device;
  device.name = "gpu-0";
  device.attributes["model"] = std::string("a100");
  device.attributes["index"] = std::int64_t{0};
  device.attributes["healthy"] = true;
  device.attributes["driverVersion"] = VersionText{"1.2.0"};
  device.attributes["other.example.com/model"] = std::string("x");
  device.capacity["memory"].value = *Quantity::parse("80Gi");
  return device;
}

// "true", "false", or what is wrong.
std::string evaluate(const std::string& expression, std::uint64_t limit = kSelectorCostLimit) {
  const auto selector = DeviceSelector::compile(expression);
  if (!selector) return "refused: " + selector.error().message.substr(0, selector.error().message.find('\n'));
  const auto matches = selector->matches("gpu.example.com", a_gpu(), limit);
  return matches ? (*matches ? "true" : "false") : "error: " + matches.error().message;
}

struct Row {
  const char* expression;
  const char* outcome;
};
template <std::size_t N>
void expect(const Row (&rows)[N]) {
  for (const auto& row : rows) EXPECT_EQ(evaluate(row.expression), row.outcome) << row.expression;
}

TEST(DeviceSelector, ReadsDevices) {
  const Row rows[] = {
      {"device.driver == 'gpu.example.com'", "true"},
      {"device.driver == \"nic.example.com\"", "false"},
      {"device.attributes['gpu.example.com'].model == 'a100'", "true"},
      {"device.attributes['other.example.com'].model == 'x'", "true"},
      {"device.attributes['gpu.example.com']['index'] == 0", "true"},
      {"device.attributes['gpu.example.com'].healthy", "true"},
      {"device.attributes['gpu.example.com'].model in ['a100', 'h100']", "true"},
      {"device.attributes['gpu.example.com'].driverVersion.isGreaterThan(semver('1.1.9'))", "true"},
      {"device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0", "true"},
      {"device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('80Gi'))", "false"},
      {"device.allowMultipleAllocations", "false"},
      {"cel.bind(gpu, device.attributes['gpu.example.com'], gpu.healthy && gpu.index == 0)", "true"},
      {"cel.bind(d, device, d.driver.startsWith('gpu'))", "true"},
      {"device.attributes['gpu.example.com'].exists(name, name == 'model')", "true"},
  };
  expect(rows);
}

TEST(DeviceSelector, AsksForWhatMayBeMissing) {
  const Row rows[] = {
      {"device.attributes['gpu.example.com'].none == 'x'", "error: no such key: none"},
      {"has(device.attributes['gpu.example.com'].none)", "false"},
      {"has(device.attributes['gpu.example.com'].model)", "true"},
      {"has(device.attributes['nobody'].model)", "false"},  // a domain that is not there is empty
      {"device.attributes['nobody'].model == 'x'", "error: no such key: model"},
      {"'nobody' in device.attributes", "false"},
      {"'gpu.example.com' in device.attributes", "true"},
      {"device.attributes['gpu.example.com'].?none.orValue('z') == 'z'", "true"},
      {"device.attributes['gpu.example.com'][?'model'].hasValue()", "true"},
      {"device.attributes['gpu.example.com'].?model == optional.of('a100')", "true"},
      {"optional.none().orValue(1) == 1", "true"},
      {"[1, 2][2] == 1", "error: index out of bounds: 2"},
  };
  expect(rows);
}

TEST(DeviceSelector, FollowsTheLogicOfCel) {
  const Row rows[] = {
      {"device.attributes['a'].none && false", "false"},
      {"device.attributes['a'].none || true", "true"},
      {"device.attributes['a'].none && true", "error: no such key: none"},
      {"true || device.attributes['a'].none || false", "true"},
      {"!device.attributes['gpu.example.com'].healthy", "false"},
      {"!!device.attributes['gpu.example.com'].healthy", "true"},
      {"1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 7 % 4 == 3 && 7 / 2 == 3", "true"},
      {"-2 < -1 && -(-2) == 2 && 1 < 2.5 && 3u == 3",
       "refused: compilation failed: ERROR: <input>:1:40: found no matching overload for '_==_' applied to '(uint, int)'"},
      {"dyn(3u) == 3 && dyn(1) < 2.5", "true"},
      {"dyn(1) == 'a'", "false"},  // values of different kinds are merely different
      {"dyn('a') < 1", "error: no such overload"},
      {"1 / 0 == 1", "error: division by zero"},
      {"1 % 0 == 1", "error: modulus by zero"},
      {"9223372036854775807 + 1 == 0", "error: integer overflow"},
      {"-9223372036854775808 < 0", "true"},
      {"0u - 1u == 0u", "error: unsigned integer overflow"},
      {"device.driver == 'x' ? false : true", "true"},
      {"[1, 2, 3].exists(x, x == 2) && [1, 2].all(x, x > 0) && [1, 2].exists_one(x, x == 1)", "true"},
      {"[1, 2, 3].filter(x, x > 1).map(x, x * 2) == [4, 6]", "true"},
      {"[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]", "true"},
      {"{'a': 1, 'b': 2}.all(key, key in ['a', 'b']) && {'a': 1}['a'] == 1", "true"},
      {"[1, 0].exists(x, 1 / x == 1)", "true"},  // an error does not matter once one is found
      {"[0].all(x, 1 / x == 1)", "error: division by zero"},
      {"type(1) == int && type('a') == string", "true"},
  };
  expect(rows);
}

TEST(DeviceSelector, HasFunctions) {
  const Row rows[] = {
      {"'gpu-a100'.contains('a1') && 'abc'.endsWith('bc') && 'abc'.size() == 3 && size([1]) == 1", "true"},
      {"'AbC'.lowerAscii() == 'abc' && 'AbC'.upperAscii() == 'ABC' && ' a '.trim() == 'a'", "true"},
      {"'a-b-c'.replace('-', '+') == 'a+b+c' && 'a-b-c'.replace('-', '+', 1) == 'a+b-c'", "true"},
      {"'a,b'.split(',') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b'", "true"},
      {"'hello'.substring(1, 3) == 'el' && 'hello'.charAt(1) == 'e' && 'hello'.indexOf('l') == 2 && 'hello'.lastIndexOf('l') == 3",
       "true"},
      {"'hello'.substring(9) == ''", "error: index out of range: 9"},
      {"device.driver.matches('^gpu[.].*com$')", "true"},
      {"device.driver.matches('(') ", "error: error parsing regexp: missing ): ("},
      {"quantity('1.5Gi').sub(quantity('0.5Gi')) == quantity('1Gi') && quantity('2k').asInteger() == 2000", "true"},
      {"quantity('1m').isInteger()", "false"},
      {"quantity('1m').asInteger() == 0", "error: cannot convert value to integer"},
      {"isQuantity('1Gi') && !isQuantity('1gi') && sign(quantity('-1')) == -1", "true"},
      {"semver('1.2.3').major() == 1 && semver('v1.2', true).minor() == 2 && !isSemver('1.2')", "true"},
      {"semver('1.0.0-alpha.1').isLessThan(semver('1.0.0')) && semver('1.0.0+a').compareTo(semver('1.0.0+b')) == 0", "true"},
      {"[3, 1, 2].min() == 1 && [1, 2].max() == 2 && [1, 2].sum() == 3 && [1, 2].isSorted()", "true"},
      {"sets.contains([1, 2, 3], [1]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1], [1])", "true"},
      {"int('12') == 12 && double(1) == 1.0 && string(5) == '5' && bool('true')", "true"},
      {"device.attributes['gpu.example.com'].model.isGreaterThan(semver('1.0.0'))",
       "error: no such overload: isGreaterThan(string, kubernetes.Semver)"},
  };
  expect(rows);
}

TEST(DeviceSelector, ReadsAllFormsOfLiterals) {
  const Row rows[] = {
      {R"('\x41\u00e9\'' == "Aé'")", "true"},
      {R"(r'\d' == '\\d')", "true"},
      {"'''a\"b''' == 'a\"b'", "true"},
      {"0x10 == 16 && 1e3 == 1000.0 && .5 == 0.5", "true"},
      {"b'a' == b'\\x61'", "true"},
      {"true // the rest is said to people", "true"},
      {"device.attributes['gpu.example.com'].`model` == 'a100'", "true"},
  };
  expect(rows);
}

TEST(DeviceSelector, RefusesWithAPlace) {
  const Row rows[] = {
      {"", "refused: compilation failed: ERROR: <input>:1:1: Syntax error: the expression ends too early"},
      {"device.driver ==", "refused: compilation failed: ERROR: <input>:1:17: Syntax error: the expression ends too early"},
      {"device.driver = 'x'", "refused: compilation failed: ERROR: <input>:1:15: Syntax error: token recognition error at: '='"},
      {"foo.bar", "refused: compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')"},
      {"device.foo", "refused: compilation failed: ERROR: <input>:1:7: undefined field 'foo'"},
      {"device.driver == 1",
       "refused: compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, int)'"},
      {"device.driver", "refused: must evaluate to bool or the unknown type, not string"},
      {"device.driver.nosuch()",
       "refused: compilation failed: ERROR: <input>:1:21: undeclared reference to 'nosuch' (in container '')"},
      {"[1, 'a'].size() == 2", "refused: compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'"},
      {"device.capacity['d'].memory > quantity('1')",
       "refused: compilation failed: ERROR: <input>:1:29: found no matching overload for '_>_' applied to "
       "'(kubernetes.Quantity, kubernetes.Quantity)'"},
      {"'abc", "refused: compilation failed: ERROR: <input>:1:1: Syntax error: the string does not end"},
      {"has(device)", "refused: compilation failed: ERROR: <input>:1:1: invalid argument to has() macro"},
      {"9223372036854775808 > 0", "refused: compilation failed: ERROR: <input>:1:1: invalid int literal"},
      {"if > 0", "refused: compilation failed: ERROR: <input>:1:1: reserved identifier: if"},
      {"true\n  && fals", "refused: compilation failed: ERROR: <input>:2:6: undeclared reference to 'fals' (in container '')"},
  };
  expect(rows);
  EXPECT_EQ(DeviceSelector::compile("device.foo").error().message,
            "compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n | device.foo\n | ......^");
}

TEST(DeviceSelector, RefusesResultsThatAreNoTruth) {
  EXPECT_EQ(evaluate("device.attributes['gpu.example.com'].index"),
            "error: CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to bool");
}

TEST(DeviceSelector, RefusesDevicesThatItCannotRead) {
  const auto selector = DeviceSelector::compile("true");
  Device odd;
  odd.attributes["new"] = DeviceAttribute();
  EXPECT_EQ(selector->matches("d", odd).error().message, "attribute new: unsupported attribute value");
  odd.attributes["new"] = VersionText{"1"};
  EXPECT_EQ(selector->matches("d", odd).error().message,
            "attribute new: parse semantic version: No Major.Minor.Patch elements found");
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(DeviceSelector, EndsWhateverTheExpression) {
  const auto too_dear = "error: operation cancelled: actual cost limit exceeded";
  const std::string list = "[" + repeated("1,", 100) + "1]";
  std::string loops = "x1 == 2";
  for (int i = 4; i > 0; --i) loops = list + ".exists(x" + std::to_string(i) + ", " + loops + ")";
  EXPECT_EQ(evaluate(loops), too_dear);
  EXPECT_EQ(evaluate(loops + " || true"), too_dear);  // not even absorbed

  // Values that hold themselves many times over, and texts that double.
  std::string doubling = "v20 == v20";
  std::string text = "v20.size() > 0";
  for (int i = 20; i > 0; --i) {
    const auto now = "v" + std::to_string(i);
    const auto before = i == 1 ? std::string("[1]") : "v" + std::to_string(i - 1);
    doubling = "cel.bind(" + now + ", [" + before + ", " + before + "], " + doubling + ")";
    const auto text_before = i == 1 ? std::string("'" + repeated("x", 1000) + "'") : "v" + std::to_string(i - 1);
    text = "cel.bind(" + now + ", " + text_before + " + " + text_before + ", " + text + ")";
  }
  EXPECT_EQ(evaluate("dyn(" + doubling + ")"), too_dear);
  EXPECT_EQ(evaluate(text), too_dear);

  EXPECT_EQ(evaluate(repeated("(", 300) + "true" + repeated(")", 300)).substr(0, 50),
            std::string("refused: compilation failed: ERROR: <input>:1:251: expression recursion").substr(0, 50));
  EXPECT_EQ(evaluate(repeated("true && ", 1000) + "true"), "true");
  EXPECT_EQ(evaluate(repeated("!", 5000) + "true"), "true");
  EXPECT_NE(evaluate("1 " + repeated("+ 1", 1000) + " > 0").find("nested too deeply"), std::string::npos);
  EXPECT_NE(evaluate(repeated("true || ", 2000) + "true").find("longer than"), std::string::npos);
  EXPECT_EQ(evaluate("[1, 2, 3].all(x, x > 0)", 3), too_dear);
}

}  // namespace
}  // namespace muster::cel
