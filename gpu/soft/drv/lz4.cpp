// SPDX-License-Identifier: MIT
// A block is a row of sequences: a token (two lengths of four bits), literals, then an offset back
// into the result and a length of at least four to copy from there. A length of 15 goes on in the
// next bytes, up to the first that is not 255. The last sequence has literals alone.
#include "gpu/soft/drv/lz4.h"

#include <cstddef>

namespace lathe::soft {

bool lz4_expand(std::string_view block, std::string& to) {
    std::size_t in = 0, out = 0;
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(block[i]); };
    auto length = [&](std::size_t& n) {
        if (n != 15) return true;
        while (in < block.size()) {
            const unsigned more = byte(in++);
            n += more;
            if (more != 255) return true;
        }
        return false;
    };
    while (in < block.size()) {
        const unsigned token = byte(in++);
        std::size_t literals = token >> 4, match = token & 15;
        if (!length(literals) || literals > block.size() - in || literals > to.size() - out)
            return false;
        block.copy(to.data() + out, literals, in);
        in += literals;
        out += literals;
        if (in == block.size()) break;
        if (block.size() - in < 2) return false;
        const std::size_t offset = byte(in) | std::size_t{byte(in + 1)} << 8;
        in += 2;
        if (!length(match)) return false;
        match += 4;
        if (offset == 0 || offset > out || match > to.size() - out) return false;
        for (; match > 0; --match, ++out) to[out] = to[out - offset]; // may overlap itself
    }
    return out == to.size();
}

} // namespace lathe::soft
