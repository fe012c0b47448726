// SPDX-License-Identifier: MIT
// Errors that end a launch, by their code. A GPU loses the context to each.
#include "tests/soft/recorded/session.h"

#include <fmt/format.h>

namespace lathe::recorded {

void add_fault_cases(std::vector<Case>& cases) {
    struct Fault {
        const char *name, *body;
    };
    for (const Fault fault :
         {Fault{"trap", "if (threadIdx.x == 2) __trap();"},
          {"assert", "assert(threadIdx.x != 2);"},
          {"null", "if (threadIdx.x == 2) *(volatile unsigned*)nullptr = 1;"},
          {"far_read", "out[1] = *(volatile unsigned*)(0x7ffffff00000000ull);"},
          {"misaligned", "*(volatile unsigned*)((char*)out + 2) = 1;"},
          {"shared_far",
           "__shared__ unsigned s[4]; ((volatile unsigned*)s)[out[0] + (1u << 28)] = 1;"}})
        cases.push_back(
            {fmt::format("faults/{}", fault.name), [=](Session& session) -> std::vector<Part> {
                 const Memory out{256};
                 CUfunction const f = session.compiled(
                     fmt::format("extern \"C\" __global__ void k(unsigned* out) {{ {} }}",
                                 fault.body),
                     "k");
                 session.launch(f, {{1, 1, 1}, {4, 1, 1}}, out.get());
                 return {};
             }});
}

} // namespace lathe::recorded
