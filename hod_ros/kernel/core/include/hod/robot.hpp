// SPDX-License-Identifier: Apache-2.0
// A robot for controllers in C++: what users include.
//
//     #include <hod/robot.hpp>
//     #include "panda.hpp"                    // what hod_ros.cpp_robot(model, name='panda') wrote
//     hod::Robot robot(panda);                // allocates, here alone
//     bool ok = robot.inverse_dynamics(q, 2, Q);
//
// Arrays are row major, row k the k-th time derivative, columns the robot's joints in the order of `joint_names`; SI units; angular before
// linear, torque before force. Every call is noexcept and answers false, with its results untouched, where a number is not finite, an order
// is beyond the one that the robot was made for, or no result exists. A Robot is for one thread at a time.
#pragma once

#include <stdlib.h>

#include "inverse_dynamics.hpp"
#include "linear_drives.hpp"

namespace hod {

enum { ROBOT_VERSION = 1 };

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
};

// The same as bytes, as hod_ros.robot_bytes(model) writes them, little-endian: this, then the arrays of RobotConstants in their order there.
struct RobotBytes {
    char magic[8];                  // "hodrobot"
    int version, bodies, columns, links, free_base, unused;
    Name name;
    char hash[16];
    double gravity[3];
};

// A wrench that the environment exerts on a link: values (order + 1) x 6, torque and force.
struct Load {
    int link;                       // Robot::link(name)
    int frame;                      // LINK_AXES, WORLD_AXES_AT_LINK, WORLD_AXES_AT_WORLD
    const double *values;
};

// The motion of a free base: pose 4 x 4, twists (order + 2) x 6, body-fixed, with derivatives.
struct BaseMotion { const double *pose, *twists; };

inline namespace HOD_TARGET {

// Constants that lie in bytes, which must be aligned to 8 and outlive them; false where the bytes are no robot's of this version.
inline bool constants_in(const void *bytes, size_t size, RobotConstants &to)
{
    const RobotBytes *from = (const RobotBytes *)bytes;
    if (size < sizeof *from || memcmp(from->magic, "hodrobot", 8) != 0 || from->version != ROBOT_VERSION || from->bodies < 0 || from->columns < 0
        || from->links < 0 || from->bodies > 1 << 16 || from->columns > 1 << 16 || from->links > 1 << 20)
        return false;
    const size_t N = from->bodies, n = from->columns, links = from->links;
    if (size != sizeof *from + (N + 1) * BODY_NUMBERS * sizeof(double) + n * sizeof(double) + links * sizeof(Link) + n * sizeof(Name) + (N + 1) * 3 * sizeof(int))
        return false;
    const double *numbers = (const double *)(from + 1), *armature = numbers + (N + 1) * BODY_NUMBERS;
    const Link *link = (const Link *)(armature + n);
    const Name *names = (const Name *)(link + links);
    to = {from->version, from->name, from->hash, from->bodies, from->columns, from->links, from->free_base != 0,
          {from->gravity[0], from->gravity[1], from->gravity[2]}, numbers, armature, link, names, (const int *)(names + n)};
    return true;
}

class Robot {
public:
    explicit Robot(const RobotConstants &constants, int most_order = 4, int most_loads = 4)
        : constants_(constants), most_order_(most_order), most_loads_(most_loads)
    {
        if (!is_whole(constants) || most_order < 0 || most_order + 3 > MOST_ROWS || most_loads < 0)
            return;
        Memory counted;
        make(counted);
        count_workspace();
        const size_t bytes = (counted.used() + workspace_ + Memory::ALIGNMENT - 1) / Memory::ALIGNMENT * Memory::ALIGNMENT;
        block_ = aligned_alloc(Memory::ALIGNMENT, bytes);
        if (block_) {
            Memory memory(block_);
            make(memory);
            rest_ = memory;
        }
    }
    ~Robot() { free(block_); }
    Robot(const Robot &) = delete;
    Robot &operator=(const Robot &) = delete;

    bool valid() const noexcept { return block_ != nullptr; }       // false: no memory, or constants of another version or damaged
    int joints() const noexcept { return constants_.columns; }
    const char *joint_name(int j) const noexcept { return constants_.joint_names[j]; }
    const char *hash() const noexcept { return constants_.hash; }

    // The number of a link, -1 where there is none of this name.
    int link(const char *name) const noexcept
    {
        for (int i = 0; i < constants_.links; i++)
            if (strncmp(constants_.link[i].name, name, sizeof(Name)) == 0)
                return i;
        return -1;
    }

    // Q, (order + 1) x n, of q, (order + 3) x n.
    bool inverse_dynamics(const double *q, int order, double *Q) noexcept { return inverse_dynamics(q, order, nullptr, 0, Q); }

    bool inverse_dynamics(const double *q, int order, const Load *loads, int count, double *Q) noexcept
    {
        return inverse_dynamics(q, order, loads, count, nullptr, Q, nullptr);
    }

    // The same of a free base: also W, (order + 1) x 6, the wrench on the base in its frame.
    bool inverse_dynamics(const double *q, int order, const Load *loads, int count, const BaseMotion *base, double *Q, double *W) noexcept
    {
        const int K = order + 1, n = constants_.columns;
        if (!fits(order) || count < 0 || count > most_loads_)
            return false;
        for (int i = 0; i < count; i++)
            if (!place(loads[i], i, count, K))
                return false;
        Run run(*this, K, count);
        run.in(0, q, (K + 2) * n);
        if (base) {
            run.in(1, base->pose, 16);
            run.in(2, base->twists, (K + 1) * 6);
        }
        if (count)
            run.in(3, values_, K * count * 6);
        run.given.shared[4] = count ? places_ : nullptr;
        run.out(0, Q, K * n);
        if (base)
            run.out(1, W, K * 6);
        return run([](auto &...given) { return hod::inverse_dynamics(given...); });
    }

    // What the motors of rigid and linear elastic drives do, (2 order) x n for order >= 2: order + 1 rows of theta, order - 1 of tau; of q and Q
    // as above and figures 5 x n: gear ratio, compliance (1 / stiffness; 0: rigid), motor inertia, viscous friction, 1 / gear ratio.
    bool motor_feedforward(const double *q, const double *Q, const double *figures, int order, double *motors) noexcept
    {
        const int K = order + 1, n = constants_.columns;
        if (!fits(order) || order < 2 || !all_finite(figures, 5 * n))
            return false;
        Run run(*this, K, 0);
        run.in(0, q, (K + 2) * n);
        run.in(1, Q, K * n);
        run.given.shared[2] = figures;
        run.out(0, motors, (2 * K - 2) * n);
        return run([](auto &...given) { return hod::linear_drives(given...); });
    }

private:
    enum { LENGTHS = 5 };           // that get code of their own

    // One call: checks, results in the workspace until all of them are known to be right.
    struct Run {
        Robot &robot;
        Arguments<Single> given = {};
        Memory memory;
        int K, outputs = 0, sizes[MOST_ARGUMENTS];
        double *targets[MOST_ARGUMENTS];
        bool finite = true;

        Run(Robot &robot, int K, int L) : robot(robot), memory(robot.rest_), K(K) { given.L = L; }
        void in(int i, const double *numbers, int size)
        {
            given.in[i] = numbers;
            finite = finite && all_finite(numbers, size);
        }
        void out(int i, double *target, int size)
        {
            given.out[i] = memory.take<double>(size);
            targets[outputs] = target;
            sizes[outputs++] = size;
        }
        template <class Algorithm> bool operator()(Algorithm algorithm)
        {
            if (!finite || !with_length<LENGTHS>(K, [&](auto length) { return algorithm(robot.tree_, given, memory, length); }))
                return false;
            for (int i = 0; i < outputs; i++)
                if (!all_finite(given.out[i], sizes[i]))
                    return false;
            for (int i = 0; i < outputs; i++)
                memcpy(targets[i], given.out[i], sizes[i] * sizeof(double));
            return true;
        }
    };

    static bool is_whole(const RobotConstants &from)
    {
        bool whole = from.version == ROBOT_VERSION && all_finite(from.numbers, (size_t)(from.bodies + 1) * BODY_NUMBERS)
            && all_finite(from.armature, from.columns) && all_finite(from.gravity, 3);
        for (int i = 0; whole && i < from.bodies; i++)
            whole = from.parents[3 * i + 1] < i && from.parents[3 * i + 2] >= 0 && from.parents[3 * i + 2] < from.columns;
        return whole;
    }

    bool fits(int order) const { return valid() && order >= 0 && order <= most_order_; }

    bool place(const Load &load, int i, int count, int K)
    {
        if (load.link < 0 || load.link >= constants_.links)
            return false;
        const Link &link = constants_.link[load.link];
        double *to = places_ + i * LOAD_NUMBERS;
        to[0] = link.body;
        to[1] = load.frame;
        memcpy(to + 2, link.pose, sizeof link.pose);
        for (int k = 0; k < K; k++)
            memcpy(values_ + (k * count + i) * 6, load.values + k * 6, 6 * sizeof(double));
        return true;
    }

    void make(Memory &memory)
    {
        const RobotConstants &from = constants_;
        tree_ = tree_of(from.bodies, from.columns, from.free_base, from.gravity, from.armature, from.numbers, from.parents, memory);
        places_ = memory.take<double>((size_t)most_loads_ * LOAD_NUMBERS);
        values_ = memory.take<double>((size_t)most_loads_ * (most_order_ + 1) * 6);
    }

    void count_workspace()
    {
        const int K = most_order_ + 1, n = constants_.columns;
        const Arguments<Single> none = {};
        const auto count = [&](size_t results, auto algorithm) {
            Memory counted;
            counted.take<double>(results + 16);
            algorithm(tree_, none, counted, K);
            workspace_ = counted.used() > workspace_ ? counted.used() : workspace_; };
        count((size_t)K * (n + 6), [](auto &...given) { return hod::inverse_dynamics(given...); });
        count((size_t)2 * K * n, [](auto &...given) { return hod::linear_drives(given...); });
    }

    const RobotConstants constants_;
    const int most_order_, most_loads_;
    Tree tree_ = {};
    double *places_ = nullptr, *values_ = nullptr;
    size_t workspace_ = 0;
    void *block_ = nullptr;
    Memory rest_;
};

}  // namespace HOD_TARGET
}  // namespace hod
