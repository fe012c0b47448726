// SPDX-License-Identifier: MIT
// C++ text compiled by the machine's compiler, for this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace lathe::test::programs {

/// Whether there is a compiler: the one that built this, or c++.
bool has_compiler();

/// A shared library made of text. Its file lives as long as it does.
class HostCode {
public:
    /// Throws lathe::Error with what the compiler says. Nothing is fused, and integers wrap.
    explicit HostCode(const std::string& source);
    ~HostCode();
    HostCode(const HostCode&) = delete;
    HostCode& operator=(const HostCode&) = delete;

    using Loop = void (*)(const std::uint8_t* input, std::uint8_t* own, std::uint64_t* out,
                          std::uint32_t threads);
    Loop find(const std::string& name) const;

private:
    std::filesystem::path folder_;
    void* library_ = nullptr;
};

} // namespace lathe::test::programs
