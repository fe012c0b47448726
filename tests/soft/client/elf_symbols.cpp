// SPDX-License-Identifier: MIT
#include "tests/soft/client/elf_symbols.h"

#include <gtest/gtest.h>

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace lathe::test {

std::map<std::string, bool> exported_symbols(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    const std::vector<char> bytes{std::istreambuf_iterator<char>{file}, {}};
    auto read = [&]<class T>(std::size_t offset, T& to) {
        if (offset + sizeof to > bytes.size()) return false;
        std::memcpy(&to, bytes.data() + offset, sizeof to);
        return true;
    };
    std::map<std::string, bool> found;
    Elf64_Ehdr header{};
    if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        ADD_FAILURE() << path << " is not an ELF file";
        return found;
    }
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr symbols{}, names{};
        read(header.e_shoff + i * sizeof symbols, symbols);
        if (symbols.sh_type != SHT_DYNSYM) continue;
        read(header.e_shoff + symbols.sh_link * sizeof names, names);
        for (std::size_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol{};
            if (!read(symbols.sh_offset + at, symbol)) break;
            const unsigned binding = ELF64_ST_BIND(symbol.st_info);
            if (symbol.st_shndx == SHN_UNDEF || binding == STB_LOCAL) continue;
            found.emplace(bytes.data() + names.sh_offset + symbol.st_name, binding == STB_WEAK);
        }
    }
    return found;
}

} // namespace lathe::test
