// SPDX-License-Identifier: MIT
#include "engine/live/literal_variant.h"

#include "engine/core/log.h"

#include <optional>
#include <utility>

namespace lathe {

void LiteralVariant::want(const KernelSource& source, std::size_t bytes, const BuildKernel& build,
                          const Executor& on) {
    if (state_ != State::none && source.text == source_.text && bytes == bytes_) return;
    job_.drop();
    loaded_.reset();
    state_ = State::compiling;
    source_ = source;
    bytes_ = bytes;
    build_ = build;
    on_ = on;
    job_.build(on_, build_, source_, Effort::quick);
}

void LiteralVariant::refuse() {
    forget();
    source_ = {};
    state_ = State::refused;
}

bool LiteralVariant::poll() {
    std::optional<CompileJob::Result> result = job_.take();
    if (!result) return false;
    KernelBuild& build = result->build;
    const bool fits =
        build.loaded && build.loaded->variable && build.loaded->variable->bytes() == bytes_;
    if (!fits) {
        log::debug("{}: a number stays a constant: {}", source_.name, build.log);
        if (state_ == State::compiling) state_ = State::refused;
        return false; // the quick version goes on, where there is one
    }
    loaded_ = std::move(build.loaded);
    state_ = State::ready;
    if (build.effort == Effort::quick) job_.build(on_, build_, source_, Effort::full);
    return true;
}

void LiteralVariant::wait() {
    if (state_ == State::compiling) job_.wait();
}

void LiteralVariant::cancel() {
    if (state_ != State::compiling) return;
    job_.drop();
    state_ = State::none;
}

void LiteralVariant::forget() {
    job_.drop();
    loaded_.reset();
    state_ = State::none;
}

} // namespace lathe
