// SPDX-License-Identifier: Apache-2.0
// A robot's constants at run time, of what hod_ros.robot_bytes wrote.
#pragma once

#include "motor_feedforward.hpp"
#include "robot_constants.hpp"

namespace hod {

// A robot's constants as bytes, as hod_ros.robot_bytes(model) writes them, little-endian: this, then arrays of doubles, links, names and whole numbers.
struct RobotBytes {
    char magic[8];                  // "hodrobot"
    int version, bodies, columns, links, free_base, motors, rotors, unused;      // rotors: motors, or 0
    Name name;
    char hash[16];
    double gravity[3];
};

inline namespace HOD_TARGET {

// Constants that lie in bytes, which must be aligned to 8 and outlive them; false where the bytes are no robot's of this version.
inline bool constants_in(const void *bytes, size_t size, RobotConstants &to)
{
    const RobotBytes *from = (const RobotBytes *)bytes;
    if (size < sizeof *from || memcmp(from->magic, "hodrobot", 8) != 0 || from->version != ROBOT_VERSION || from->bodies < 0 || from->columns < 0
        || from->links < 0 || from->motors < 0 || from->bodies > 1 << 16 || from->columns > 1 << 16 || from->links > 1 << 20 || from->motors > 1 << 17
        || (from->rotors != 0 && from->rotors != from->motors))
        return false;
    const size_t N = from->bodies, n = from->columns, links = from->links, motors = from->motors, driven = motors ? n : 0, rotors = from->rotors;
    const size_t doubles = (N + 1) * BODY_NUMBERS + n + driven * DRIVE_NUMBERS + motors * MOTOR_NUMBERS + rotors * ROTOR_NUMBERS;
    if (size != sizeof *from + doubles * sizeof(double) + links * sizeof(Link) + (n + motors) * sizeof(Name) + (N + 1) * 3 * sizeof(int))
        return false;
    const double *numbers = (const double *)(from + 1), *armature = numbers + (N + 1) * BODY_NUMBERS, *drives = armature + n;
    const double *figures = drives + driven * DRIVE_NUMBERS;
    const Link *link = (const Link *)(numbers + doubles);
    const Name *names = (const Name *)(link + links);
    to = {from->version, from->name, from->hash, from->bodies, from->columns, from->links, from->free_base != 0,
          {from->gravity[0], from->gravity[1], from->gravity[2]}, numbers, armature, link, names, (const int *)(names + n + motors),
          from->motors, drives, figures, rotors ? figures + motors * MOTOR_NUMBERS : nullptr, names + n};
    return true;
}

}  // namespace HOD_TARGET
}  // namespace hod
