// SPDX-License-Identifier: Apache-2.0
// Signatures of algorithms, as algorithms.hpp writes them.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "hod/arguments.hpp"

namespace hod {

enum { MOST_AXES = 4 };

// times * letter + plus; without a letter a number.
struct Length {
    int times, plus;
    char letter;

    int in(const Sizes &sizes) const
    {
        switch (letter) {
        case 'K': return times * sizes.K + plus;
        case 'n': return times * sizes.n + plus;
        case 'N': return times * sizes.N + plus;
        case 'L': return times * sizes.L + plus;
        case 'm': return times * sizes.m + plus;
        case 'p': return times * sizes.p + plus;
        }
        return plus;
    }
    // Finds a size that is still open (-1) by what the length is; false where it contradicts.
    bool agrees(ptrdiff_t length, Sizes &sizes) const
    {
        int *const open = letter == 'K' && sizes.K < 0 ? &sizes.K : letter == 'L' && sizes.L < 0 ? &sizes.L : nullptr;
        if (open && length >= plus && (length - plus) % times == 0 && length < 1 << 24)
            *open = (int)(length - plus) / times;
        return in(sizes) == length;
    }
};

struct Argument {
    char name[24];
    int axes;
    Length length[MOST_AXES];
    bool optional, shared;
    int with;               // of an optional output: the input whose presence asks for it
};

struct Signature {
    int inputs = 0, outputs = 0;
    Argument in[MOST_ARGUMENTS], out[MOST_ARGUMENTS];

    explicit Signature(const char *text)
    {
        bool output = false;
        for (; *text; text += strspn(text, " ")) {
            if (strncmp(text, "->", 2) == 0) {
                output = true;
                text += 2;
            } else {
                read(text, output ? out[outputs++] : in[inputs++]);
            }
        }
    }

private:
    static void word(const char *&text, char *to)
    {
        const size_t size = strcspn(text, "[?! ");
        memcpy(to, text, size);
        to[size] = 0;
        text += size;
    }
    static int number(const char *&text, int otherwise)
    {
        char *end;
        const long value = strtol(text, &end, 10);
        const int found = end == text ? otherwise : (int)value;
        text = end;
        return found;
    }
    void read(const char *&text, Argument &to)
    {
        to = {};
        to.with = -1;
        word(text, to.name);
        for (text++; *text != ']'; text += *text == ',') {
            Length &length = to.length[to.axes++];
            length.times = number(text, 1);
            if (strchr("KnNLmp", *text)) {
                length.letter = *text++;
                length.plus = number(text, 0);
            } else {
                length.plus = length.times;
            }
        }
        for (text++; *text && *text != ' ';) {
            to.shared |= *text == '!';
            to.optional |= *text == '?';
            if (*text++ == '?' && *text && *text != ' ' && *text != '!') {
                char name[24];
                word(text, name);
                for (int i = 0; i < inputs; i++)
                    if (strcmp(in[i].name, name) == 0)
                        to.with = i;
            }
        }
    }
};

}  // namespace hod
