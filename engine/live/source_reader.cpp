// SPDX-License-Identifier: MIT
#include "engine/live/source_reader.h"

#include <chrono>
#include <utility>

namespace lathe {

/// What the worker has read, where it is done.
void SourceReader::take() {
    if (!reading_.valid() ||
        reading_.wait_for(std::chrono::seconds{0}) != std::future_status::ready)
        return;
    reading_.get();
    std::swap(front_, back_);
    front_version_ = back_version_;
}

void SourceReader::begin() {
    if (!worker_) worker_ = std::make_unique<Worker>();
    back_version_ = wanted_;
    auto task = std::make_shared<std::packaged_task<void()>>(
        [index = back_.get(), text = text_, version = wanted_, headers = headers_] {
            index->update(text, version, headers);
        });
    reading_ = task->get_future();
    worker_->run([task] { (*task)(); });
}

bool SourceReader::read(const std::string& text, std::uint64_t version,
                        const std::vector<std::filesystem::path>& headers) {
    if (wanted_ != version) {
        wanted_ = version;
        text_ = text;
        headers_ = headers;
    }
    take();
    if (front_version_ == wanted_) return true;
    if (reading_.valid()) return false;
    if (text_.size() <= kShort) finish();
    else begin();
    return front_version_ == wanted_;
}

void SourceReader::finish() {
    if (reading_.valid()) reading_.wait();
    take();
    if (front_version_ == wanted_) return;
    front_->update(text_, wanted_, headers_);
    front_version_ = wanted_;
}

} // namespace lathe
