// SPDX-License-Identifier: MIT
// The PTX files of tests/soft/ptx_ops whose results no ISA leaves open. Left out are
//   shared     reads a shared address as a generic one: only right where both are the same
//   special    %gridid, %envreg, %nwarpid of the launch's history
//   stack      adds a cache policy's bits, which are the device's own
//   tex        calls of a test's own run time instead of textures
//   undefined, unsupported: do not load
// and trap, which is among the faults.
#include "tests/soft/recorded/session.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace lathe::recorded {

void add_ptx_cases(std::vector<Case>& cases) {
    struct File {
        const char* name;
        unsigned threads;
        std::size_t from, count; ///< words of the output that count
    };
    for (const File file : {File{"alias", 8, 0, 8},
                            {"atomics", 32, 256, 24},
                            {"bar_red", 64, 0, 64},
                            {"brx", 8, 0, 8},
                            {"call", 8, 0, 8},
                            {"call_registers", 8, 0, 8},
                            {"copy", 4, 0, 4},
                            {"count", 2, 0, 2},
                            {"exit_in_function", 8, 0, 8},
                            {"function_pointer", 8, 0, 8},
                            {"globals", 4, 0, 4},
                            {"local", 8, 0, 8},
                            {"recursion", 4, 0, 4},
                            {"vectors", 4, 0, 4},
                            {"warp", 32, 0, 32}})
        cases.push_back(
            {fmt::format("ptx/{}", file.name), [=](Session& session) {
                 const std::string path = fmt::format("{}/{}.ptx", LATHE_TEST_PTX_OPS, file.name);
                 std::ifstream stream{path};
                 const std::string text{std::istreambuf_iterator<char>{stream}, {}};
                 if (text.empty()) throw Error{path + " could not be read"};
                 std::vector<std::uint32_t> in(1024);
                 for (std::uint32_t k = 0; k < in.size(); ++k) in[k] = 3 * k + 1;
                 const Memory from = session.upload(in), out{4096};
                 session.launch(session.function(text, "k"), {{1, 1, 1}, {file.threads, 1, 1}},
                                out.get(), from.get());
                 auto values = out.read<std::uint32_t>(file.count, file.from);
                 // The thread that came last is anyone: what was exchanged, and who
                 // counted which step.
                 if (std::string_view{file.name} == "atomics") values[9] = 0;
                 return std::vector<Part>{part("", Type::b32, values)};
             }});
}

} // namespace lathe::recorded
