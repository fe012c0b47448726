// SPDX-License-Identifier: MIT
#include "engine/render/colormap.h"

#include "engine/core/error.h"
#include "engine/core/resources.h"
#include "gl/context.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <sstream>
#include <utility>

namespace lathe {
namespace {

std::mutex textures_mutex; // of all colormaps' textures_: Apps of several threads share them

std::array<Rgb8, 256> parse(const std::string& text, std::string_view name) {
    std::array<Rgb8, 256> table{};
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

} // namespace

const std::vector<std::string>& colormap_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator{resource("assets/colormaps")})
            if (entry.path().extension() == ".csv") found.push_back(entry.path().stem().string());
        std::sort(found.begin(), found.end());
        return found;
    }();
    return names;
}

Colormap::Colormap(std::string_view name) : name_{name} {
    const auto& names = colormap_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw Error{
            fmt::format("there is no colormap \"{}\"; there are {}", name, fmt::join(names, ", "))};
    table_ = parse(read_text(resource(fmt::format("assets/colormaps/{}.csv", name))), name);
}

Rgb8 Colormap::operator()(float t) const {
    const float clamped = t > 0 ? std::min(t, 1.0f) : 0.0f; // NaN becomes 0
    return table_[std::min<std::size_t>(std::size_t(clamped * 256), 255)];
}

const gl::Texture& Colormap::texture() const {
    const std::uint32_t here = gl::Context::require_current().serial();
    std::lock_guard lock{textures_mutex};
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

const Colormap& Colormap::named(std::string_view name) {
    // Never destroyed: its textures belong to contexts that may end in any order.
    static auto& loaded = *new std::map<std::string, std::unique_ptr<Colormap>, std::less<>>;
    static std::mutex mutex;
    std::lock_guard lock{mutex};
    if (auto it = loaded.find(name); it != loaded.end()) return *it->second;
    auto made = std::make_unique<Colormap>(name);
    return *(loaded[std::string{name}] = std::move(made));
}

} // namespace lathe
