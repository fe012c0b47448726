// SPDX-License-Identifier: MIT
// Modules, functions and sections as text; print_instruction.cpp and print_variable.cpp have the
// rest.
#include "gpu/ptx/printer.h"

#include "gpu/ptx/print_operand.h"

#include <fmt/format.h>

#include <iterator>
#include <unordered_map>

namespace lathe::ptx {
namespace {

class Printer {
public:
    explicit Printer(const Module& module) : module_{module} { collect_inlined_names(); }

    std::string run() {
        header();
        auto function = module_.functions.begin();
        for (; function != module_.functions.end() && !function->has_body; ++function)
            print(*function);
        for (const Variable& variable : module_.variables) {
            append(out_, variable, false);
            out_ += ";\n";
        }
        for (; function != module_.functions.end(); ++function) print(*function);
        for (const auto& [alias, target] : module_.aliases) line(".alias {}, {};", alias, target);
        for (const auto& [number, path] : module_.files) line(".file {} \"{}\"", number, path);
        for (const Section& section : module_.sections) print(section);
        return std::move(out_);
    }

private:
    template <class... Args> void add(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    }
    template <class... Args> void line(fmt::format_string<Args...> format, Args&&... args) {
        out_.append(static_cast<std::size_t>(depth_), '\t');
        add(format, std::forward<Args>(args)...);
        out_ += '\n';
    }

    /// How to point at each string of .debug_str: at its label, else by its offset.
    void collect_inlined_names() {
        for (const Section& section : module_.sections) {
            if (section.name != ".debug_str") continue;
            std::string place = ".debug_str", text;
            std::uint64_t offset = 0;
            for (const Section::Item& item : section.items) {
                if (item.bytes == 0) place = item.label;
                offset += item.bytes;
                const auto* const byte = std::get_if<std::uint64_t>(&item.value);
                if (item.bytes != 1 || !byte) continue;
                if (*byte) {
                    text += static_cast<char>(*byte);
                    continue;
                }
                place_of_name_.emplace(std::move(text), std::move(place));
                text.clear();
                place = fmt::format(".debug_str+{}", offset);
            }
        }
    }

    void header() {
        line(".version {}.{}", module_.version_major, module_.version_minor);
        add(".target {}", module_.target);
        for (const std::string& option : module_.target_options) add(", {}", option);
        line("\n.address_size {}", module_.address_size);
        for (const std::string& text : module_.pragmas) line(".pragma \"{}\";", text);
    }

    void list(const std::vector<Variable>& parameters) {
        out_ += '(';
        for (const Variable& parameter : parameters) {
            if (&parameter != parameters.data()) out_ += ", ";
            append(out_, parameter, true);
        }
        out_ += ')';
    }

    void print(const Function& function) {
        out_ += '\n';
        if (function.is_extern) out_ += ".extern ";
        if (function.is_visible) out_ += ".visible ";
        if (function.is_weak) out_ += ".weak ";
        out_ += function.is_entry ? ".entry " : ".func ";
        if (!function.returns.empty()) {
            list(function.returns);
            out_ += ' ';
        }
        out_ += function.name;
        list(function.params);
        attributes(function);
        if (!function.has_body) {
            out_ += ";\n";
            return;
        }
        out_ += "\n{\n";
        location_ = 0;
        ++depth_;
        for (const Prototype& prototype : function.prototypes) print(prototype);
        statements(function.body);
        --depth_;
        out_ += "}\n";
    }

    void three(std::string_view name, const std::uint32_t (&values)[3]) {
        if (values[0]) add("\n{} {}, {}, {}", name, values[0], values[1], values[2]);
    }

    void attributes(const Function& function) {
        if (function.noreturn) out_ += "\n.noreturn";
        three(".maxntid", function.max_threads);
        three(".reqntid", function.required_threads);
        if (function.min_blocks) add("\n.minnctapersm {}", function.min_blocks);
        if (function.max_registers) add("\n.maxnreg {}", function.max_registers);
        if (function.explicit_cluster) out_ += "\n.explicitcluster";
        three(".reqnctapercluster", function.required_cluster);
        if (function.max_cluster_rank) add("\n.maxclusterrank {}", function.max_cluster_rank);
        for (const std::string& text : function.pragmas) add("\n.pragma \"{}\";", text);
    }

    void print(const Prototype& prototype) {
        add("\t{}: .callprototype ", prototype.name);
        if (!prototype.returns.empty()) list(prototype.returns);
        out_ += " _ ";
        list(prototype.params);
        if (prototype.noreturn) out_ += " .noreturn";
        out_ += ";\n";
    }

    void statements(const Block& block) {
        for (const Statement& statement : block.statements)
            std::visit([this](const auto& each) { print(each); }, statement);
    }

    void print(const Instruction& instruction) {
        if (instruction.location && instruction.location != location_) loc(instruction.location);
        location_ = instruction.location;
        out_.append(static_cast<std::size_t>(depth_), '\t');
        append(out_, instruction);
        out_ += '\n';
    }

    /// Writes a .loc. Its inlined_at names numbers only, which mean the latest .loc that had them:
    /// where that is another one, the call's own .loc is written first.
    void loc(LocationId id) {
        const Location& at = *module_.location(id);
        const Location* const site = module_.location(at.inlined_at);
        if (site) {
            const auto latest = latest_at_place_.find(place(*site));
            const bool is_latest =
                latest != latest_at_place_.end() && latest->second == at.inlined_at;
            if (!is_latest && at.inlined_at < id) loc(at.inlined_at);
        }
        latest_at_place_[place(at)] = id;
        add("\t.loc {} {} {}", at.file, at.line, at.column);
        if (site) {
            const auto name = place_of_name_.find(at.function);
            if (name != place_of_name_.end()) add(", function_name {}", name->second);
            add(", inlined_at {} {} {}", site->file, site->line, site->column);
        }
        out_ += '\n';
    }

    static std::string place(const Location& at) {
        return fmt::format("{}:{}:{}", at.file, at.line, at.column);
    }

    void print(const Label& label) { add("{}:\n", label.name); }
    void print(const Pragma& pragma) { line(".pragma \"{}\";", pragma.text); }

    void print(const Variable& variable) {
        out_.append(static_cast<std::size_t>(depth_), '\t');
        append(out_, variable, false);
        out_ += ";\n";
    }

    void print(const RegisterDecl& decl) {
        out_.append(static_cast<std::size_t>(depth_), '\t');
        out_ += ".reg ";
        if (decl.vector > 1) add(".v{} ", decl.vector);
        add(".{} {}", name_of(decl.type), decl.name);
        if (decl.count) add("<{}>", decl.count);
        out_ += ";\n";
    }

    void print(const TargetList& list) {
        add("{}: .{}targets ", list.name, list.is_call ? "call" : "branch");
        for (const std::string& target : list.targets) {
            if (&target != list.targets.data()) out_ += ", ";
            out_ += target;
        }
        out_ += ";\n";
    }

    void print(const Block& block) {
        line("{{");
        ++depth_;
        statements(block);
        --depth_;
        line("}}");
    }

    void print(const Section& section) {
        line(".section {}\n{{", section.name);
        for (std::size_t i = 0; i < section.items.size();) {
            const Section::Item& item = section.items[i];
            if (item.bytes == 0) {
                line("{}:", item.label);
                ++i;
                continue;
            }
            add(".b{} ", item.bytes * 8);
            value(item);
            const std::size_t full = i + 32; // a line of plain bytes
            for (++i; item.bytes == 1 && i < full && i < section.items.size(); ++i) {
                if (section.items[i].bytes != 1) break;
                out_ += ',';
                value(section.items[i]);
            }
            out_ += '\n';
        }
        line("}}");
    }

    void value(const Section::Item& item) {
        if (const auto* const number = std::get_if<std::uint64_t>(&item.value))
            return add("{}", *number);
        const Symbol& symbol = std::get<Symbol>(item.value);
        out_ += symbol.name;
        if (!item.minus.empty()) out_ += '-' + item.minus;
        append(out_, Symbol{{}, symbol.offset});
    }

    const Module& module_;
    std::string out_;
    std::unordered_map<std::string, std::string> place_of_name_; ///< inlined functions
    std::unordered_map<std::string, LocationId> latest_at_place_;
    LocationId location_ = 0;
    int depth_ = 0;
};

} // namespace

std::string print(const Module& module) { return Printer{module}.run(); }

} // namespace lathe::ptx
