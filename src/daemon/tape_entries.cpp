#include "daemon/tape_entries.h"

namespace muster::daemon::tape {
namespace {

// FNV-1a: the same on every machine.
std::uint64_t digest_of(std::string_view bytes) {
  std::uint64_t digest = 0xcbf29ce484222325u;
  for (const char c : bytes) digest = (digest ^ static_cast<std::uint8_t>(c)) * 0x100000001b3u;
  return digest;
}

template <class T>
std::uint64_t digest_of_value(const T& value) {
  std::string bytes;
  ByteWriter writer(bytes);
  write_plain(writer, value);
  return digest_of(bytes);
}

std::string name_of_pod(const kube::Identity& pod) { return pod.ns + "/" + pod.name; }

template <class One, std::size_t At = 0>
constexpr std::size_t place_of() {
  static_assert(At < std::variant_size_v<Entry>);
  if constexpr (std::same_as<std::variant_alternative_t<At, Entry>, One>)
    return At;
  else
    return place_of<One, At + 1>();
}

template <class One>
bool is_of(std::string_view bytes) {
  static_assert(place_of<One>() < 0x80);  // a byte
  return !bytes.empty() && bytes.front() == static_cast<char>(place_of<One>());
}

}  // namespace

Decisions decisions_of(const Effects& effects) {
  Decisions out;
  for (const auto& bind : effects.binds)
    out.binds.push_back({name_of_pod(bind.pod), bind.pod.uid, bind.node, digest_of_value(bind)});
  for (const auto& evict : effects.evictions)
    out.evictions.push_back({name_of_pod(evict.pod), evict.pod.uid, {}, digest_of_value(evict)});
  for (const auto& one : effects.deletions) out.others.push_back({"delete " + one.object.text(), digest_of_value(one)});
  for (const auto& one : effects.creations)
    out.others.push_back({"create " + one.collection.text() + "/" + one.name, digest_of_value(one)});
  for (const auto& one : effects.patches) out.others.push_back({"patch " + one.object.text(), digest_of_value(one)});
  for (const auto& one : effects.events)
    out.others.push_back({"event " + one.kind + " " + name_of_pod(one.about) + " " + one.reason, digest_of_value(one)});
  return out;
}

std::vector<Placement> placements_of(const std::vector<FailedBind>& failed) {
  std::vector<Placement> out;
  for (const auto& [bind, why] : failed) out.push_back({name_of_pod(bind.pod), bind.pod.uid, bind.node, digest_of(why)});
  return out;
}

template <class One>
std::string bytes_of(const One& entry) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.number(place_of<One>());
  write_plain(writer, entry);
  return bytes;
}
template std::string bytes_of(const Opening&);
template std::string bytes_of(const StateObject&);
template std::string bytes_of(const StateComplete&);
template std::string bytes_of(const Applied&);
template std::string bytes_of(const Removed&);
template std::string bytes_of(const TakenBack&);
template std::string bytes_of(const Settled&);
template std::string bytes_of(const Cycle&);
template std::string bytes_of(const Skipped&);
template std::string bytes_of(const ToldBound&);
template std::string bytes_of(const ToldRefused&);
template std::string bytes_of(const ToldNotDeleted&);
template std::string bytes_of(const ToldNotCreated&);
template std::string bytes_of(const ToldNotWritten&);
template std::string bytes_of(const FailuresTaken&);
template std::string bytes_of(const ConfigGiven&);
template std::string bytes_of(const EvictionsSet&);
template std::string bytes_of(const GivenUp&);
template std::string bytes_of(const UsageTold&);
template std::string bytes_of(const ExtenderTold&);
template std::string bytes_of(const Closed&);

Result<Entry> read_entry(std::string_view bytes) {
  ByteReader reader(bytes);
  Entry entry;
  read_plain(reader, entry);
  if (!reader.good()) return fail("is no entry of a recording");
  if (reader.left() != 0) return fail("has more than an entry of a recording has");
  return entry;
}

bool is_applied(std::string_view bytes) { return is_of<Applied>(bytes); }

bool ends_a_turn(std::string_view bytes) { return is_of<Cycle>(bytes) || is_of<Skipped>(bytes); }

std::string as_state(std::string_view applied) {
  static_assert(place_of<StateObject>() < 0x80 && place_of<Applied>() < 0x80);  // a byte each
  std::string state(applied);
  state.front() = static_cast<char>(place_of<StateObject>());
  return state;
}

std::uint64_t shape() {
  static const auto kShape = digest_of(plain_shape<Entry>());
  return kShape;
}

}  // namespace muster::daemon::tape
