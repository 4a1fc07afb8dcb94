// SPDX-License-Identifier: Apache-2.0
// Counts what a program allocates, for loops that must not. Include it in one file of a program.
#pragma once

#include <cstdlib>
#include <new>

static long allocations = 0;

void *operator new(std::size_t bytes)
{
    allocations++;
    if (void *block = std::malloc(bytes))
        return block;
    throw std::bad_alloc();
}
void operator delete(void *block) noexcept { std::free(block); }
void operator delete(void *block, std::size_t) noexcept { std::free(block); }
