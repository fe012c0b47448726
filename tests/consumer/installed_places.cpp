// SPDX-License-Identifier: MIT
// Installed libraries find their files by their own place: argv[1] is the prefix.
#include <lathe/engine/core/resources.h>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto expected = std::filesystem::canonical(argv[1]) / "share" / "lathe";
    if (lathe::resource_root() == expected) return 0;
    std::fprintf(stderr, "resources are in %s, not in %s\n", lathe::resource_root().c_str(),
                 expected.c_str());
    return 1;
}
