// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/user_object.h"

#include "gpu/soft/drv/objects.h"

namespace lathe::soft {

void UserObject::retain(unsigned count) {
    std::lock_guard lock{mutex_};
    references_ += count;
}

void UserObject::release(unsigned count) {
    {
        std::lock_guard lock{mutex_};
        require(count <= references_, CUDA_ERROR_INVALID_VALUE, "there are not as many references");
        references_ -= count;
        if (references_) return;
    }
    const auto self = Objects<UserObject>::instance().remove(this);
    end_(data_);
}

UserReferences::UserReferences(std::shared_ptr<UserObject> object, unsigned count, bool moved)
    : object_{std::move(object)}, count_{count} {
    if (!moved) object_->retain(count);
}

UserReferences::UserReferences(const UserReferences& other)
    : UserReferences{other.object_, other.count_, false} {}

UserReferences::~UserReferences() {
    if (count_) object_->release(count_);
}

void UserReferences::release(unsigned count) {
    require(count <= count_, CUDA_ERROR_INVALID_VALUE, "the graph has not as many references");
    count_ -= count;
    object_->release(count);
}

} // namespace lathe::soft
