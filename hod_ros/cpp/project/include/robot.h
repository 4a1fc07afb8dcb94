/* SPDX-License-Identifier: Apache-2.0
 * Feedforward for $robot ($hash), written by hod_ros $version.
 *
 * Arrays are row major, row k the k-th time derivative, columns in the order of ${NAME}_JOINTS; SI units; torque before force, angular before
 * linear. Every call answers 0; or another number, and then its results are untouched: a number is not finite, an order is beyond the
 * one that the robot was made for, or no result exists. Nothing allocates but ${name}_new. A robot is for one thread at a time.
 * Error against double precision in Python, of the largest of each row: $error
 */
#ifndef ${NAME}_H
#define ${NAME}_H

#define ${NAME}_HASH "$hash" /* of the description: RobotModel.hash */
#define ${NAME}_N $n
#define ${NAME}_M $m /* motors */
#define ${NAME}_JOINTS $joints
#define ${NAME}_MOTORS $motors

#ifdef __cplusplus
extern "C" {
#endif

typedef $scalar ${name}_number;
typedef struct ${name}_robot ${name}_robot;

/* A wrench that the environment exerts on a link: values (order + 1) x 6. */
typedef struct {
    int link;  /* ${name}_link(robot, "name") */
    int frame; /* 0: the link's axes, 1: the world's axes at the link, 2: the world's at its origin */
    const ${name}_number *values;
} ${name}_load;

/* For orders and as many loads as these at most; NULL: no memory. */
${name}_robot *${name}_new(int most_order, int most_loads);
void ${name}_delete(${name}_robot *robot);
int ${name}_link(const ${name}_robot *robot, const char *link); /* -1: there is none of this name */

/* Q, (order + 1) x $n, of q, (order + 3) x $n. */
int ${name}_inverse_dynamics(${name}_robot *robot, const ${name}_number *q, int order, ${name}_number *Q);

/* The same with loads, and on a free base: pose 4 x 4, twists (order + 2) x 6 and W (order + 1) x 6, the wrench on it, all in its own axes;
 * NULL on a fixed base. */
int ${name}_loaded_inverse_dynamics(${name}_robot *robot, const ${name}_number *q, int order, const ${name}_load *loads, int count,
                                    const ${name}_number *pose, const ${name}_number *twists, ${name}_number *Q, ${name}_number *W);
$motor_declaration
#ifdef __cplusplus
}
#endif
#endif
