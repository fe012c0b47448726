// SPDX-License-Identifier: MIT
#include "engine/render/colormap.h"

#include "engine/core/error.h"
#include "engine/core/resources.h"
#include "gl/context.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

namespace lathe {
namespace {

using Table = std::array<Rgb8, 256>;

constexpr std::string_view kReversed = "_r";

// Of what Apps of several threads share: defined(), the colormaps that are loaded, their textures_.
std::recursive_mutex mutex;

std::map<std::string, Table, std::less<>>& defined() {
    static auto& all = *new std::map<std::string, Table, std::less<>>; // outlives what uses it
    return all;
}

Table reversed(Table table) {
    std::reverse(table.begin(), table.end());
    return table;
}

Table blend(std::span<const std::array<float, 3>> colors) {
    Table table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        const float place = float(i) / 255 * float(colors.size() - 1);
        const std::size_t low = std::min(std::size_t(place), colors.size() - 2);
        const float part = place - float(low);
        const auto byte = [&](std::size_t k) {
            const float value = (1 - part) * colors[low][k] + part * colors[low + 1][k];
            return std::uint8_t(std::lround(255 * value));
        };
        table[i] = {byte(0), byte(1), byte(2)};
    }
    return table;
}

Table parse(const std::string& text, std::string_view name) {
    Table table{};
    std::istringstream in{text};
    for (std::size_t i = 0; i < table.size(); ++i) {
        int r = -1, g = -1, b = -1;
        char comma = 0, second = 0;
        in >> r >> comma >> g >> second >> b;
        if (!in || std::min({r, g, b}) < 0 || std::max({r, g, b}) > 255)
            throw Error{fmt::format("colormap {}: line {} is not \"red,green,blue\", 0 to 255",
                                    name, i + 1)};
        table[i] = {std::uint8_t(r), std::uint8_t(g), std::uint8_t(b)};
    }
    return table;
}

const std::vector<std::string>& table_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator{resource("assets/colormaps")})
            if (entry.path().extension() == ".csv") found.push_back(entry.path().stem().string());
        return found;
    }();
    return names;
}

bool is_table(std::string_view name) {
    const auto& names = table_names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view without_reverse(std::string_view name) {
    return name.ends_with(kReversed) ? name.substr(0, name.size() - kReversed.size()) : name;
}

std::optional<Table> find_table(std::string_view name) {
    const std::string_view forward = without_reverse(name);
    std::optional<Table> found;
    {
        const std::lock_guard lock{mutex};
        if (const auto own = defined().find(forward); own != defined().end()) found = own->second;
    }
    if (!found && is_table(forward))
        found = parse(read_text(resource(fmt::format("assets/colormaps/{}.csv", forward))), name);
    if (!found || forward == name) return found;
    return reversed(*found);
}

} // namespace

std::vector<std::string> colormap_names() {
    std::vector<std::string> names = table_names();
    const std::lock_guard lock{mutex};
    for (const auto& [name, table] : defined()) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

bool is_colormap(std::string_view name) {
    const std::string_view forward = without_reverse(name);
    if (is_table(forward)) return true;
    const std::lock_guard lock{mutex};
    return defined().contains(forward);
}

void define_colormap(std::string name, std::span<const std::array<float, 3>> colors) {
    if (name.empty() || name.ends_with(kReversed) || is_table(name))
        throw Error{fmt::format("a colormap of one's own cannot have the name \"{}\"", name)};
    if (colors.size() < 2)
        throw Error{fmt::format("a colormap has two colors or more, got {}", colors.size())};
    for (const auto& color : colors)
        for (const float part : color)
            if (!(part >= 0 && part <= 1))
                throw Error{fmt::format("colors of a colormap are 0 to 1, got {}", part)};
    const Table table = blend(colors);
    const std::lock_guard lock{mutex};
    defined()[name] = table;
    for (const bool is_reversed : {false, true}) {
        auto& loaded = Colormap::loaded();
        const auto known = loaded.find(is_reversed ? name + std::string{kReversed} : name);
        if (known == loaded.end()) continue;
        known->second->table_ = is_reversed ? reversed(table) : table;
        known->second->textures_.clear();
    }
}

Colormap::Colormap(std::string_view name) : name_{name} {
    const auto found = find_table(name);
    if (!found)
        throw Error{fmt::format("there is no colormap \"{}\"; there are {}", name,
                                fmt::join(colormap_names(), ", "))};
    table_ = *found;
}

Rgb8 Colormap::operator()(float t) const {
    const float clamped = t > 0 ? std::min(t, 1.0f) : 0.0f; // NaN becomes 0
    return table_[std::min<std::size_t>(std::size_t(clamped * 256), 255)];
}

const gl::Texture& Colormap::texture() const {
    const std::uint32_t here = gl::Context::require_current().serial();
    const std::lock_guard lock{mutex};
    const auto known = textures_.find(here);
    if (known != textures_.end()) return known->second;
    std::erase_if(textures_, [](const auto& each) { return !gl::is_living(each.first); });
    std::array<std::uint8_t, 4 * 256> texels{};
    for (std::size_t i = 0; i < table_.size(); ++i) {
        texels[4 * i] = table_[i].r;
        texels[4 * i + 1] = table_[i].g;
        texels[4 * i + 2] = table_[i].b;
        texels[4 * i + 3] = 255;
    }
    gl::Texture made{256, 1, gl::Format::rgba8};
    made.upload(std::as_bytes(std::span{texels}));
    return textures_.emplace(here, std::move(made)).first->second;
}

Colormap::Loaded& Colormap::loaded() {
    // Never destroyed: their textures belong to contexts that may end in any order.
    static Loaded& all = *new Loaded;
    return all;
}

const Colormap& Colormap::named(std::string_view name) {
    const std::lock_guard lock{mutex};
    if (auto it = loaded().find(name); it != loaded().end()) return *it->second;
    auto made = std::make_unique<Colormap>(name);
    return *(loaded()[std::string{name}] = std::move(made));
}

} // namespace lathe
