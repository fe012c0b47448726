// SPDX-License-Identifier: MIT
// A linked shader program from files in shaders/. `#include "name.glsl"` is resolved here, and
// errors name the file and line they are in.
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"
#include "gl/object.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gl {

enum class Stage { vertex, fragment };

struct ShaderSource {
    Stage stage;
    std::string file; ///< name in messages; includes are looked up in shaders/
    std::string text;
};

class LATHE_API Program {
public:
    Program() = default;
    /// Compiles shaders/<vertex> and shaders/<fragment>; each of `defines` ("NAME value") is
    /// defined before the first line. Throws gl::Error with diagnostics().
    Program(std::string_view vertex, std::string_view fragment,
            std::span<const std::string> defines = {});
    static Program from_sources(std::span<const ShaderSource> sources,
                                std::span<const std::string> defines = {});
    static Program wrap(unsigned id);

    unsigned id() const noexcept { return name_.get().id; }
    explicit operator bool() const noexcept { return bool(name_); }
    void use() const;

    /// Sets a uniform, by name; one that the compiler removed is ignored. Nobody else may set it.
    /// glProgramUniform*.
    void set(std::string_view name, int value);
    void set(std::string_view name, unsigned value);
    void set(std::string_view name, float value);
    void set(std::string_view name, int x, int y);
    void set(std::string_view name, float x, float y);
    void set(std::string_view name, float x, float y, float z, float w);
    /// Column-major 4×4.
    void set_matrix(std::string_view name, const float* matrix);

    [[nodiscard]] unsigned release() noexcept { return name_.release().id; }

private:
    struct Uniform {
        int location = -1;
        std::array<std::uint32_t, 16> value{}; ///< as bits, the first `size`; what GL has
        std::size_t size = 0;
    };
    /// Null where the compiler removed it, or GL has these bits already.
    const Uniform* changed(std::string_view name, const void* bits, std::size_t words);

    Object<Kind::program> name_;
    std::map<std::string, Uniform, std::less<>> uniforms_;
};

} // namespace lathe::gl
