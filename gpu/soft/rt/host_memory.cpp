// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/host_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace lathe::soft {

namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

/// The number behind `name` in a file of lines "name number ...".
std::optional<std::size_t> number_in(const std::string& path, std::string_view name) {
    std::ifstream file{path};
    for (std::string word, line; file >> word && std::getline(file, line);)
        if (word == name) return std::strtoull(line.c_str(), nullptr, 10);
    return std::nullopt;
}

/// The number that a file holds; none for "max".
std::optional<std::size_t> number_of(const std::string& path) {
    std::ifstream file{path};
    std::string text;
    if (!(file >> text)) return std::nullopt;
    std::size_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc{} ? std::optional{value} : std::nullopt;
}

/// The names of files in one version of control groups.
struct Names {
    const char *limit, *used, *inactive, *active;
};
constexpr Names kFirst{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                       "total_active_file"};
constexpr Names kSecond{"memory.max", "memory.current", "inactive_file", "active_file"};

/// Narrows `memory` to what a group and those around it allow. In a container the group's path may
/// be one of the machine outside: then only the innermost folder is there to see.
void narrow(HostMemory& memory, const std::string& mount, std::string group, const Names& names) {
    while (true) {
        const std::string folder = mount + group + "/";
        if (const auto limit = number_of(folder + names.limit)) {
            const std::string stat = folder + "memory.stat";
            const std::size_t used = number_of(folder + names.used).value_or(0);
            const std::size_t files = number_in(stat, names.inactive).value_or(0) +
                                      number_in(stat, names.active).value_or(0);
            const std::size_t kept = used - std::min(used, files);
            memory.total = std::min(memory.total, *limit);
            memory.available = std::min(memory.available, *limit - std::min(*limit, kept));
        }
        if (group.empty()) return;
        group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
}

bool lists_memory(std::string_view controllers) {
    while (!controllers.empty()) {
        const std::size_t comma = std::min(controllers.find(','), controllers.size());
        if (controllers.substr(0, comma) == "memory") return true;
        controllers.remove_prefix(std::min(comma + 1, controllers.size()));
    }
    return false;
}

} // namespace

HostMemory host_memory(const std::string& root) {
    HostMemory memory{kUnknown, kUnknown};
    const std::string info = root + "/proc/meminfo";
    if (const auto kib = number_in(info, "MemTotal:")) memory.total = *kib << 10;
    if (const auto kib = number_in(info, "MemAvailable:")) memory.available = *kib << 10;
    // Lines are "number:controllers:path"; version 2 has number 0 and names no controllers.
    std::ifstream groups{root + "/proc/self/cgroup"};
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto controllers = std::string_view{line}.substr(first + 1, second - first - 1);
        std::string path = line.substr(second + 1);
        while (path.ends_with('/')) path.pop_back();
        if (controllers.empty()) {
            narrow(memory, root + "/sys/fs/cgroup", path, kSecond);
            narrow(memory, root + "/sys/fs/cgroup/unified", path, kSecond);
        } else if (lists_memory(controllers)) {
            narrow(memory, root + "/sys/fs/cgroup/memory", path, kFirst);
        }
    }
    if (memory.total == kUnknown) // no /proc
        memory.total = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    memory.available = std::min(memory.available, memory.total);
    return memory;
}

} // namespace lathe::soft
