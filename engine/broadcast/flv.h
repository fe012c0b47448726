// SPDX-License-Identifier: MIT
// H.264 as the ffmpeg program writes it into an FLV file. That container says the size of each
// picture before it, so that a picture is known to be whole at once, not when the next one begins.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lathe {

/// One picture of H.264.
struct AccessUnit {
    std::string bytes{}; ///< Annex B; that of a key picture begins with its parameter sets
    bool is_key = false; ///< can be decoded without the ones before
};

class LATHE_API FlvReader {
public:
    /// The next bytes of the file. The picture that they complete; the last one where they complete
    /// several. Throws lathe::Error where they are no FLV file with H.264.
    std::optional<AccessUnit> take(std::span<const std::byte> bytes);

private:
    std::optional<AccessUnit> take_tag(int kind, std::string_view body);

    std::string waiting_, parameter_sets_;
    bool has_begun_ = false;
};

} // namespace lathe
