// SPDX-License-Identifier: MIT
#include "gpu/compile_record.h"

#include <cstdint>
#include <utility>

namespace lathe::gpu {

namespace {

class Writer {
public:
    void number(std::uint64_t n) {
        for (int i = 0; i < 8; ++i) text_.push_back(static_cast<char>(n >> (8 * i)));
    }
    void text(std::string_view t) {
        number(t.size());
        text_.append(t);
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// Reads past the end set `bad` instead of reading.
class Reader {
public:
    explicit Reader(std::string_view text) : text_{text} {}
    std::uint64_t number() {
        if (text_.size() < 8) return fail();
        std::uint64_t n = 0;
        for (int i = 7; i >= 0; --i) n = n << 8 | static_cast<unsigned char>(text_[i]);
        text_.remove_prefix(8);
        return n;
    }
    std::string_view text() {
        const std::uint64_t bytes = number();
        if (bytes > text_.size()) return fail(), std::string_view{};
        const std::string_view t = text_.substr(0, bytes);
        text_.remove_prefix(bytes);
        return t;
    }
    bool bad() const { return bad_; }
    bool at_end() const { return text_.empty(); }

private:
    std::uint64_t fail() {
        bad_ = true;
        text_ = {};
        return 0;
    }
    std::string_view text_;
    bool bad_ = false;
};

} // namespace

std::string serialize(const std::string& key, const CompileResult& r) {
    Writer w;
    w.text(key);
    w.number(r.target.kind == ImageKind::cubin);
    w.number(static_cast<std::uint64_t>(r.target.capability.major));
    w.number(static_cast<std::uint64_t>(r.target.capability.minor));
    w.text({reinterpret_cast<const char*>(r.image.data()), r.image.size()});
    w.text(r.log);
    w.text(r.command_line);
    w.number(r.lowered_names.size());
    for (const auto& [expression, name] : r.lowered_names) {
        w.text(expression);
        w.text(name);
    }
    return w.take();
}

std::optional<CompileResult> deserialize(const std::string& key, std::string_view payload) {
    Reader in{payload};
    if (in.text() != key) return std::nullopt;
    CompileResult r;
    r.ok = true;
    r.target.kind = in.number() ? ImageKind::cubin : ImageKind::ptx;
    r.target.capability.major = static_cast<int>(in.number());
    r.target.capability.minor = static_cast<int>(in.number());
    const std::string_view image = in.text();
    const auto* bytes = reinterpret_cast<const std::byte*>(image.data());
    r.image.assign(bytes, bytes + image.size());
    r.log = in.text();
    r.command_line = in.text();
    for (std::uint64_t left = in.number(); left > 0 && !in.bad(); --left) {
        std::string expression{in.text()};
        r.lowered_names.emplace(std::move(expression), in.text());
    }
    if (in.bad() || !in.at_end()) return std::nullopt;
    r.diagnostics = parse_nvrtc_log(r.log);
    return r;
}

} // namespace lathe::gpu
