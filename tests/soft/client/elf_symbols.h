// SPDX-License-Identifier: MIT
// The dynamic symbols that a shared library defines, read from its file.
#pragma once

#include <map>
#include <string>

namespace lathe::test {

/// Name to "is a weak symbol". Fails the test where the file is not a 64-bit ELF library.
std::map<std::string, bool> exported_symbols(const std::string& path);

} // namespace lathe::test
