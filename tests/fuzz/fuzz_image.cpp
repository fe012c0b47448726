// SPDX-License-Identifier: MIT
// Any bytes as an image of known size: fat binaries, LZ4, zstd, machine code, text. The second half
// goes to the LZ4 decoder by itself.
#include "gpu/soft/drv/lz4.h"
#include "gpu/soft/drv/ptx_image.h"
#include "gpu/soft/drv/status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lathe::soft {

void fail(CUresult code, std::string text) { throw Failure{code, std::move(text)}; }

} // namespace lathe::soft

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lathe::soft;
    // A copy of exactly this size, so that a byte read behind it is a report.
    const std::vector<std::uint8_t> image(data, data + size);
    try {
        ptx_of_image(image.data(), image.size());
    } catch (const Failure&) {} // refused
    if (size < 2) return 0;
    std::string text(std::size_t{image[0]} * 8, '\0');
    const std::string block{image.begin() + 1, image.end()};
    lz4_expand(block, text);
    return 0;
}
