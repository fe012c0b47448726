// SPDX-License-Identifier: MIT
// A compile's result as bytes, for the disk: lengths before texts, little-endian numbers.
#pragma once

#include "gpu/compiler.h"

#include <optional>
#include <string>
#include <string_view>

namespace lathe::gpu {

/// What the cache keeps of a result that is ok, together with its key.
std::string serialize(const std::string& key, const CompileResult& result);

/// Nothing where the bytes are damaged or of another key.
std::optional<CompileResult> deserialize(const std::string& key, std::string_view payload);

} // namespace lathe::gpu
