// SPDX-License-Identifier: MIT
// Any text through the PTX front end: parse, verify, DWARF, print; what parses prints to what
// parses.
#include "gpu/ptx/dwarf.h"
#include "gpu/ptx/parser.h"
#include "gpu/ptx/printer.h"
#include "gpu/ptx/verify.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lathe::ptx;
    const ParseResult read = parse({reinterpret_cast<const char*>(data), size});
    verify(read.module);
    kernel_signatures(read.module);
    const std::string printed = print(read.module);
    if (!read.ok()) return 0;
    const ParseResult again = parse(printed);
    if (again.ok()) return 0;
    std::fprintf(stderr, "printed text is refused: %s\n%s\n", to_string(again.errors[0]).c_str(),
                 printed.c_str());
    std::abort();
}
