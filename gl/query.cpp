// SPDX-License-Identifier: MIT
#include "gl/query.h"

#include "gl/error.h"

#include <glad/gl.h>

namespace lathe::gl {

namespace {

Object<Kind::query> make_query() {
    Name name = name_here(0);
    glCreateQueries(GL_TIMESTAMP, 1, &name.id);
    return Object<Kind::query>{name};
}

} // namespace

Timestamp::Timestamp() : query_{make_query()} {}

void Timestamp::mark() {
    glQueryCounter(query_.get().id, GL_TIMESTAMP);
    is_marked_ = true;
}

bool Timestamp::ready() const {
    if (!is_marked_) return false;
    GLint there = 0;
    glGetQueryObjectiv(query_.get().id, GL_QUERY_RESULT_AVAILABLE, &there);
    return there != 0;
}

std::uint64_t Timestamp::nanoseconds() const {
    if (!is_marked_) throw Error{"a GL timer was read before it was set"};
    GLuint64 ns = 0;
    glGetQueryObjectui64v(query_.get().id, GL_QUERY_RESULT, &ns);
    return ns;
}

std::uint64_t Timestamp::now() {
    GLint64 ns = 0;
    glGetInteger64v(GL_TIMESTAMP, &ns);
    return std::uint64_t(ns);
}

double Query::milliseconds() const {
    return double(end_.nanoseconds() - begin_.nanoseconds()) * 1e-6;
}

void FrameTimer::begin() { ring_[std::size_t(next_)].begin(); }

void FrameTimer::end() {
    ring_[std::size_t(next_)].end();
    pending_[std::size_t(next_)] = true;
    next_ = (next_ + 1) % kRing;
}

std::optional<double> FrameTimer::milliseconds() {
    for (int i = 0; i < kRing; ++i) { // oldest first, so that the newest that is there stays
        const auto slot = std::size_t((next_ + i) % kRing);
        if (!pending_[slot] || !ring_[slot].ready()) continue;
        newest_ = ring_[slot].milliseconds();
        pending_[slot] = false;
    }
    return newest_;
}

} // namespace lathe::gl
