// SPDX-License-Identifier: MIT
#include "engine/core/source_name.h"

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace lathe {

namespace {

/// "float turned<4>" becomes "turned<4>".
void erase_result(std::string& name) {
    int depth = 0;
    for (std::size_t k = name.size(); k-- > 0;) {
        depth += (name[k] == '>') - (name[k] == '<');
        if (name[k] == ' ' && depth == 0) return void(name.erase(0, k + 1));
    }
}

} // namespace

std::string source_name(const std::string& lowered) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> text{
        abi::__cxa_demangle(lowered.c_str(), nullptr, nullptr, &status), &std::free};
    if (status != 0 || !text || !lowered.starts_with("_Z")) return lowered;
    std::string name{text.get()};
    if (const auto list = name.find('('); list != name.npos && list > 0) name.resize(list);
    if (name.ends_with('>')) erase_result(name); // of an instantiated template
    return name;
}

} // namespace lathe
