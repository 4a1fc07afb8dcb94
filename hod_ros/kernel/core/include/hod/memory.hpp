// SPDX-License-Identifier: Apache-2.0
// Workspace: an algorithm takes what it needs of a block of memory, in order. The same algorithm run on memory without a block only counts.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hod {

class Memory {
public:
    enum { ALIGNMENT = 64 };
    Memory() = default;
    explicit Memory(void *block) : block_((uintptr_t)block) {}

    template <class T> T *take(size_t count)
    {
        T *const taken = (T *)(block_ + used_);
        used_ += (count * sizeof(T) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return taken;
    }
    bool counts() const { return block_ == 0; }     // without a block: pointers taken must not be used
    size_t used() const { return used_; }

private:
    uintptr_t block_ = 0;       // aligned to ALIGNMENT
    size_t used_ = 0;
};

}  // namespace hod
