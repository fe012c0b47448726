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

std::uint64_t nanoseconds(const Object<Kind::query>& query) {
    GLuint64 ns = 0;
    glGetQueryObjectui64v(query.get().id, GL_QUERY_RESULT, &ns);
    return ns;
}

} // namespace

Query::Query() : begin_{make_query()}, end_{make_query()} {}

void Query::begin() { glQueryCounter(begin_.get().id, GL_TIMESTAMP); }

void Query::end() {
    glQueryCounter(end_.get().id, GL_TIMESTAMP);
    ended_ = true;
}

bool Query::ready() const {
    if (!ended_) return false;
    GLint there = 0;
    glGetQueryObjectiv(end_.get().id, GL_QUERY_RESULT_AVAILABLE, &there);
    return there != 0;
}

double Query::milliseconds() const {
    if (!ended_) throw Error{"a GL timer was read before its first end()"};
    return double(nanoseconds(end_) - nanoseconds(begin_)) * 1e-6;
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
