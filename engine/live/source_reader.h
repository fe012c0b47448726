// SPDX-License-Identifier: MIT
// The index of a text that is typed: short texts are read at once, long ones on another thread,
// so that no key waits for them.
#pragma once

#include "engine/core/api.h"
#include "engine/live/source_index.h"
#include "engine/live/worker.h"

#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace lathe {

class LATHE_API SourceReader {
public:
    /// Bytes of a text that is read at once.
    static constexpr std::size_t kShort = 16'384;

    /// The text wanted from now on, `version` being another one for another text: reads it or
    /// begins to, and takes what was read meanwhile. True where index() is this text's.
    bool read(const std::string& text, std::uint64_t version,
              const std::vector<std::filesystem::path>& headers);
    /// Blocks until index() is that of the text that was wanted last.
    void finish();
    /// Of the text that was read last; what it gave before is gone with the next call of the
    /// functions above.
    const SourceIndex& index() const { return *front_; }

private:
    void take();
    void begin();

    std::unique_ptr<SourceIndex> front_ = std::make_unique<SourceIndex>();
    std::unique_ptr<SourceIndex> back_ = std::make_unique<SourceIndex>(); ///< the worker's
    std::string text_;                                                    ///< wanted
    std::vector<std::filesystem::path> headers_;
    std::uint64_t wanted_ = ~std::uint64_t{}, front_version_ = wanted_, back_version_ = wanted_;
    std::future<void> reading_;
    std::unique_ptr<Worker> worker_; ///< once a text was long; ends before what it reads into
};

} // namespace lathe
