// SPDX-License-Identifier: MIT
#include "tests/soft/programs/program.h"

#include "engine/core/error.h"
#include "tests/soft/programs/statements.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace lathe::test::programs {
namespace {

class Program {
public:
    explicit Program(std::uint32_t seed) : random_{seed}, name_{fmt::format("p{}", seed)} {
        structures_.reserve(4); // parameters point to them
    }

    std::string text() {
        std::string result = fmt::format("namespace {} {{\n", name_);
        for (std::uint32_t k = random_.below(3); k > 0; --k) result += structure();
        for (std::uint32_t k = random_.below(3); k > 0; --k) result += table();
        for (std::uint32_t k = random_.below(3); k > 0; --k) {
            switch (random_.below(5)) {
            case 0: result += recursion(); break;
            case 1: result += choice(); break;
            default: result += function(); break;
            }
        }
        return result + body() + "}\n";
    }

private:
    /// Bit fields, arrays and other structures among its members.
    std::string structure() {
        Structure made{fmt::format("S{}", structures_.size()), {}};
        std::string text = fmt::format("struct {} {{\n", made.name);
        const unsigned count = 2 + random_.below(4);
        for (unsigned k = 0; k < count; ++k) {
            const Type type = expressions_.any_type();
            const std::string field = fmt::format("f{}", k);
            const bool is_bits = type->is_integer() && type->bits <= 64;
            if (is_bits && random_.one_in(3)) {
                const unsigned bits = 1 + random_.below(type->bits);
                text += fmt::format("{} {} : {};\n", type->name, field, bits);
                made.fields.push_back({"." + field, type, false, false});
            } else if (random_.one_in(4)) {
                const unsigned elements = 2u << random_.below(2);
                text += fmt::format("{} {}[{}];\n", type->name, field, elements);
                made.fields.push_back({fmt::format(".{}[@{}]", field, elements), type});
            } else if (!structures_.empty() && random_.one_in(4)) {
                text += fmt::format("{} {};\n", structures_.back().name, field);
                add_fields(made.fields, "." + field, structures_.back());
            } else {
                text += fmt::format("{} {};\n", type->name, field);
                made.fields.push_back({"." + field, type});
            }
        }
        structures_.push_back(std::move(made));
        return text + "};\n";
    }

    std::string table() {
        const Type type = expressions_.any_type();
        const unsigned count = 4u << random_.below(3);
        const std::string made = fmt::format("table{}", tables_.size());
        std::string text = fmt::format("TABLE {} {}[{}] = {{", type->name, made, count);
        for (unsigned k = 0; k < count; ++k) text += (k ? ", " : "") + expressions_.constant(type);
        tables_.push_back({fmt::format("{}[@{}]", made, count), type, true});
        return text + "};\n";
    }

    std::string head(const Function& function) {
        const char* const kinds[] = {"", "__noinline__ "};
        std::string text = fmt::format("FN {}{} {}(", kinds[random_.below(2)],
                                       function.result->name, function.name);
        for (std::size_t k = 0; k < function.parameters.size(); ++k) {
            const Function::Parameter& p = function.parameters[k];
            const char* const type = p.structure ? p.structure->name.c_str() : p.type->name;
            text += fmt::format("{}{}{} x{}", k ? ", " : "", type,
                                p.elements       ? "*"
                                : p.by_reference ? "&"
                                                 : "",
                                k);
        }
        return text + ") {\n";
    }

    std::string next_name() { return fmt::format("g{}", functions_.size()); }

    std::string function() {
        Function made{next_name(), expressions_.any_type(), {}};
        Scope scope;
        scope.places = tables_;
        const unsigned count = 1 + random_.below(3);
        for (unsigned k = 0; k < count; ++k) {
            Function::Parameter p;
            const std::string name = fmt::format("x{}", k);
            if (!structures_.empty() && random_.one_in(4)) {
                p.structure = &random_.of(structures_);
                p.by_reference = random_.one_in(2);
                add_fields(scope.places, name, *p.structure);
                scope.records.push_back({name, p.structure});
            } else {
                p.type = expressions_.any_type();
                if (random_.one_in(5)) p.elements = 2u << random_.below(2);
                scope.places.push_back(
                    {p.elements ? fmt::format("{}[@{}]", name, p.elements) : name, p.type});
            }
            made.is_pure &= !p.elements && !p.by_reference;
            made.parameters.push_back(p);
        }
        scope.in_function = true;
        scope.result = made.result;
        std::string text = head(made) + "const u32 tid = (u32)sizeof(x0);\n";
        Statements statements{random_, expressions_, structures_, functions_};
        text += statements.several(scope, 1 + static_cast<int>(random_.below(3)), 1);
        text += fmt::format("return {};\n}}\n", expressions_.of(made.result, scope));
        made.cost = statements.cost + 1;
        functions_.push_back(std::move(made));
        return text;
    }

    Scope of_two(Type first, Type second) const {
        Scope scope;
        scope.places = tables_;
        scope.places.push_back({"x0", first});
        scope.places.push_back({"x1", second});
        scope.weight = 8;
        return scope;
    }

    /// At most seven calls of itself.
    std::string recursion() {
        const Type type = expressions_.any_type(), u32 = scalar("u32");
        const std::string made = next_name();
        Scope scope = of_two(type, u32);
        std::string text =
            fmt::format("FN {0} r{1}({0} x0, u32 x1) {{\nconst u32 tid = x1;\n", type->name, made);
        text += fmt::format("if (x1 == 0) return {};\n", expressions_.of(type, scope, 2));
        text += fmt::format("{} y = r{}({}, x1 - 1);\n", type->name, made,
                            expressions_.of(type, scope, 2));
        scope.places.push_back({"y", type});
        text += fmt::format("return {};\n}}\n", expressions_.of(type, scope, 2));
        text += fmt::format("FN {0} {1}({0} x0, u32 x1) {{ return r{1}(x0, x1 & 7); }}\n",
                            type->name, made);
        Function::Parameter first, second;
        first.type = type;
        second.type = u32;
        functions_.push_back({made, type, {first, second}, true, 20});
        return text;
    }

    /// One of two functions through a pointer.
    std::string choice() {
        const Type type = expressions_.any_type(), u32 = scalar("u32");
        const std::string made = next_name();
        const Scope scope = of_two(type, u32);
        std::string text;
        for (const char* which : {"a", "b"}) {
            text += fmt::format("FN __noinline__ {0} {2}{1}({0} x0, u32 x1) {{\n"
                                "const u32 tid = x1;\n",
                                type->name, made, which);
            text += fmt::format("return {};\n}}\n", expressions_.of(type, scope));
        }
        text += fmt::format("FN {0} {1}({0} x0, u32 x1) {{\n"
                            "{0} (*chosen)({0}, u32) = x1 & 1 ? a{1} : b{1};\n"
                            "return chosen(x0, x1);\n}}\n",
                            type->name, made);
        Function::Parameter first, second;
        first.type = type;
        second.type = u32;
        functions_.push_back({made, type, {first, second}, true, 10});
        return text;
    }

    std::string body() {
        Scope scope;
        scope.places = tables_;
        scope.places.push_back({"tid", scalar("u32"), true});
        std::string text = "FN void body(const u8* input, u8* own, u64* out, u32 tid) {\n";
        for (const char* type : {"u8", "i16", "u32", "i64", "u128", "f32", "f64"}) {
            text += fmt::format("const {0}* in_{0} = (const {0}*)input;\n", type);
            scope.places.push_back(
                {fmt::format("in_{}[@{}]", type, kInputBytes * 8 / scalar(type)->bits),
                 scalar(type), true});
        }
        // 256 bytes, each of them of one type.
        struct Part {
            const char* type;
            unsigned at, count;
        };
        for (const Part& part :
             {Part{"u64", 0, 8}, Part{"f32", 64, 8}, Part{"i128", 96, 4}, Part{"i16", 160, 8},
              Part{"u8", 176, 16}, Part{"f64", 192, 4}, Part{"i32", 224, 8}}) {
            text += fmt::format("{0}* own_{0} = ({0}*)(own + {1});\n", part.type, part.at);
            scope.places.push_back(
                {fmt::format("own_{}[@{}]", part.type, part.count), scalar(part.type)});
        }
        Statements statements{random_, expressions_, structures_, functions_};
        for (int k = 0; k < 2; ++k) text += statements.declaration(scope);
        text += statements.several(scope, 2 + static_cast<int>(random_.below(4)), 0);
        unsigned at = 0;
        for (const Place& place : scope.places)
            if (!place.is_constant) text += told(place.text, at++);
        return text + "}\n";
    }

    /// Every element of a place.
    std::string told(const std::string& place, unsigned turn) {
        std::string text = place, loops;
        for (int k = 0;; ++k) {
            const std::size_t at = text.find('@');
            if (at == std::string::npos) break;
            std::size_t digits = 0;
            const int count = std::stoi(text.substr(at + 1), &digits);
            text.replace(at, digits + 1, fmt::format("k{}", k));
            loops += fmt::format("UNROLL_NO\nfor (u32 k{0} = 0; k{0} < {1}; ++k{0}) ", k, count);
        }
        return fmt::format("{}tell(out, {}, {});\n", loops, turn, text);
    }

    Random random_;
    std::string name_;
    std::vector<Structure> structures_;
    std::vector<Function> functions_;
    std::vector<Place> tables_;
    Expressions expressions_{random_, functions_};
};

} // namespace

std::string program(std::uint32_t seed) { return Program{seed}.text(); }

std::string prelude() {
    const std::string path = LATHE_TEST_PROGRAM_PRELUDE;
    std::ifstream file{path};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (text.empty()) throw Error{path + " could not be read"};
    return text;
}

std::string kernel_of(std::uint32_t seed) {
    const char* const memory =
        seed % 3 ? "own += 256 * id;\n"
                 : "__shared__ __align__(16) u8 all[256 * 96];\n"
                   "own = all + 256 * threadIdx.x;\nfor (u32 k = 0; k < 256; ++k) own[k] = 0;\n";
    return fmt::format("extern \"C\" __global__ void program_{0}(const u8* input, u8* own, "
                       "u64* out) {{\nconst u32 id = blockIdx.x * {2} + threadIdx.x;\n{1}"
                       "p{0}::body(input, own, out + {3} * id, id);\n}}\n",
                       seed, memory, kThreads, kResults);
}

std::string host_loop_of(std::uint32_t seed) {
    return fmt::format("extern \"C\" void program_{0}(const u8* input, u8* own, u64* out, "
                       "u32 threads) {{\nfor (u32 id = 0; id < threads; ++id)\n"
                       "p{0}::body(input, own + 256 * id, out + {1} * id, id);\n}}\n",
                       seed, kResults);
}

} // namespace lathe::test::programs
