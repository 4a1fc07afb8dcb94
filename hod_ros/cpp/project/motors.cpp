
int ${name}_motor_feedforward(${name}_robot *robot, const ${name}_number *q, const ${name}_number *Q, const ${name}_number *stiffness, int order,
                              ${name}_number *motion, ${name}_number *stiffnesses)
{
    return robot->it.motor_feedforward(q, Q, stiffness, order, motion, stiffnesses) ? 0 : 1;
}
