// SPDX-License-Identifier: Apache-2.0
// All algorithms of the kernel, each in include/hod/<name>.hpp. A line: the function's name, how many lengths K = 1, 2, ... get code of their
// own, where a tenth is gained by it, and its signature.
//
// A signature names inputs and outputs with their shapes: numbers, n columns of q, m rates (n, and six of a free base), N bodies, p inertial
// parameters, K coefficients, L of what the inputs have, multiples and sums of them. `?`: may be left out (an output: is there where the input
// named after `?` is). `!`: the same for all samples.
#pragma once

#define HOD_ALGORITHMS(LINE) \
    LINE(inverse_dynamics, 5, "q[K+2,n] pose[4,4]? twists[K+1,6]? loads[K,L,6]? places[L,14]?! -> Q[K,n] W[K,6]?pose") \
    LINE(spatial_inverse_dynamics, 0, "q[K+2,n] -> Q[K,n]") \
    LINE(motor_feedforward, 3, "q[K+2,n] Q[K,n]? drives[n,13]! motors[L,8]! stiffness[K,n]? rotors[L,5]?! -> motion[2K-2,L] stiffnesses[n] total[K,n]") \
    LINE(rotor_coupling, 3, "q[K+2,n] theta[K+2,L] rotors[L,5]! -> Q[K,n] torques[K,L]") \
    LINE(matrices, 2, "q[K+1,n] pose[4,4]? twists[K,6]? -> M[K,m,m] C[K,m,m] g[K,m]") \
    LINE(forward_dynamics, 1, \
         "q[2,n] Q[K,n] pose[4,4]? twist[6]? drive[K,6]? loads[K,L,6]? places[L,14]?! -> ddq[K,n] dtwist[K,6]?pose") \
    LINE(inverse_dynamics_derivatives, 0, \
         "q[3,n] loads[K,L,6]? places[L,14]?! pose[4,4]? twists[2,6]? -> by_q[m,m] by_dq[m,m] by_ddq[m,m]") \
    LINE(force_gradients, 0, "q[K+2,n] loads[K,L,6]? places[L,14]?! -> G[K,K+2,n,n]") \
    LINE(force_gradient_product, 0, "q[K+2,n] v[K,n] loads[K,L,6]? places[L,14]?! -> g[K+2,n]") \
    LINE(forward_dynamics_derivatives, 0, \
         "q[2,n] Q[n] loads[K,L,6]? places[L,14]?! pose[4,4]? twist[6]? drive[6]? -> by_q[m,m] by_dq[m,m] by_Q[m,m]") \
    LINE(matrix_derivatives, 0, "q[2,n] -> M_q[n,n,n] C_q[n,n,n] C_dq[n,n,n] g_q[n,n]") \
    LINE(regressor, 1, "q[K+2,n] slots[N+1]! pose[4,4]? twists[K+1,6]? -> Y[K,m,p]") \
    LINE(forward_kinematics, 0, "q[K,n] link[14]! pose[4,4]? twists[K-1,6]? -> place[4,4] motion[K-1,6]") \
    LINE(jacobian, 1, "q[K,n] link[14]! pose[4,4]? twists[K-1,6]? -> J[K,6,n]") \
    LINE(momentum_matrix, 0, "q[K,n] pose[4,4]? twists[K-1,6]? -> A[K,6,m]") \
    LINE(total_momentum, 0, "q[K+1,n] about[1]! pose[4,4]? twists[K,6]? -> h[K,6]") \
    LINE(centre_of_mass, 0, "q[K,n] pose[4,4]? twists[K-1,6]? -> p[K,3]") \
    LINE(centre_of_mass_jacobian, 0, "q[K,n] pose[4,4]? twists[K-1,6]? -> J[K,3,m]") \
    LINE(energy, 1, "q[K+1,n] pose[4,4]? twists[K,6]? -> kinetic[K] potential[K]")
