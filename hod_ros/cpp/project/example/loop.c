/* SPDX-License-Identifier: Apache-2.0
 * A loop of 1 kHz: torques with two derivatives of a swinging robot. ./loop [cycles] */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "$name.h"

static double seconds(const struct timespec *t) { return t->tv_sec + 1e-9 * t->tv_nsec; }

int main(int count, char **arguments)
{
    const int cycles = count > 1 ? atoi(arguments[1]) : 1000;
    ${name}_robot *robot = ${name}_new(2, 0);
    ${name}_number q[5 * ${NAME}_N], Q[3 * ${NAME}_N];
$base_declaration    double longest = 0;
    struct timespec due, begun, done;
    if (!robot || cycles < 1)
        return 1;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (int i = 0; i < cycles; i++) {
        for (int j = 0; j < ${NAME}_N; j++)
            for (int k = 0; k < 5; k++) /* q = 0.3 sin(t) */
                q[k * ${NAME}_N + j] = (${name}_number)(0.3 * sin(1e-3 * i + 1.5707963267948966 * k));
        clock_gettime(CLOCK_MONOTONIC, &begun);
        const int refused = ${call};
        clock_gettime(CLOCK_MONOTONIC, &done);
        if (refused) /* Q must not reach a motor */
            return 1;
        if (seconds(&done) - seconds(&begun) > longest)
            longest = seconds(&done) - seconds(&begun);
        due.tv_nsec += 1000000;
        due.tv_sec += due.tv_nsec / 1000000000;
        due.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }
    printf("%d cycles, at most %.1f us each; Q[0] = %g\n", cycles, 1e6 * longest, (double)Q[0]);
    ${name}_delete(robot);
    return 0;
}
