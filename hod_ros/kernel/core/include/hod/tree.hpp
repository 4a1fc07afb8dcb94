// SPDX-License-Identifier: Apache-2.0
// The constants of a robot in normal form: every joint turns about and slides along z of its own frame.
//
// Vectors are in the joint frame of their body; slot N, after the N moving bodies, is the base's. Angular before linear, torque before force.
#pragma once

#include "memory.hpp"
#include "series.hpp"

namespace hod {

enum { BODY_NUMBERS = 37 };     // R (9, row major), p (3), m, c (3), S (xx yy zz xy xz yz), h, multiplier, offset, frame (R 9, p 3)

struct Vector { Constant xyz, yzx, zxy; };

struct Body {
    Constant to_own[3], to_parent[3];   // columns of the rotation at zero, from the parent's frame to the joint's and back
    Vector p, axis;                     // the joint's origin and axis in the parent's frame
    Vector c;                           // first moment
    Constant S[5];                      // second moments of mass (yz zx xy), (xy yz zx), (zz xx yy), (yy zz xx), (zx xy yz)
    double m, h;                        // mass, displacement along z per unit of the joint's coordinate
    double multiplier, offset;          // the joint's coordinate = multiplier * q[column] + offset
    double frame[12];                   // pose of the joint's frame in the frame that the model gives to the body: R row major, p
    int turns;                          // 1: turns by the coordinate, 0: only slides
    int parent;                         // N: the base
    int column;                         // of q
    int place;                          // of what is needed only until the last child is placed
    int at_origin;                      // whether its position is what positions are counted from, see count_positions
};

struct Tree {
    int bodies, columns;                // N, n
    int places;                         // as many as Body::place takes
    int free_base;
    double gravity[3];
    const double *armature;             // n
    const Body *body;                   // N + 1
};

// n, or n + 6 with a free base, whose twist comes last.
inline int rates(const Tree &tree) { return tree.columns + (tree.free_base ? 6 : 0); }

// Inertial parameters: ten of every body that moves, and the rotors.
inline int parameters(const Tree &tree)
{
    int count = 10 * (tree.bodies + (tree.free_base ? 1 : 0));
    for (int j = 0; j < tree.columns; j++)
        count += tree.armature[j] != 0;
    return count;
}

inline namespace HOD_TARGET {

HOD_INLINE Vector spread(const double *v)
{
    return {{v[0], v[1], v[2], 0}, {v[1], v[2], v[0], 0}, {v[2], v[0], v[1], 0}};
}

inline void fill_body(Body &body, const double *numbers, const int *link, int bodies)
{
    const double *R = numbers, *S = numbers + 16, axis[3] = {R[2], R[5], R[8]};
    for (int i = 0; i < 3; i++) {
        body.to_own[i] = {R[3 * i], R[3 * i + 1], R[3 * i + 2], 0};
        body.to_parent[i] = {R[i], R[3 + i], R[6 + i], 0};
    }
    body.p = spread(numbers + 9);
    body.axis = spread(axis);
    body.m = numbers[12];
    body.c = spread(numbers + 13);
    body.S[0] = {S[5], S[4], S[3], 0};
    body.S[1] = {S[3], S[5], S[4], 0};
    body.S[2] = {S[2], S[0], S[1], 0};
    body.S[3] = {S[1], S[2], S[0], 0};
    body.S[4] = {S[4], S[3], S[5], 0};
    body.h = numbers[22];
    body.multiplier = numbers[23];
    body.offset = numbers[24];
    for (int i = 0; i < 12; i++)
        body.frame[i] = numbers[25 + i];
    body.turns = link[0] != 0;
    body.parent = link[1] < 0 ? bodies : link[1];
    body.column = link[2];
}

// Gives every body a place, and takes it back once its last child is placed: two are enough for a chain.
inline int assign_places(Body *body, int N, int *free_places, int *last_child)
{
    for (int i = 0; i <= N; i++)
        last_child[i] = -1;
    for (int i = 0; i < N; i++)
        last_child[body[i].parent] = i;
    int places = 1, unused = 0;
    body[N].place = 0;
    for (int i = 0; i < N; i++) {
        body[i].place = unused ? free_places[--unused] : places++;
        if (last_child[body[i].parent] == i)
            free_places[unused++] = body[body[i].parent].place;
        if (last_child[i] < 0)
            free_places[unused++] = body[i].place;
    }
    return places;
}

// Quantities in joint space don't depend on the place: positions are counted from the first body that turns or branches, for every branch of
// a base that is fixed; bodies before it only slide, which asks for no position either. So no digits are lost far from the world's origin.
inline void count_positions(Body *body, int N, bool free_base, int *children)
{
    for (int i = 0; i <= N; i++)
        children[i] = 0;
    for (int i = 0; i < N; i++)
        children[body[i].parent]++;
    for (int i = 0; i < N; i++) {
        const int up = body[i].parent;
        body[i].at_origin = !free_base && (up == N || (body[up].at_origin && !body[up].turns && children[up] == 1));
    }
}

// A tree from its numbers (N + 1 rows of BODY_NUMBERS) and links (N + 1 rows: turns, parent or -1, column), in memory that it takes.
inline Tree tree_of(int bodies, int columns, bool free_base, const double *gravity, const double *armature, const double *numbers,
                    const int *links, Memory &memory)
{
    Body *const body = memory.take<Body>(bodies + 1);
    double *const rotors = memory.take<double>(columns);
    int *const free_places = memory.take<int>(bodies + 1), *const last_child = memory.take<int>(bodies + 1);
    Tree tree = {bodies, columns, bodies + 1, free_base, {gravity[0], gravity[1], gravity[2]}, rotors, body};
    if (memory.counts())
        return tree;
    for (int i = 0; i <= bodies; i++)
        fill_body(body[i], numbers + (ptrdiff_t)i * BODY_NUMBERS, links + 3 * (ptrdiff_t)i, bodies);
    for (int j = 0; j < columns; j++)
        rotors[j] = armature[j];
    count_positions(body, bodies, free_base, last_child);
    tree.places = assign_places(body, bodies, free_places, last_child);
    return tree;
}

}  // namespace HOD_TARGET
}  // namespace hod
