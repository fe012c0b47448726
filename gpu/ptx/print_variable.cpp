// SPDX-License-Identifier: MIT
// Variables, parameters and initialisers as text.
#include "gpu/ptx/print_operand.h"
#include "gpu/ptx/printer.h"

#include <fmt/format.h>

#include <iterator>

namespace lathe::ptx {
namespace {

/// Writes an initialiser back element by element, with the braces of its dimensions.
class Initializer {
public:
    Initializer(std::string& out, const Variable& variable)
        : out_{out}, variable_{variable}, next_{variable.relocations.begin()} {}

    void print() {
        if (variable_.dims.empty() && variable_.vector == 1) element(0);
        else level(0, 0, variable_.size_bytes());
    }

private:
    /// The braces of dimension `depth` at byte `first`; stops where no bytes are left.
    void level(std::size_t depth, std::uint64_t first, std::uint64_t bytes) {
        const bool is_leaf = depth == variable_.dims.size() ||
                             (depth + 1 == variable_.dims.size() && variable_.vector == 1);
        const std::uint64_t count =
            depth < variable_.dims.size() ? variable_.dims[depth] : variable_.vector;
        const std::uint64_t inner = count ? bytes / count : 0;
        out_ += '{';
        for (std::uint64_t i = 0, at = first; i < count && at < variable_.init.size();
             ++i, at += inner) {
            if (i) out_ += ", ";
            if (is_leaf) element(at);
            else level(depth + 1, at, inner);
        }
        out_ += '}';
    }

    void element(std::uint64_t at) {
        while (next_ != variable_.relocations.end() && next_->offset < at) ++next_;
        if (next_ != variable_.relocations.end() && next_->offset == at) return relocation(*next_);
        const std::uint32_t bytes = bytes_of(variable_.type);
        std::uint64_t bits = 0;
        for (std::uint32_t i = 0; i < bytes && i < 8 && at + i < variable_.init.size(); ++i)
            bits |= std::uint64_t{variable_.init[at + i]} << 8 * i;
        const auto to = std::back_inserter(out_);
        if (variable_.type == Type::f32) fmt::format_to(to, "0f{:08X}", bits);
        else if (variable_.type == Type::f64) fmt::format_to(to, "0d{:016X}", bits);
        else fmt::format_to(to, "{}", bits);
    }

    void relocation(const Variable::Relocation& relocation) {
        const bool masked = relocation.bytes < bytes_of(variable_.type) || relocation.shift ||
                            (relocation.bytes == 1 && bytes_of(variable_.type) == 1);
        if (masked)
            fmt::format_to(std::back_inserter(out_), "0x{:X}(",
                           std::uint64_t{0xff} << relocation.shift);
        if (relocation.generic) {
            out_ += "generic(" + relocation.target.name + ')';
            append(out_, Symbol{{}, relocation.target.offset});
        } else {
            append(out_, relocation.target);
        }
        if (masked) out_ += ')';
    }

    std::string& out_;
    const Variable& variable_;
    std::vector<Variable::Relocation>::const_iterator next_;
};

void append_linkage(std::string& out, const Variable& variable) {
    if (variable.is_extern) out += ".extern ";
    if (variable.is_visible) out += ".visible ";
    if (variable.is_weak) out += ".weak ";
    if (variable.is_common) out += ".common ";
}

void append_pointer(std::string& out, const Variable& variable) {
    out += " .ptr";
    if (variable.pointer_space != Space::generic)
        fmt::format_to(std::back_inserter(out), " .{}", name_of(variable.pointer_space));
    if (variable.pointer_align)
        fmt::format_to(std::back_inserter(out), " .align {}", variable.pointer_align);
}

} // namespace

void append(std::string& out, const Variable& variable, bool as_parameter) {
    const auto to = std::back_inserter(out);
    if (!as_parameter) append_linkage(out, variable);
    fmt::format_to(to, ".{}", name_of(variable.space));
    if (variable.managed) out += " .attribute(.managed)";
    if (variable.align) fmt::format_to(to, " .align {}", variable.align);
    if (variable.vector > 1) fmt::format_to(to, " .v{}", variable.vector);
    fmt::format_to(to, " .{}", name_of(variable.type));
    if (variable.is_pointer) append_pointer(out, variable);
    fmt::format_to(to, " {}", variable.name);
    for (const std::uint64_t dim : variable.dims) {
        if (dim) fmt::format_to(to, "[{}]", dim);
        else out += "[]";
    }
    if (!as_parameter && !variable.init.empty()) {
        out += " = ";
        Initializer{out, variable}.print();
    }
}

std::string print(const Variable& variable) {
    std::string out;
    append(out, variable, false);
    out += ';';
    return out;
}

} // namespace lathe::ptx
