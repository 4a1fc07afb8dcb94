// SPDX-License-Identifier: Apache-2.0
#include "$name.h"

#include <new>

#include "${name}_constants.hpp"

static_assert(sizeof(${name}_load) == sizeof(hod::Load), "loads are handed on as they are");

struct ${name}_robot { hod::$class it; };

${name}_robot *${name}_new(int most_order, int most_loads)
{
    void *const block = malloc(sizeof(${name}_robot));
    ${name}_robot *const made = block ? new (block) ${name}_robot{hod::$class(${name}_constants, most_order, most_loads)} : nullptr;
    if (made && made->it.valid())
        return made;
    ${name}_delete(made);
    return nullptr;
}

void ${name}_delete(${name}_robot *robot)
{
    if (robot)
        robot->~${name}_robot();
    free(robot);
}

int ${name}_link(const ${name}_robot *robot, const char *link) { return robot->it.link(link); }

int ${name}_inverse_dynamics(${name}_robot *robot, const ${name}_number *q, int order, ${name}_number *Q)
{
    return robot->it.inverse_dynamics(q, order, Q) ? 0 : 1;
}

int ${name}_loaded_inverse_dynamics(${name}_robot *robot, const ${name}_number *q, int order, const ${name}_load *loads, int count,
                                    const ${name}_number *pose, const ${name}_number *twists, ${name}_number *Q, ${name}_number *W)
{
    const hod::BaseMotion base = {pose, twists};
    return robot->it.inverse_dynamics(q, order, reinterpret_cast<const hod::Load *>(loads), count, pose ? &base : nullptr, Q, W) ? 0 : 1;
}
$motor_definition
