
/* Of the motors, (2 order) x $m for order >= 2: order + 1 rows of theta, order - 1 of tau, of q and Q as above; Q NULL: that of
 * ${name}_inverse_dynamics. Of each its last $terms rows are 0. stiffness: a motion (order + 1) x $n where it is an input, NULL: as configured.
 * stiffnesses: $n, unless NULL. */
int ${name}_motor_feedforward(${name}_robot *robot, const ${name}_number *q, const ${name}_number *Q, const ${name}_number *stiffness, int order,
                              ${name}_number *motion, ${name}_number *stiffnesses);
