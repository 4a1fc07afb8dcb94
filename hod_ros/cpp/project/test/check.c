/* SPDX-License-Identifier: Apache-2.0
 * Compares with what Python computed: ./check vectors.txt. Lines: what, order, all inputs, all results. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "$name.h"

enum { N = ${NAME}_N, M = ${NAME}_M, K = $most + 1, OUT = K * (N + 6 + 2 * M) };

static ${name}_number in[(3 * K + 2) * N + 12 * K + 24], out[OUT], kept[OUT];
static double expected[OUT], worst;
static FILE *file;

static int read_numbers(${name}_number *to, double *exact, int count)
{
    for (int i = 0; i < count; i++) {
        double value;
        if (fscanf(file, "%lf", &value) != 1)
            return 0;
        if (to)
            to[i] = (${name}_number)value;
        else
            exact[i] = value;
    }
    return 1;
}

static void compare(const ${name}_number *found, const double *right, int rows, int columns)
{
    for (int k = 0; k < rows; k++) {
        double largest = 1e-300, error = 0;
        for (int j = 0; j < columns; j++) {
            largest = fmax(largest, fabs(right[k * columns + j]));
            error = fmax(error, fabs((double)found[k * columns + j] - right[k * columns + j]));
        }
        worst = error / largest <= worst ? worst : error / largest;
    }
}

int main(int count, char **arguments)
{
    char what[32];
    int order, lines = 0;
    ${name}_robot *robot = ${name}_new($most, 1);
    if (count != 2 || !robot || !(file = fopen(arguments[1], "r"))) {
        fprintf(stderr, "usage: check vectors.txt\n");
        return 2;
    }
    while (fscanf(file, "%31s %d", what, &order) == 2) {
        const int q = (order + 3) * N, Q = (order + 1) * N, base = 16 + (order + 2) * 6, W = (order + 1) * 6;
        int refused = 1, read = 0;
        memset(kept, 0x55, sizeof kept);
        memset(out, 0x55, sizeof out);
        if (strcmp(what, "fixed") == 0) {
            read = read_numbers(in, NULL, q) && read_numbers(NULL, expected, Q);
            refused = ${name}_inverse_dynamics(robot, in, order, out);
            compare(out, expected, order + 1, N);
        } else if (strcmp(what, "loaded") == 0) {
            read = read_numbers(in, NULL, q + 2 + W) && read_numbers(NULL, expected, Q);
            const ${name}_load load = {(int)in[q], (int)in[q + 1], in + q + 2};
            refused = ${name}_loaded_inverse_dynamics(robot, in, order, &load, 1, NULL, NULL, out, NULL);
            compare(out, expected, order + 1, N);
        } else if (strcmp(what, "free") == 0) {
            read = read_numbers(in, NULL, q + 2 + W + base) && read_numbers(NULL, expected, Q + W);
            const ${name}_load load = {(int)in[q], (int)in[q + 1], in + q + 2};
            refused = ${name}_loaded_inverse_dynamics(robot, in, order, &load, 1, load.values + W, load.values + W + 16, out, out + Q);
            compare(out, expected, order + 1, N);
            compare(out + Q, expected + Q, order + 1, 6);
        }$motor_check
        if (!read || refused) {
            fprintf(stderr, "line %d: %s\n", lines + 1, read ? "refused" : "damaged");
            return 2;
        }
        in[0] = (${name}_number)NAN; /* no call may answer, or touch its results */
        memcpy(out, kept, sizeof out);
        if (${name}_loaded_inverse_dynamics(robot, in, order, NULL, 0, ${base_arguments}, out, out + Q) == 0 || memcmp(out, kept, sizeof out) != 0) {
            fprintf(stderr, "a motion that is not finite was not refused\n");
            return 2;
        }
        lines++;
    }
    ${name}_delete(robot);
    printf("%d vectors, largest error %.2e\n", lines, worst);
    return lines == $vectors && worst <= $bound ? 0 : 1;
}
