// SPDX-License-Identifier: MIT
// GLSL knows lines, not files: file k's lines are numbered from k · 100 000 by `#line`, and the
// compiler's messages are turned back. (GLSL's own source string numbers would do, but Mesa's
// messages lose them.)
#include "gl/program.h"

#include "engine/core/resources.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

namespace lathe::gl {
namespace {

GLenum gl_stage(Stage s) { return s == Stage::vertex ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER; }

constexpr int kFileLines = 100'000;

/// A file with its includes in place.
struct Assembled {
    std::string text;
    std::vector<std::string> files; ///< index = line / kFileLines
};

/// The name in `#include "name"`.
std::optional<std::string> included_file(const std::string& line) {
    char name[256];
    int end = -1;
    if (std::sscanf(line.c_str(), " # include \"%255[^\"]\" %n", name, &end) != 1 || end < 0 ||
        std::size_t(end) != line.size())
        return {};
    return name;
}

void append(Assembled& out, const std::string& file, const std::string& text) {
    const int base = int(out.files.size()) * kFileLines;
    out.files.push_back(file);
    std::istringstream lines{text};
    std::string line;
    out.text += fmt::format("#line {}\n", base + 1);
    for (int n = 1; std::getline(lines, line); ++n) {
        auto name = included_file(line);
        if (!name) {
            out.text += line + '\n';
            continue;
        }
        // Once each, like #pragma once: GLSL has no use for a second copy.
        if (std::find(out.files.begin(), out.files.end(), *name) == out.files.end())
            append(out, *name, read_text(resource("shaders/" + *name)));
        out.text += fmt::format("#line {}\n", base + n + 1);
    }
}

Assembled assemble(const ShaderSource& source, std::span<const std::string> defines) {
    Assembled out;
    out.text = "#version 450 core\n";
    for (const std::string& d : defines) out.text += fmt::format("#define {}\n", d);
    append(out, source.file, source.text);
    return out;
}

/// Mesa writes "0:12(7): error: text", NVIDIA "0(12) : error C1008: text".
std::vector<Diagnostic> parse_log(const std::string& log, const std::vector<std::string>& files) {
    std::vector<Diagnostic> found;
    std::istringstream lines{log};
    std::string line;
    while (std::getline(lines, line)) {
        int place = 0, column = 0, text = -1;
        char severity[8] = {};
        if (std::sscanf(line.c_str(), "%*d:%d(%d): %7[a-z]: %n", &place, &column, severity,
                        &text) != 3 ||
            text < 0) {
            column = 0;
            text = -1;
            if (std::sscanf(line.c_str(), "%*d(%d) : %7[a-z] %n", &place, severity, &text) != 2 ||
                text < 0)
                continue;
        }
        const std::string_view word{severity};
        if (word != "error" && word != "warning") continue;
        const auto file = std::size_t(place / kFileLines);
        Diagnostic d;
        d.file = file < files.size() ? files[file] : std::string{};
        d.line = place % kFileLines;
        d.column = column;
        d.severity = word == "error" ? Diagnostic::Severity::error : Diagnostic::Severity::warning;
        d.text = line.substr(std::size_t(text));
        found.push_back(std::move(d));
    }
    return found;
}

/// A shader lives from compile to link only.
struct Shader {
    unsigned id = 0;
    Shader() = default;
    Shader(const Shader&) = delete;
    Shader& operator=(const Shader&) = delete;
    ~Shader() {
        if (id) glDeleteShader(id);
    }

    void compile(const ShaderSource& source, std::span<const std::string> defines) {
        const Assembled assembled = assemble(source, defines);
        id = glCreateShader(gl_stage(source.stage));
        const char* text = assembled.text.c_str();
        glShaderSource(id, 1, &text, nullptr);
        glCompileShader(id);
        GLint ok = 0, length = 0;
        glGetShaderiv(id, GL_COMPILE_STATUS, &ok);
        if (ok) return;
        glGetShaderiv(id, GL_INFO_LOG_LENGTH, &length);
        std::string log(std::size_t(std::max(length, 1)), '\0');
        glGetShaderInfoLog(id, length, nullptr, log.data());
        clear_errors();
        auto diagnostics = parse_log(log, assembled.files);
        std::string words;
        for (const Diagnostic& d : diagnostics) words += fmt::format("\n{}", to_string(d));
        throw Error{fmt::format("shader {} does not compile:{}", source.file,
                                words.empty() ? fmt::format("\n{}", log.c_str()) : words),
                    std::move(diagnostics)};
    }
};

ShaderSource from_file(Stage stage, std::string_view file) {
    return {stage, std::string{file}, read_text(resource("shaders/" + std::string{file}))};
}

} // namespace

Program::Program(std::string_view vertex, std::string_view fragment,
                 std::span<const std::string> defines) {
    const std::array sources{from_file(Stage::vertex, vertex),
                             from_file(Stage::fragment, fragment)};
    *this = from_sources(sources, defines);
}

Program Program::from_sources(std::span<const ShaderSource> sources,
                              std::span<const std::string> defines) {
    Name name = name_here(0);
    std::vector<Shader> shaders(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) shaders[i].compile(sources[i], defines);
    Program program;
    name.id = glCreateProgram();
    program.name_ = Object<Kind::program>{name};
    for (const Shader& s : shaders) glAttachShader(name.id, s.id);
    glLinkProgram(name.id);
    for (const Shader& s : shaders) glDetachShader(name.id, s.id);
    GLint ok = 0, length = 0;
    glGetProgramiv(name.id, GL_LINK_STATUS, &ok);
    if (!ok) {
        glGetProgramiv(name.id, GL_INFO_LOG_LENGTH, &length);
        std::string log(std::size_t(std::max(length, 1)), '\0');
        glGetProgramInfoLog(name.id, length, nullptr, log.data());
        clear_errors();
        std::string files;
        for (const ShaderSource& s : sources)
            files += fmt::format("{}{}", files.empty() ? "" : " and ", s.file);
        throw Error{fmt::format("shaders {} do not link: {}", files, log.c_str())};
    }
    check("glLinkProgram");
    return program;
}

Program Program::wrap(unsigned id) {
    Program program;
    program.name_ = Object<Kind::program>::wrap(name_here(id));
    return program;
}

void Program::use() const { glUseProgram(id()); }

const Program::Uniform* Program::changed(std::string_view name, const void* bits,
                                         std::size_t words) {
    auto it = uniforms_.find(name);
    if (it == uniforms_.end()) {
        it = uniforms_.emplace(name, Uniform{}).first;
        it->second.location = glGetUniformLocation(id(), it->first.c_str());
    }
    Uniform& uniform = it->second;
    const std::size_t bytes = words * sizeof uniform.value[0];
    if (uniform.location < 0 ||
        (uniform.size == words && std::memcmp(uniform.value.data(), bits, bytes) == 0))
        return nullptr;
    std::memcpy(uniform.value.data(), bits, bytes);
    uniform.size = words;
    return &uniform;
}

void Program::set(std::string_view name, int value) {
    if (const Uniform* u = changed(name, &value, 1)) glProgramUniform1i(id(), u->location, value);
}
void Program::set(std::string_view name, unsigned value) {
    if (const Uniform* u = changed(name, &value, 1)) glProgramUniform1ui(id(), u->location, value);
}
void Program::set(std::string_view name, float value) {
    if (const Uniform* u = changed(name, &value, 1)) glProgramUniform1f(id(), u->location, value);
}
void Program::set(std::string_view name, int x, int y) {
    const std::array both{x, y};
    if (const Uniform* u = changed(name, both.data(), 2))
        glProgramUniform2i(id(), u->location, x, y);
}
void Program::set(std::string_view name, float x, float y) {
    const std::array both{x, y};
    if (const Uniform* u = changed(name, both.data(), 2))
        glProgramUniform2f(id(), u->location, x, y);
}
void Program::set(std::string_view name, float x, float y, float z, float w) {
    const std::array all{x, y, z, w};
    if (const Uniform* u = changed(name, all.data(), 4))
        glProgramUniform4f(id(), u->location, x, y, z, w);
}
void Program::set_matrix(std::string_view name, const float* matrix) {
    if (const Uniform* u = changed(name, matrix, 16))
        glProgramUniformMatrix4fv(id(), u->location, 1, GL_FALSE, matrix);
}

} // namespace lathe::gl
