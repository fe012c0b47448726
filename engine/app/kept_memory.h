// SPDX-License-Identifier: MIT
// A program's arrays and textures by name: asked for again they are found, after a reload, too, and
// a reset brings their first contents back.
#pragma once

#include "engine/app/app.h"
#include "engine/interop/texture.h"
#include "gpu/array/array.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lathe {

class KeptMemory {
public:
    using Memory = std::variant<gpu::Array, Texture>;

    /// The memory of this name, contents kept, where it was made before a reload and `fits`; else
    /// what `make` makes, with the contents. Without a name it is known by its number, and kept as
    /// long as somebody else has it. Throws std::invalid_argument where the program itself has that
    /// name already, gpu::ShapeError for contents of another size.
    const Memory& find_or_make(std::string_view name, const FirstContents& first,
                               const std::function<bool(const Memory&)>& fits,
                               const std::function<Memory()>& make);
    /// What is not asked for from now on is let go at the next reload.
    void begin_reload();
    /// What has a name so far may be asked for again.
    void begin_part();
    /// Everything as it was at first.
    void restore();
    void clear() { items_.clear(); }
    struct Named {
        std::string_view name;
        const Memory* memory;
    };
    /// What the program has; valid until memory is asked for.
    std::vector<Named> all() const;

private:
    struct Item {
        std::string name;
        Memory memory;
        std::vector<std::byte> bytes{}; ///< first contents; without these and `array` zeros
        std::optional<gpu::Array> array{};
        bool is_claimed = true;          ///< since the last reload
        bool may_be_asked_again = false; ///< by a part of the program that is executed again
        void keep(const FirstContents& first);
        void restore();
    };
    std::vector<Item> items_;
    std::size_t unnamed_ = 0;
};

} // namespace lathe
