#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::daemon {

// A part of a file that is executed from memory.
struct CodeMapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint64_t offset = 0;  // in the file, of where it begins
  std::string file;
};

// Which functions of this process are where: the program's own and those of its libraries, from the symbols in their files. A
// program that was stripped of them has addresses alone. Reads the files when it is first asked about them.
class ProgramSymbols {
 public:
  ProgramSymbols();  // as it is mapped now
  ~ProgramSymbols();
  ProgramSymbols(const ProgramSymbols&) = delete;
  ProgramSymbols& operator=(const ProgramSymbols&) = delete;

  const std::vector<CodeMapping>& mappings() const { return mappings_; }  // in the order of addresses
  const CodeMapping* mapping_of(std::uintptr_t address) const;            // nothing: it is no file's
  std::string function_at(std::uintptr_t address);                        // as it is written in C++; empty: not known
  std::string build_id(const CodeMapping& mapping);                       // hexadecimal; empty: it has none

 private:
  class File;
  File& file_of(const CodeMapping& mapping);

  std::vector<CodeMapping> mappings_;
  std::map<std::string, std::unique_ptr<File>> files_;
};

}  // namespace muster::daemon
