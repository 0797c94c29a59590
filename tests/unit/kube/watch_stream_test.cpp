#include "kube/watch_stream.h"

#include <gtest/gtest.h>

#include "kube/list_page.h"
#include "kube/object_decoder.h"

namespace muster::kube {
namespace {

std::string line(const std::string& type, const std::string& name) {
  return R"({"type":")" + type + R"(","object":{"metadata":{"name":")" + name + R"("}}})" + "\n";
}

TEST(WatchStream, LinesCutAnywhere) {
  const std::string text = line("ADDED", "a") + "\n" + line("MODIFIED", "ä\\n") + line("DELETED", "c") + line("BOOKMARK", "d");
  for (std::size_t step = 1; step < text.size(); ++step) {
    WatchStream stream(1000);
    std::vector<WatchType> types;
    for (std::size_t at = 0; at < text.size(); at += step) {
      stream.append(std::string_view(text).substr(at, step));
      for (auto next = stream.next();; next = stream.next()) {
        ASSERT_TRUE(next) << next.error().message;
        if (!next->has_line) break;
        types.push_back(next->line.type);
        EXPECT_EQ(next->line.object.in(next->line.text).substr(0, 12), R"({"metadata":)");
      }
    }
    EXPECT_EQ(types, (std::vector{WatchType::kAdded, WatchType::kModified, WatchType::kDeleted, WatchType::kBookmark})) << step;
  }
}

TEST(WatchStream, LongLinesAreRefusedBeforeTheirEnd) {
  WatchStream stream(100);
  for (int i = 0; i < 5; ++i) stream.append(std::string(30, ' '));
  EXPECT_FALSE(stream.next());
}

TEST(WatchStream, Refuses) {
  for (const auto* bad :
       {"nonsense", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":7})", R"({"type":"GONE","object":{}})",
        R"({"type":"ADDED","object":{}} {})", R"({"type":"ADDED","object":{)", "{\"type\":\"\xff\",\"object\":{}}"})
    EXPECT_FALSE(read_watch_line(bad)) << bad;
  EXPECT_TRUE(read_watch_line(R"( { "object" : {} , "type" : "ERROR" } )"));
}

TEST(ListPage, ItemsAndToken) {
  std::string text =
      R"({"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"tok","remainingItemCount":3},
    "items":[{"metadata":{"name":"a","uid":"1","resourceVersion":"4"}} , {"metadata":{"name":7}}]})";
  const auto page = read_list_page(text);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(page->resource_version, "9");
  EXPECT_EQ(page->next_page, "tok");
  ASSERT_EQ(page->items.size(), 2u);
  ObjectDecoder decoder(*find_kind("v1", "Namespace"));
  const auto object = decoder.decode(text, page->items[0]);
  ASSERT_TRUE(object) << object.error().text();
  EXPECT_EQ(std::get<Namespace>(*object).meta.uid, "1");
  EXPECT_FALSE(decoder.decode(text, page->items[1]));
}

TEST(ListPage, Refuses) {
  for (std::string bad : {"", "[]", "{}", R"({"items":[]})", R"({"metadata":{"resourceVersion":"1"}})",
                          R"({"metadata":{"resourceVersion":"1"},"items":[{])"})
    EXPECT_FALSE(read_list_page(bad)) << bad;
  std::string none = R"({"metadata":{"resourceVersion":"1"},"items":null})";
  EXPECT_TRUE(read_list_page(none));
}

TEST(ReadMeta, Bookmark) {
  const auto meta =
      read_meta(R"({"kind":"Pod","metadata":{"resourceVersion":"12","annotations":{"k8s.io/initial-events-end":"true"}}})");
  EXPECT_EQ(meta.id.resource_version, "12");
  EXPECT_TRUE(meta.ends_initial_events);
  EXPECT_FALSE(read_meta("{}").ends_initial_events);
}

}  // namespace
}  // namespace muster::kube
