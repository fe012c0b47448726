// SPDX-License-Identifier: MIT
#include "engine/core/source_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace lathe {

std::string source_name(const std::string& lowered) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> text{
        abi::__cxa_demangle(lowered.c_str(), nullptr, nullptr, &status), &std::free};
    if (status != 0 || !text || !lowered.starts_with("_Z")) return lowered;
    std::string name{text.get()};
    if (const auto list = name.find('('); list != name.npos && list > 0) name.resize(list);
    if (name.starts_with("void ")) name.erase(0, 5); // of an instantiated template
    return name;
}

} // namespace lathe
