// SPDX-License-Identifier: MIT
// The errors that the log is told while this lives.
#pragma once

#include "engine/core/log.h"

#include <mutex>
#include <string>
#include <vector>

namespace lathe::test {

class LoggedErrors {
public:
    LoggedErrors()
        : key_{log::add_sink([this](const log::Record& record) {
              if (record.level != log::Level::error) return;
              const std::lock_guard lock{mutex_};
              texts_.push_back(record.text);
          })} {}
    ~LoggedErrors() { log::remove_sink(key_); }
    LoggedErrors(const LoggedErrors&) = delete;
    LoggedErrors& operator=(const LoggedErrors&) = delete;

    std::vector<std::string> texts() const {
        const std::lock_guard lock{mutex_};
        return texts_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> texts_;
    int key_;
};

} // namespace lathe::test
