 else if (strcmp(what, "motors") == 0) {
            read = read_numbers(in, NULL, q + Q + Q) && read_numbers(NULL, expected, 2 * order * M);
            refused = ${name}_motor_feedforward(robot, in, in + q, in + q + Q, order, out, NULL);
            compare(out, expected, 2 * order, M);
        }
