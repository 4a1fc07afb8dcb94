// SPDX-License-Identifier: Apache-2.0
// A robot's constants for controllers, and what a header that hod_ros.cpp_robot writes makes them of.
#pragma once

#include "tree.hpp"

namespace hod {

enum { ROBOT_VERSION = 3 };

typedef char Name[64];

struct Link {
    Name name;
    double body;                    // N: the base
    double pose[12];                // R row major, p: in the joint frame of the body
};

// A robot's constants, as hod_ros.cpp_robot writes them.
struct RobotConstants {
    int version;                    // ROBOT_VERSION
    const char *name, *hash;        // the hash of RobotModel
    int bodies, columns, links;
    bool free_base;
    double gravity[3];
    const double *numbers;          // (bodies + 1) x BODY_NUMBERS
    const double *armature;         // columns
    const Link *link;               // links
    const Name *joint_names;        // columns
    const int *parents;             // (bodies + 1) x 3: turns, parent or -1, column
    int motors;                     // 0: no drives
    const double *drives;           // columns x DRIVE_NUMBERS
    const double *motor_figures;    // motors x MOTOR_NUMBERS
    const double *rotors;           // motors x ROTOR_NUMBERS; nullptr: none spins on a moving link
    const Name *motor_names;        // motors
};

// A link as it is written: the numbers of its rotation and place among those that the robot has.
struct LinkAt { const char *name; int body = 0, rotation = 0, place = 0; };

template <class Number, size_t SIZE> struct Row { Number of[SIZE]; };

// Rows of blocks, of which each distinct one is written once: those of tables that `which` names, one after the other.
template <size_t ROWS, size_t BLOCKS, size_t... DISTINCT, size_t... COLUMNS>
constexpr auto rows_of(const int (&which)[ROWS][BLOCKS], const double (&...tables)[DISTINCT][COLUMNS])
{
    static_assert(sizeof...(tables) == BLOCKS, "a table for each block");
    Row<double, ROWS * (COLUMNS + ...)> all{};
    size_t at = 0;
    const auto append = [&](const double *block, size_t size) {
        for (size_t i = 0; i < size; i++)
            all.of[at++] = block[i]; };
    for (const auto &row : which) {
        size_t block = 0;
        (append(tables[row[block++]], COLUMNS), ...);
    }
    return all;
}

template <size_t LINKS, size_t ROTATIONS, size_t PLACES>
constexpr auto links_of(const LinkAt (&links)[LINKS], const double (&rotations)[ROTATIONS][9], const double (&places)[PLACES][3])
{
    Row<Link, LINKS> all{};
    for (size_t i = 0; i < LINKS; i++) {
        for (size_t j = 0; links[i].name[j]; j++)
            all.of[i].name[j] = links[i].name[j];
        all.of[i].body = links[i].body;
        for (size_t j = 0; j < 12; j++)
            all.of[i].pose[j] = j < 9 ? rotations[links[i].rotation][j] : places[links[i].place][j - 9];
    }
    return all;
}

}  // namespace hod
