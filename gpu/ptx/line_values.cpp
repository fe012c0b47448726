// SPDX-License-Identifier: MIT
#include "gpu/ptx/line_values.h"

#include "gpu/ptx/code_writer.h"
#include "gpu/ptx/line_sites.h"
#include "gpu/ptx/thread_trace.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace lathe::ptx {
namespace {

// Registers of each function that has the line.
constexpr const char* kInLine = "%lathe_in"; ///< the thread is in the line
constexpr const char* kWanted = "%lathe_wanted";
constexpr const char* kThread = "%lathe_thread"; ///< its number in the launch
constexpr const char* kAddress = "%lathe_address";
constexpr const char* kOther = "%lathe_other";

std::uint32_t stride_of(std::uint32_t bytes) { return bytes <= 4 ? 4 : (bytes + 7) / 8 * 8; }

class LineWriter {
public:
    LineWriter(Function& function, std::size_t index, const LineSites& sites,
               const WantedLine& wanted, const LinePlan& plan)
        : function_{function}, index_{index}, sites_{sites}, wanted_{wanted}, plan_{plan} {}

    void run() {
        std::vector<std::size_t> statements;
        for (const LineSite& site : sites_.all()) statements.push_back(site.statement);
        insert_code(
            function_, statements,
            [this](CodeWriter& code) {
                for (const char* name : {kInLine, kWanted}) code.declare(name, Type::pred);
                for (const char* name : {kThread, kAddress}) code.declare(name, Type::b64);
                code.declare(kOther, Type::b32);
                set_in_line(code, false);
                find_thread(code);
            },
            [this](CodeWriter& code, std::size_t n) {
                const LineSite& site = sites_.all()[n];
                const bool is_wanted = site.is_line && is_of(site, wanted_);
                if (is_wanted) come(code);
                if (!is_wanted || site.is_end) leave(code, site);
            });
    }

    static bool is_of(const LineSite& site, const WantedLine& wanted) {
        return site.line == wanted.line &&
               std::ranges::find(wanted.files, site.file) != wanted.files.end();
    }

private:
    static void set_in_line(CodeWriter& code, bool on) {
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(on ? 1 : 0)});
        code.add(Opcode::setp, {"ne"}, {Type::u32}, {reg(kInLine), reg(kWord), number(0)});
    }

    static void find_thread(CodeWriter& code) {
        const auto product = [&](const char* to, const std::string& a, const std::string& b) {
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), reg(a)});
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kOther), reg(b)});
            code.add(Opcode::mul, {"wide"}, {Type::u32}, {reg(to), reg(kWord), reg(kOther)});
        };
        const auto add = [&] {
            code.add(Opcode::add, {}, {Type::u64}, {reg(kThread), reg(kThread), reg(kAddress)});
        };
        code.add(Opcode::mov, {}, {Type::u64}, {reg(kThread), number(0)});
        for (const char* axis : {".z", ".y", ".x"}) {
            product(kAddress, std::string{"%nctaid"} + axis, std::string{"%ntid"} + axis);
            code.add(Opcode::mul, {"lo"}, {Type::u64}, {reg(kThread), reg(kThread), reg(kAddress)});
            product(kAddress, std::string{"%ctaid"} + axis, std::string{"%ntid"} + axis);
            add();
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), reg(std::string{"%tid"} + axis)});
            code.add(Opcode::cvt, {}, {Type::u64, Type::u32}, {reg(kAddress), reg(kWord)});
            add();
        }
    }

    /// kAddress becomes that of the thread's part of what LineState has at `offset`.
    static void point(CodeWriter& code, std::size_t offset, std::uint32_t stride) {
        code.add(Opcode::ld, {"global"}, {Type::u64},
                 {reg(kAddress), at(kLineState, static_cast<std::int64_t>(offset))});
        code.add(Opcode::mad, {"lo"}, {Type::u64},
                 {reg(kAddress), reg(kThread), number(stride), reg(kAddress)});
    }

    std::string next_label() {
        return "$L__lathe_" + std::to_string(index_) + "_" + std::to_string(labels_++);
    }

    /// The line begins: a visit, unless the thread is in it.
    void come(CodeWriter& code) {
        const std::string end = next_label();
        code.jump(end, kInLine);
        point(code, offsetof(LineState, visits), 4);
        code.add(Opcode::ld, {"global"}, {Type::u32}, {reg(kWord), behind(kAddress, 0)});
        code.add(Opcode::add, {}, {Type::u32}, {reg(kWord), reg(kWord), number(1)});
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kAddress, 0), reg(kWord)});
        set_in_line(code, true);
        code.label(end);
    }

    /// Another line begins, or the function ends: where the thread was in the line it is behind it.
    /// An end under a guard may not come, so that the thread stays in the line there.
    void leave(CodeWriter& code, const LineSite& site) {
        const std::string end = next_label();
        code.jump(end, kInLine, true);
        point(code, offsetof(LineState, visits), 4);
        code.add(Opcode::ld, {"global"}, {Type::u32}, {reg(kWord), behind(kAddress, 0)});
        code.add(Opcode::ld, {"global"}, {Type::u32},
                 {reg(kOther), at(kLineState, offsetof(LineState, visit))});
        code.add(Opcode::setp, {"eq"}, {Type::u32}, {reg(kWanted), reg(kOther), number(0)});
        code.add(Opcode::setp, {"eq", "or"}, {Type::u32},
                 {reg(kWanted), reg(kOther), reg(kWord), reg(kWanted)});
        if (!site.guard) set_in_line(code, false);
        code.jump(end, kWanted, true);
        std::uint32_t seen = 0;
        for (std::size_t plane = 0; plane < plan_.variables.size(); ++plane) {
            const auto v = variable(site, plan_.variables[plane].type);
            if (!v) continue;
            point(code, offsetof(LineState, values) + 8 * plane, plan_.variables[plane].stride);
            store(code, site, *v, plan_.variables[plane].bytes);
            seen |= 1u << plane;
        }
        if (seen) {
            point(code, offsetof(LineState, seen), 4);
            code.add(Opcode::ld, {"global"}, {Type::u32}, {reg(kWord), behind(kAddress, 0)});
            code.add(Opcode::or_, {}, {Type::b32}, {reg(kWord), reg(kWord), number(seen)});
            code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kAddress, 0), reg(kWord)});
        }
        code.label(end);
    }

    /// The inner one of the name that the site knows, if it has the type.
    std::optional<std::size_t> variable(const LineSite& site, const ParameterType& type) const {
        for (std::size_t v = site.known.size(); v-- > 0;) {
            const ParameterType& other = sites_.variables()[v].type;
            if (!site.known[v] || other.name != type.name) continue;
            if (other.kind != type.kind || other.bytes != type.bytes) return {};
            const dwarf::Place* const place = sites_.place_of(site, v);
            const bool fits =
                !place || !place->is_register ||
                bytes_of(sites_.facts().type_of(place->name)) <= stride_of(type.bytes);
            return fits ? std::optional{v} : std::nullopt;
        }
        return {};
    }

    void store(CodeWriter& code, const LineSite& site, std::size_t v, std::uint32_t bytes) const {
        const auto& constant = sites_.variables()[v].constant;
        if (constant.empty())
            return code.store(sites_.facts(), *sites_.place_of(site, v), kAddress, 0, bytes);
        for (std::uint32_t byte = 0; byte < std::min<std::size_t>(bytes, constant.size()); ++byte) {
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(constant[byte])});
            code.add(Opcode::st, {"global"}, {Type::u8}, {behind(kAddress, byte), reg(kWord)});
        }
    }

    Function& function_;
    std::size_t index_;
    const LineSites& sites_;
    const WantedLine& wanted_;
    const LinePlan& plan_;
    std::size_t labels_ = 0;
};

/// Adds what is known at the line, and at what follows it in the code. Of a name the inner one.
void add_known(const LineSites& sites, const WantedLine& wanted,
               std::vector<ParameterType>& known) {
    bool was_wanted = false;
    for (const LineSite& site : sites.all()) {
        const bool is_wanted = LineWriter::is_of(site, wanted);
        if (is_wanted || was_wanted)
            for (std::size_t v = site.known.size(); v-- > 0;) {
                const ParameterType& type = sites.variables()[v].type;
                if (site.known[v] &&
                    std::ranges::find(known, type.name, &ParameterType::name) == known.end())
                    known.push_back(type);
            }
        was_wanted = is_wanted;
    }
}

} // namespace

LinePlan write_line_values(Module& module, const std::vector<std::uint32_t>& files,
                           const WantedLine& wanted, const std::vector<std::string>& names) {
    LinePlan plan;
    const dwarf::Tree tree = dwarf::read_tree(module);
    std::vector<std::pair<std::size_t, LineSites>> having;
    for (std::size_t f = 0; f < module.functions.size(); ++f) {
        const Function& function = module.functions[f];
        if (!function.has_body) continue;
        LineSites sites{module, function, debug_variables(tree, function.name), files};
        const auto is_wanted = [&](const LineSite& site) {
            return site.is_line && LineWriter::is_of(site, wanted);
        };
        if (!std::ranges::any_of(sites.all(), is_wanted)) continue;
        add_known(sites, wanted, plan.known);
        if (function.is_entry && plan.entry.empty()) plan.entry = function.name;
        having.emplace_back(f, std::move(sites));
    }
    plan.is_reached = !having.empty();
    for (const std::string& name : names) {
        const auto type = std::ranges::find(plan.known, name, &ParameterType::name);
        const auto is_there = [&](const LineVariable& v) { return v.type.name == name; };
        if (type == plan.known.end() || plan.variables.size() == kMostLineVariables ||
            std::ranges::any_of(plan.variables, is_there))
            continue;
        const std::uint32_t bytes = std::min(type->bytes, kMostTracedBytes);
        plan.variables.push_back({*type, bytes, stride_of(bytes)});
    }
    for (const auto& [f, sites] : having)
        LineWriter{module.functions[f], f, sites, wanted, plan}.run();
    end_writing(module, kLineState, sizeof(LineState));
    return plan;
}

} // namespace lathe::ptx
