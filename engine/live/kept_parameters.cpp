// SPDX-License-Identifier: MIT
#include "engine/live/kept_parameters.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/kept_file.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

namespace lathe {

void KeptParameters::keep_in(std::filesystem::path file, bool is_fresh) {
    file_ = std::move(file);
    std::ifstream in{file_, std::ios::binary};
    written_ = {std::istreambuf_iterator<char>{in}, {}};
    if (!is_fresh) read();
}

void KeptParameters::read() {
    std::map<std::string, std::string, std::less<>> values;
    for (std::size_t begin = 0; begin < written_.size();) {
        const auto end = std::min(written_.find('\n', begin), written_.size());
        const std::string line = written_.substr(begin, end - begin);
        begin = end + 1;
        const auto mark = line.find_first_of("=~");
        if (mark == line.npos || mark == 0) continue;
        const std::string name = line.substr(0, mark), words = line.substr(mark + 1);
        if (line[mark] == '=') {
            values[name] = words;
            continue;
        }
        try {
            bindings_.remember(name, parse_follow(words));
        } catch (const Error& e) { log::debug("{}: {}", file_.string(), e.what()); }
    }
    if (!written_.empty())
        log::info("sliders are as the last run left them; \"Reset all\" or --fresh: as the program "
                  "has them");
    parameters_.remember(std::move(values));
}

std::string KeptParameters::text() const {
    std::string lines;
    for (const auto& [name, words] : parameters_.values_by_hand())
        lines += fmt::format("{}={}\n", name, words);
    for (const auto& [target, follow] : bindings_.bound_by_hand())
        lines += fmt::format("{}~{}\n", target, to_text(follow));
    return lines;
}

void KeptParameters::save(bool now) {
    const auto time = std::chrono::steady_clock::now();
    if (file_.empty() || (!now && time - looked_ < std::chrono::seconds{1})) return;
    looked_ = time;
    std::string lines = text();
    if (lines == written_) return;
    written_ = std::move(lines);
    const std::string why = replace_file(file_, written_);
    if (why.empty()) return;
    log::warning("sliders are not kept: {}", why);
    file_.clear();
}

} // namespace lathe
