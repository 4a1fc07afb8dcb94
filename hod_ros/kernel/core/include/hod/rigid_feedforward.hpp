// SPDX-License-Identifier: Apache-2.0
// The part of hod::Robot that feedforward takes of a rigid robot: inverse dynamics with loads.
#pragma once

#include <stdlib.h>

#include "inverse_dynamics.hpp"
#include "robot_constants.hpp"

namespace hod {

// A wrench that the environment exerts on a link: values (order + 1) x 6, torque and force.
struct Load {
    int link;                       // Robot::link(name)
    int frame;                      // LINK_AXES, WORLD_AXES_AT_LINK, WORLD_AXES_AT_WORLD
    const double *values;
};

// The motion of a free base: pose 4 x 4, twists (order + 2) x 6, body-fixed, with derivatives.
struct BaseMotion { const double *pose, *twists; };

inline namespace HOD_TARGET {

class RigidFeedforward {
public:
    explicit RigidFeedforward(const RobotConstants &constants, int most_order = 4, int most_loads = 4)
        : RigidFeedforward(constants, most_order, most_loads, [](auto) {})
    {
    }
    ~RigidFeedforward() { free(block_); }
    RigidFeedforward(const RigidFeedforward &) = delete;
    RigidFeedforward &operator=(const RigidFeedforward &) = delete;

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
        if (!fits(order) || !place(loads, count, K))
            return false;
        Run run(*this, K, count);
        run.in(0, q, (K + 2) * n);
        if (base) {
            run.in(1, base->pose, 16);
            run.in(2, base->twists, (K + 1) * 6);
        }
        run.loads(3, 4);
        run.out(0, Q, K * n);
        if (base)
            run.out(1, W, K * 6);
        return run.with<5>([](auto &...given) { return hod::inverse_dynamics(given...); });
    }

protected:
    template <class More> RigidFeedforward(const RobotConstants &constants, int most_order, int most_loads, More count_more)
        : constants_(constants), most_order_(most_order), most_loads_(most_loads)
    {
        if (!is_whole(constants) || most_order < 0 || most_order + 3 > MOST_ROWS || most_loads < 0)
            return;
        Memory counted;
        make(counted);
        const int K = most_order_ + 1, n = constants_.columns;
        size_t workspace = 0;
        const auto count = [&](size_t results, auto algorithm) {
            const Arguments<Single> none = {};
            Memory counted;
            counted.take<double>(results + 3 * Memory::ALIGNMENT);
            algorithm(tree_, none, counted, K);
            workspace = counted.used() > workspace ? counted.used() : workspace; };
        count((size_t)K * (n + 6), [](auto &...given) { return hod::inverse_dynamics(given...); });
        count_more(count);
        const size_t bytes = (counted.used() + workspace + Memory::ALIGNMENT - 1) / Memory::ALIGNMENT * Memory::ALIGNMENT;
        block_ = aligned_alloc(Memory::ALIGNMENT, bytes);
        if (block_) {
            Memory memory(block_);
            make(memory);
            rest_ = memory;
        }
    }

    // One call: checks, results in the workspace until all of them are known to be right. The lengths 1 to LENGTHS have code of their own.
    struct Run {
        RigidFeedforward &robot;
        Arguments<Single> given = {};
        Memory memory;
        int K, outputs = 0, sizes[MOST_ARGUMENTS];
        double *targets[MOST_ARGUMENTS];
        bool finite = true;

        Run(RigidFeedforward &robot, int K, int L) : robot(robot), memory(robot.rest_), K(K) { given.L = L; }
        void in(int i, const double *numbers, int size)
        {
            given.in[i] = numbers;
            finite = finite && all_finite(numbers, size);
        }
        void loads(int values, int places)
        {
            if (given.L == 0)
                return;
            in(values, robot.values_, K * given.L * 6);
            given.shared[places] = robot.places_;
        }
        void out(int i, double *target, int size)
        {
            given.out[i] = memory.take<double>(size);
            targets[outputs] = target;
            sizes[outputs++] = size;
        }
        template <int LENGTHS, class Algorithm> bool with(Algorithm algorithm)
        {
            if (!finite || !with_length<LENGTHS>(K, [&](auto length) { return algorithm(robot.tree_, given, memory, length); }))
                return false;
            for (int i = 0; i < outputs; i++)
                if (!all_finite(given.out[i], sizes[i]))
                    return false;
            for (int i = 0; i < outputs; i++)
                if (targets[i])
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

    void refuse()
    {
        free(block_);
        block_ = nullptr;
    }

    bool fits(int order) const { return valid() && order >= 0 && order <= most_order_; }

    bool place(const Load *loads, int count, int K)
    {
        if (count < 0 || count > most_loads_)
            return false;
        for (int i = 0; i < count; i++) {
            if (loads[i].link < 0 || loads[i].link >= constants_.links)
                return false;
            const Link &link = constants_.link[loads[i].link];
            double *to = places_ + i * LOAD_NUMBERS;
            to[0] = link.body;
            to[1] = loads[i].frame;
            memcpy(to + 2, link.pose, sizeof link.pose);
            for (int k = 0; k < K; k++)
                memcpy(values_ + (k * count + i) * 6, loads[i].values + k * 6, 6 * sizeof(double));
        }
        return true;
    }

    void make(Memory &memory)
    {
        const RobotConstants &from = constants_;
        tree_ = tree_of(from.bodies, from.columns, from.free_base, from.gravity, from.armature, from.numbers, from.parents, memory);
        places_ = memory.take<double>((size_t)most_loads_ * LOAD_NUMBERS);
        values_ = memory.take<double>((size_t)most_loads_ * (most_order_ + 1) * 6);
    }

    const RobotConstants constants_;
    const int most_order_, most_loads_;
    Tree tree_ = {};
    double *places_ = nullptr, *values_ = nullptr;
    void *block_ = nullptr;
    Memory rest_;
};

}  // namespace HOD_TARGET
}  // namespace hod
