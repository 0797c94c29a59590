#include "codec/unread_kinds.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::vector<std::string> found_in(const std::string& text, const std::string& name) {
  const auto input = Input::of_text(text, name);
  EXPECT_TRUE(input);
  const auto read = read_unread_kinds(*input);
  EXPECT_TRUE(read) << read.error().text();
  std::vector<std::string> out;
  if (read)
    for (const auto& object : *read) out.push_back(object.api_version + " " + object.kind + " " + object.json);
  return out;
}

using Found = std::vector<std::string>;

TEST(UnreadKinds, AreFoundInDocuments) {
  EXPECT_EQ(found_in("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n---\napiVersion: batch/v1\nkind: Job\nspec:\n"
                     "  parallelism: 2\n  a: [0.5, 'x', yes, ~]\n",
                     "q.yaml"),
            (Found{R"(batch/v1 Job {"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":2,"a":[0.5,"x",true,null]}})"}));
}

TEST(UnreadKinds, AreFoundInListsAndOneAfterTheOther) {
  EXPECT_EQ(found_in(R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"apps/v1","kind":"Deployment"},)"
                     R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}]}{"apiVersion":"a/v1","kind":"B"})"
                     "\n"
                     R"([{"apiVersion":"a/v1","kind":"C"}])",
                     "q.json"),
            (Found{R"(apps/v1 Deployment {"apiVersion":"apps/v1","kind":"Deployment"})",
                   R"(a/v1 B {"apiVersion":"a/v1","kind":"B"})", R"(a/v1 C {"apiVersion":"a/v1","kind":"C"})"}));
}

// The items of a typed list do not repeat their kind.
TEST(UnreadKinds, InheritTheKindOfTheirList) {
  EXPECT_EQ(found_in("{apiVersion: batch/v1, kind: JobList, items: [{metadata: {name: j}}]}", "q.yaml"),
            (Found{R"(batch/v1 Job {"metadata":{"name":"j"}})"}));
}

TEST(UnreadKinds, OfNothingThereAreNone) {
  EXPECT_TRUE(found_in("", "q.yaml").empty());
  EXPECT_TRUE(found_in("# nothing\n", "q.yaml").empty());
}

}  // namespace
}  // namespace muster
