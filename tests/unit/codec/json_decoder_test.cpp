#include "codec/json_decoder.h"

#include <functional>
#include <gtest/gtest.h>

#include "codec/input.h"

namespace muster {
namespace {

// Runs a reading function over a text and returns what the decoder has to say about it, "" when all went well.
std::string run(std::string_view text, const std::function<bool(JsonDecoder&, JsonValue&)>& read) {
  const auto input = Input::of_text(text, "f");
  EXPECT_TRUE(input);
  TextPositions positions(input->text(), "f");
  JsonDecoder json;
  const bool ok = json.document(input->text(), 0, input->text().size(), [&](JsonValue& root) { return read(json, root); });
  return ok ? "" : json.take_error(positions).text();
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs strings_of(std::string_view text) {
  Pairs pairs;
  const auto error = run(text, [&](JsonDecoder& json, JsonValue& root) {
    return json.object(root, [&](std::string_view key, JsonValue& field) {
      pairs.emplace_back(key, "");
      return json.string(field, pairs.back().second);
    });
  });
  EXPECT_EQ(error, "");
  return pairs;
}

TEST(JsonDecoder, WalksFieldsInTheirOrder) {
  EXPECT_EQ(strings_of(R"({"b":"1","a":"2" , "b":"3"})"), (Pairs{{"b", "1"}, {"a", "2"}, {"b", "3"}}));
  EXPECT_EQ(strings_of("{}"), Pairs{});
  EXPECT_EQ(strings_of(R"({"a":null,"b":""})"), (Pairs{{"b", ""}}));
}

TEST(JsonDecoder, UnescapesKeysAndStrings) {
  EXPECT_EQ(strings_of(R"({"a\"\\\/b":"\b\f\n\r\t\u00e4\u20ac\ud83d\ude00"})"), (Pairs{{"a\"\\/b", "\b\f\n\r\tä€😀"}}));
  EXPECT_EQ(strings_of(R"({"\ud83d":"\ude00x\ud83d\u0041"})"), (Pairs{{"\uFFFD", "\uFFFDx\uFFFDA"}}));
  EXPECT_EQ(strings_of(R"({"\\":"\\\\","\"":"\""})"), (Pairs{{"\\", "\\\\"}, {"\"", "\""}}));
  EXPECT_EQ(strings_of(std::string(R"({"k":"\u0000"})")), (Pairs{{"k", std::string(1, '\0')}}));
}

TEST(JsonDecoder, ReadsScalarsWithSpaceBehindThem) {
  std::int64_t number = 0;
  bool flag = false;
  std::string text;
  const auto error = run("[ 5 \n, true\t, \"x\" \r\n]", [&](JsonDecoder& json, JsonValue& root) {
    int index = 0;
    return json.array(root, [&](JsonValue& item) {
      ++index;
      return index == 1 ? json.integer(item, number) : index == 2 ? json.boolean(item, flag) : json.string(item, text);
    });
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(number, 5);
  EXPECT_TRUE(flag);
  EXPECT_EQ(text, "x");
}

TEST(JsonDecoder, ReadsTextsAndNumbersAlike) {
  std::vector<std::string> texts;
  const auto error = run(R"(["1Gi", 1.50 , -2e3, true])", [&](JsonDecoder& json, JsonValue& root) {
    return json.array(root, [&](JsonValue& item) { return json.scalar_text(item, texts.emplace_back()); });
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(texts, (std::vector<std::string>{"1Gi", "1.50", "-2e3", "true"}));
}

TEST(JsonDecoder, HandsOutObjectsAsTheyAreWritten) {
  std::vector<std::string> texts;
  const auto read = [&](JsonDecoder& json, JsonValue& root) {
    return json.array(root, [&](JsonValue& item) { return json.object_text(item, texts.emplace_back()); });
  };
  EXPECT_EQ(run(R"([{} , { "a" : [1.50, "}\"", null] , "b":{"c":{}}} ])", read), "");
  EXPECT_EQ(texts, (std::vector<std::string>{"{}", R"({ "a" : [1.50, "}\"", null] , "b":{"c":{}}})"}));
  EXPECT_EQ(run("[[]]", read), "f:1:2: [0]: must be an object, not a list");
}

TEST(JsonDecoder, CanLookBeforeItWalks) {
  for (const std::string_view text : {R"({"kind":"a","x":{"y":[1,{}]},"z":"b"})", R"({"x":{"y":[1,{}]},"z":"b","kind":"a"})"}) {
    std::string kind;
    std::string z;
    int fields = 0;
    const auto error = run(text, [&](JsonDecoder& json, JsonValue& root) {
      const bool found =
          json.peek(root, [&](std::string_view key, JsonValue& field) { return key != "kind" || !json.string(field, kind); });
      return found && json.object(root, [&](std::string_view key, JsonValue& field) {
        ++fields;
        return key != "z" || json.string(field, z);
      });
    });
    EXPECT_EQ(error, "");
    EXPECT_EQ(kind, "a");
    EXPECT_EQ(z, "b");
    EXPECT_EQ(fields, 3);
  }
}

TEST(JsonDecoder, CanLookIntoObjectsOfAList) {
  int items = 0;
  const auto error = run(R"([{}, {"a":1}, {}, {"a":{}}])", [&](JsonDecoder& json, JsonValue& root) {
    return json.array(root, [&](JsonValue& item) {
      ++items;
      const auto any = [](std::string_view, JsonValue&) { return true; };
      return json.peek(item, any) && json.object(item, any);
    });
  });
  EXPECT_EQ(error, "");
  EXPECT_EQ(items, 4);
}

TEST(JsonDecoder, PutsThePathTogether) {
  const auto error = run("{\"a\":[0,\n {\"b.c\":{\"d\":\"x\"}}]}", [](JsonDecoder& json, JsonValue& root) {
    return json.object(root, [&](std::string_view, JsonValue& list) {
      return json.array(list, [&](JsonValue& item) {
        return !json.is_object(item) || json.object(item, [&](std::string_view, JsonValue& inner) {
          return json.object(inner, [&](std::string_view, JsonValue& field) {
            std::int32_t number = 0;
            return json.integer(field, number);
          });
        });
      });
    });
  });
  EXPECT_EQ(error, "f:2:14: a[1].b.c.d: must be an integer, not a string");
}

TEST(JsonDecoder, AnObjectEndsThePath) {
  const auto error = run(R"({"items":[{"a":1}]})", [](JsonDecoder& json, JsonValue& root) {
    return json.object(root, [&](std::string_view, JsonValue& list) {
      return json.array(list, [&](JsonValue& item) {
        const bool ok = json.object(item, [&](std::string_view, JsonValue& field) { return json.wrong(field, "is odd"); });
        return ok || json.failed_in("Thing t");
      });
    });
  });
  EXPECT_EQ(error, "f:1:16: Thing t: a: is odd");
}

TEST(JsonDecoder, HandsOnForeignErrorsAsTheyAre) {
  const auto error = run(R"({"a":1})", [](JsonDecoder& json, JsonValue& root) {
    return json.object(root, [&](std::string_view, JsonValue&) { return json.failed(Error("no", Location{"g", 1, 2})); });
  });
  EXPECT_EQ(error, "g:1:2: no");
}

TEST(JsonDecoder, ShortensWhatNobodyReads) {
  const std::string text = "{\"" + std::string(100'000, 'k') + "\":[]}";
  const auto error = run(text, [](JsonDecoder& json, JsonValue& root) {
    return json.object(root, [&](std::string_view, JsonValue& field) {
      std::string out;
      return json.string(field, out);
    });
  });
  EXPECT_LT(error.size(), 400u);
}

TEST(JsonDecoder, ServesManyDocuments) {
  const auto input = Input::of_text(R"({"a":1}{"a":2} [3])", "f");
  JsonDecoder json;
  std::vector<std::int64_t> numbers;
  const auto read = [&](JsonValue& value) { return json.integer(value, numbers.emplace_back()); };
  const auto read_field = [&](std::string_view, JsonValue& field) { return read(field); };
  EXPECT_TRUE(json.document(input->text(), 0, 7, [&](JsonValue& root) { return json.object(root, read_field); }));
  EXPECT_TRUE(json.document(input->text(), 7, 14, [&](JsonValue& root) { return json.object(root, read_field); }));
  EXPECT_TRUE(json.document(input->text(), 15, 18, [&](JsonValue& root) { return json.array(root, read); }));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(JsonDecoder, ReadsAStringThatStandsAlone) {
  EXPECT_EQ(JsonDecoder::string_of(R"("a\nb")"), "a\nb");
  EXPECT_EQ(JsonDecoder::string_of("5"), "");
  EXPECT_EQ(JsonDecoder::string_of(""), "");
}

}  // namespace
}  // namespace muster
