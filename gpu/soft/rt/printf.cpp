// SPDX-License-Identifier: MIT
// The arguments of a vprintf call lie one after the other, each at a multiple of its size, as the
// CUDA compiler packs them: 4 bytes for int and smaller, 8 for long, long long, double, pointers.
#include "gpu/soft/rt/printf.h"

#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/float_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe::soft {

namespace {

struct Record {
    std::string format;
    std::vector<std::uint64_t> values; ///< in order of use; strings are indices into `strings`
    std::vector<std::string> strings;

    std::size_t bytes() const {
        std::size_t n = sizeof *this + format.size() + values.size() * 8;
        for (const auto& s : strings) n += s.size() + sizeof s;
        return n;
    }
};

struct Ring {
    std::mutex mutex, writing; ///< `writing` is held while a receiver runs
    std::deque<Record> records;
    std::size_t bytes = 0, capacity = std::size_t{1} << 20, lost = 0;
    std::atomic<bool> any{false}; ///< there may be records, or text on its way out
    PrintfCallback callback = nullptr;
    void* user = nullptr;
};

Ring& ring() {
    static Ring* instance = new Ring;
    return *instance;
}

/// One conversion of a format: [begin, end) of the text, what it takes from the arguments.
struct Conversion {
    const char *begin, *end;
    int stars = 0;     ///< '*' for width and precision
    bool wide = false; ///< 8 bytes
    char type = 0;     ///< d i u o x X c p s f F e E g G a A; 0: not a conversion
};

// The next '%...' at or after p; nullopt at the end of the text. "%%" has type '%'.
std::optional<Conversion> next_conversion(const char* p) {
    p = std::strchr(p, '%');
    if (!p) return std::nullopt;
    Conversion c{p, p + 1};
    const char* q = p + 1;
    q += std::strspn(q, "-+ #0");
    auto number = [&] {
        if (*q == '*') {
            ++c.stars;
            ++q;
            return;
        }
        while (*q >= '0' && *q <= '9') ++q;
    };
    number();
    if (*q == '.') {
        ++q;
        number();
    }
    int longs = 0;
    for (; *q && std::strchr("hlLqjzt", *q); ++q)
        longs += *q == 'l' || *q == 'q' || *q == 'j' || *q == 'z' || *q == 't';
    if (*q && std::strchr("diuoxXcpsfFeEgGaA%", *q)) {
        c.type = *q;
        c.end = q + 1;
    }
    bool floating = std::strchr("fFeEgGaA", c.type ? c.type : 'd') != nullptr;
    c.wide = floating || c.type == 'p' || c.type == 's' || longs > 0;
    return c;
}

// f(type, value) for what each conversion takes; the type of a '*' is '*'.
template <class F> void each_argument(const char* format, const std::uint8_t* args, F&& f) {
    std::size_t offset = 0;
    auto take = [&](std::size_t bytes) {
        offset = (offset + bytes - 1) / bytes * bytes;
        std::uint64_t value = 0;
        std::memcpy(&value, args + offset, bytes);
        offset += bytes;
        return value;
    };
    const char* p = format;
    while (auto c = next_conversion(p)) {
        p = c->end;
        if (c->type == 0 || c->type == '%') continue;
        for (int i = 0; i < c->stars; ++i) f('*', take(4));
        f(c->type, take(c->wide ? 8 : 4));
    }
}

void append_formatted(std::string& out, const char* spec, auto... values) {
    char small[256];
    int n = std::snprintf(small, sizeof small, spec, values...);
    if (n < 0) return;
    if (static_cast<std::size_t>(n) < sizeof small) {
        out.append(small, static_cast<std::size_t>(n));
        return;
    }
    std::string large(static_cast<std::size_t>(n) + 1, '\0');
    std::snprintf(large.data(), large.size(), spec, values...);
    out.append(large, 0, static_cast<std::size_t>(n));
}

void append_conversion(std::string& out, const Conversion& c, const Record& r, std::size_t& index) {
    // The text up to the length modifiers, stars replaced by their numbers.
    std::string spec;
    for (const char* p = c.begin; p + 1 < c.end; ++p) {
        if (*p == '*') {
            int value = static_cast<int>(r.values[index++]);
            if (value < 0 && !spec.empty() && spec.back() == '.') spec.pop_back();
            else spec += std::to_string(value);
        } else if (!std::strchr("hlLqjzt", *p)) {
            spec += *p;
        }
    }
    std::uint64_t v = r.values[index++];
    bool half_half = c.end - c.begin >= 4 && c.end[-2] == 'h' && c.end[-3] == 'h';
    bool half = !half_half && c.end - c.begin >= 3 && c.end[-2] == 'h';
    switch (c.type) {
    case 'd':
    case 'i': {
        auto value = c.wide ? static_cast<long long>(v) : static_cast<std::int32_t>(v);
        if (half) value = static_cast<std::int16_t>(v);
        if (half_half) value = static_cast<std::int8_t>(v);
        append_formatted(out, (spec + "lld").c_str(), value);
        break;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
        if (!c.wide) v = static_cast<std::uint32_t>(v);
        if (half) v = static_cast<std::uint16_t>(v);
        if (half_half) v = static_cast<std::uint8_t>(v);
        append_formatted(out, (spec + "ll" + c.type).c_str(), static_cast<unsigned long long>(v));
        break;
    }
    case 'c': append_formatted(out, (spec + "c").c_str(), static_cast<int>(v)); break;
    case 'p': append_formatted(out, (spec + "p").c_str(), reinterpret_cast<void*>(v)); break;
    case 's': append_formatted(out, (spec + "s").c_str(), r.strings[v].c_str()); break;
    default: {
        double value;
        std::memcpy(&value, &v, sizeof value);
        append_formatted(out, (spec + c.type).c_str(), value);
    }
    }
}

std::string text_of(const Record& r) {
    std::string out;
    std::size_t index = 0;
    const char* p = r.format.c_str();
    while (auto c = next_conversion(p)) {
        out.append(p, c->begin);
        if (c->type == 0) out += '%';
        else if (c->type == '%') out += '%';
        else append_conversion(out, *c, r, index);
        p = c->end;
    }
    return out + p;
}

void write_out(const Ring& r, const std::string& text) {
    if (r.callback) {
        r.callback(text.data(), text.size(), r.user);
    } else {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fflush(stdout);
    }
}

void flush_locked(Ring& r) {
    std::deque<Record> records;
    std::size_t lost;
    {
        std::lock_guard lock{r.mutex};
        records.swap(r.records);
        lost = std::exchange(r.lost, 0);
        r.bytes = 0;
    }
    std::string text;
    if (lost) text = fmt::format("[{} calls of device printf were lost: buffer full]\n", lost);
    for (const Record& record : records) text += text_of(record);
    if (!text.empty()) write_out(r, text);
    // Only now: who finds nothing to write must know that all that it waited for is out.
    std::lock_guard lock{r.mutex};
    if (r.records.empty()) r.any.store(false, std::memory_order_release);
}

} // namespace

void flush_printf() {
    Ring& r = ring();
    if (!r.any.load(std::memory_order_acquire)) return;
    std::lock_guard writing{r.writing};
    flush_locked(r);
}

void set_printf_callback(PrintfCallback callback, void* user) {
    Ring& r = ring();
    std::lock_guard writing{r.writing};
    flush_locked(r);
    r.callback = callback;
    r.user = user;
}

void set_printf_capacity(std::size_t bytes) {
    Ring& r = ring();
    std::lock_guard lock{r.mutex};
    r.capacity = std::max<std::size_t>(bytes, 4096);
}

extern "C" std::int32_t lathe_rt_vprintf(ThreadContext* t, const char* format,
                                         const std::uint8_t* args) {
    const NormalFloats normal;
    if (!format) return -1;
    if (t->block->runner->launch().is_replay) return 0;
    // A bad pointer is a fault like any other, which leaves this function for good. So all device
    // memory is read once before there is anything to give back: a string, a lock.
    volatile std::size_t text_bytes = std::strlen(format);
    std::int32_t count = 0;
    each_argument(format, args, [&](char type, std::uint64_t value) {
        if (type == 's' && value)
            text_bytes = text_bytes + std::strlen(reinterpret_cast<const char*>(value));
        ++count;
    });
    Record record{.format = format, .values = {}, .strings = {}};
    each_argument(format, args, [&](char type, std::uint64_t value) {
        if (type == 's') {
            record.strings.emplace_back(value ? reinterpret_cast<const char*>(value) : "(null)");
            value = record.strings.size() - 1;
        }
        record.values.push_back(value);
    });
    Ring& r = ring();
    std::lock_guard lock{r.mutex};
    r.bytes += record.bytes();
    r.records.push_back(std::move(record));
    while (r.bytes > r.capacity && r.records.size() > 1) {
        r.bytes -= r.records.front().bytes();
        r.records.pop_front();
        ++r.lost;
    }
    r.any.store(true, std::memory_order_release);
    return count;
}

} // namespace lathe::soft
