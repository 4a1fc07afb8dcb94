// SPDX-License-Identifier: Apache-2.0
// All algorithms of the kernel, each in include/hod/<name>.hpp. A line: the function's name, how many lengths K = 1, 2, ... get code of their
// own, and its signature.
//
// A signature names inputs and outputs with their shapes: numbers, n columns of q, N bodies, K coefficients, L of what the inputs have,
// multiples and sums of them. `?`: may be left out (an output: is there where the input named after `?` is). `!`: the same for all samples.
#pragma once

#define HOD_ALGORITHMS(LINE) \
    LINE(inverse_dynamics, 5, "q[K+2,n] pose[4,4]? twists[K+1,6]? loads[K,L,6]? places[L,14]?! -> Q[K,n] W[K,6]?pose") \
    LINE(spatial_inverse_dynamics, 3, "q[K+2,n] -> Q[K,n]") \
    LINE(motor_feedforward, 3, "q[K+2,n] Q[K,n] drives[n,13]! motors[L,8]! stiffness[K,n]? -> motion[2K-2,L] stiffnesses[n]") \
    LINE(matrices, 3, "q[K+1,n] -> M[K,n,n] C[K,n,n] g[K,n]") \
    LINE(forward_dynamics, 3, \
         "q[2,n] Q[K,n] pose[4,4]? twist[6]? drive[K,6]? loads[K,L,6]? places[L,14]?! -> ddq[K,n] dtwist[K,6]?pose") \
    LINE(inverse_dynamics_derivatives, 0, "q[3,n] -> by_q[n,n] by_dq[n,n] by_ddq[n,n]") \
    LINE(force_gradients, 3, "q[K+2,n] -> G[K,K+2,n,n]")
