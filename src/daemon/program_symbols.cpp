#include "daemon/program_symbols.h"

#include <algorithm>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::daemon {
namespace {

// A file as it can be read; empty when it cannot.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about{};
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
      void* bytes = ::mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (bytes != MAP_FAILED) text_ = {static_cast<const char*>(bytes), static_cast<std::size_t>(about.st_size)};
    }
    ::close(file);
  }
  ~MappedFile() {
    if (!text_.empty()) ::munmap(const_cast<char*>(text_.data()), text_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // What lies there, as far as all of it is in the file.
  template <class T>
  std::vector<T> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > text_.size() || count > (text_.size() - offset) / sizeof(T)) return {};
    std::vector<T> out(count);
    if (count != 0) std::memcpy(out.data(), text_.data() + offset, count * sizeof(T));
    return out;
  }
  // The text that begins there, up to its zero.
  std::string text_at(std::uint64_t offset) const {
    if (offset >= text_.size()) return {};
    return std::string(text_.substr(offset, text_.substr(offset).find('\0')));
  }

 private:
  std::string_view text_;
};

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? std::string(plain.get()) : name;
}

std::string build_id_in(const MappedFile& file, const Elf64_Phdr& notes) {
  for (std::uint64_t at = notes.p_offset; at < notes.p_offset + notes.p_filesz;) {
    const auto head = file.read<Elf64_Nhdr>(at, 1);
    if (head.empty()) return {};
    const auto content = at + sizeof(Elf64_Nhdr) + ((head[0].n_namesz + 3U) & ~3U);
    if (head[0].n_type == NT_GNU_BUILD_ID && file.text_at(at + sizeof(Elf64_Nhdr)) == "GNU") {
      std::string id;
      for (const auto byte : file.read<unsigned char>(content, head[0].n_descsz)) id += fmt::format("{:02x}", byte);
      return id;
    }
    at = content + ((head[0].n_descsz + 3U) & ~3U);
  }
  return {};
}

}  // namespace

// An ELF file of this processor's kind. Anything else has no symbols.
class ProgramSymbols::File {
 public:
  explicit File(const std::string& path) : file_(path) {
    const auto heads = file_.read<Elf64_Ehdr>(0, 1);
    if (heads.empty() || std::memcmp(heads[0].e_ident, ELFMAG, SELFMAG) != 0 || heads[0].e_ident[EI_CLASS] != ELFCLASS64) return;
    segments_ = file_.read<Elf64_Phdr>(heads[0].e_phoff, heads[0].e_phnum);
    const auto sections = file_.read<Elf64_Shdr>(heads[0].e_shoff, heads[0].e_shnum);
    for (const auto kind : {SHT_SYMTAB, SHT_DYNSYM})  // the second is what a stripped library still has
      for (const auto& section : sections)
        if (symbols_.empty() && section.sh_type == static_cast<std::uint32_t>(kind) && section.sh_link < sections.size())
          take_symbols(section, sections[section.sh_link]);
  }

  std::string function_at(std::uint64_t offset) const {
    for (const auto& segment : segments_) {
      if (segment.p_type != PT_LOAD || offset < segment.p_offset || offset - segment.p_offset >= segment.p_filesz) continue;
      const auto address = offset - segment.p_offset + segment.p_vaddr;
      const auto after = std::ranges::upper_bound(symbols_, address, {}, &Symbol::begin);
      if (after == symbols_.begin()) return {};
      const auto& symbol = *std::prev(after);
      if (symbol.size != 0 && address - symbol.begin >= symbol.size) return {};
      return demangled(file_.text_at(symbol.name));
    }
    return {};
  }
  std::string build_id() const {
    for (const auto& segment : segments_)
      if (segment.p_type == PT_NOTE)
        if (auto id = build_id_in(file_, segment); !id.empty()) return id;
    return {};
  }

 private:
  struct Symbol {
    std::uint64_t begin;
    std::uint64_t size;
    std::uint64_t name;  // where it is written in the file
  };

  void take_symbols(const Elf64_Shdr& section, const Elf64_Shdr& names) {
    for (const auto& symbol : file_.read<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym)))
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
        symbols_.push_back({symbol.st_value, symbol.st_size, names.sh_offset + symbol.st_name});
    std::ranges::stable_sort(symbols_, {}, &Symbol::begin);
  }

  MappedFile file_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Symbol> symbols_;
};

ProgramSymbols::ProgramSymbols() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    CodeMapping mapping;
    char dash = 0;
    std::string rights;
    std::string device;
    std::string inode;
    words >> std::hex >> mapping.begin >> dash >> mapping.end >> rights >> mapping.offset >> device >> inode >> std::ws;
    std::getline(words, mapping.file);
    if (rights.find('x') != std::string::npos && mapping.file.starts_with('/')) mappings_.push_back(std::move(mapping));
  }
}

ProgramSymbols::~ProgramSymbols() = default;

const CodeMapping* ProgramSymbols::mapping_of(std::uintptr_t address) const {
  const auto found =
      std::ranges::find_if(mappings_, [&](const CodeMapping& one) { return one.begin <= address && address < one.end; });
  return found == mappings_.end() ? nullptr : &*found;
}

ProgramSymbols::File& ProgramSymbols::file_of(const CodeMapping& mapping) {
  auto& file = files_[mapping.file];
  if (!file) file = std::make_unique<File>(mapping.file);
  return *file;
}

std::string ProgramSymbols::function_at(std::uintptr_t address) {
  const auto* mapping = mapping_of(address);
  return mapping == nullptr ? std::string() : file_of(*mapping).function_at(address - mapping->begin + mapping->offset);
}

std::string ProgramSymbols::build_id(const CodeMapping& mapping) { return file_of(mapping).build_id(); }

}  // namespace muster::daemon
