// SPDX-License-Identifier: MIT
#include "gpu/linker.h"

#include "gpu/driver/check.h"
#include "gpu/jit_options.h"

#include <fmt/format.h>

namespace lathe::gpu {

void detail::LinkTraits::destroy(Type link) noexcept {
    if (const ReleaseScope scope{link.context})
        log_failure("cuLinkDestroy", driver().cuLinkDestroy(link.value));
}

Linker::Linker(std::span<const JitOption> options, bool verbose)
    : options_{std::make_unique<detail::JitOptions>(options, verbose)} {
    const Context context = Context::ensure_current();
    CUlinkState link = nullptr;
    CU_TRY(cuLinkCreate(options_->count(), options_->names(), options_->values(), &link), "{}",
           options_->log().error);
    handle_ = Handle<detail::LinkTraits>{{link, context}};
}

Linker::Linker() noexcept = default;
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&& other) noexcept {
    handle_ = std::move(other.handle_); // the old link ends before its logs
    options_ = std::move(other.options_);
    complete_ = other.complete_;
    return *this;
}
Linker::~Linker() = default;

CUlinkState Linker::get() const {
    if (!handle_) throw Error{"cuLinkAddData", CUDA_ERROR_INVALID_HANDLE, "there is no link"};
    if (complete_)
        throw Error{"cuLinkAddData", CUDA_ERROR_INVALID_HANDLE, "the link is complete already"};
    return handle_.get().value;
}

void Linker::fail(const char* routine, CUresult code, const std::string& detail) const {
    const std::string words = log().error;
    throw Error{routine, code, words.empty() ? detail : detail + ": " + words};
}

void Linker::add(CUjitInputType type, std::span<const std::byte> data, const std::string& name) {
    const CUlinkState link = get();
    const CurrentContext scope{handle_.get().context};
    // PTX must end with 0; other inputs do not mind one.
    std::string bytes{reinterpret_cast<const char*>(data.data()), data.size()};
    const std::size_t count = type == CU_JIT_INPUT_PTX ? bytes.size() + 1 : bytes.size();
    const CUresult code =
        driver().cuLinkAddData(link, type, bytes.data(), count, name.c_str(), 0, nullptr, nullptr);
    if (code != CUDA_SUCCESS)
        fail("cuLinkAddData", code,
             fmt::format("{}, {} bytes of type {}", name, data.size(), static_cast<int>(type)));
}

void Linker::add_file(CUjitInputType type, const std::filesystem::path& file) {
    const CUlinkState link = get();
    const CurrentContext scope{handle_.get().context};
    const CUresult code = driver().cuLinkAddFile(link, type, file.c_str(), 0, nullptr, nullptr);
    if (code != CUDA_SUCCESS)
        fail("cuLinkAddFile", code,
             fmt::format("{} of type {}", file.string(), static_cast<int>(type)));
}

std::span<const std::byte> Linker::complete() {
    const CUlinkState link = get();
    const CurrentContext scope{handle_.get().context};
    void* image = nullptr;
    std::size_t bytes = 0;
    const CUresult code = driver().cuLinkComplete(link, &image, &bytes);
    if (code != CUDA_SUCCESS) fail("cuLinkComplete", code, "the parts do not fit together");
    complete_ = true;
    return {static_cast<const std::byte*>(image), bytes};
}

JitLog Linker::log() const { return options_ ? options_->log() : JitLog{}; }

} // namespace lathe::gpu
