#pragma once

#include "CKinetics.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

// The same operations in the same order on every processor: nothing is fused, so that results have the same bits.
#pragma STDC FP_CONTRACT OFF
// Vectors wider than registers are handed from function to function only where one becomes part of the other.
#pragma clang diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))
/// For loops over stages, of which most numbers are constants or used at once.
#define UNROLLED _Pragma("clang loop unroll(full)")
/// How many curves a task has.
#define EIGHT 8
#define STAGES 5

typedef double number __attribute__((ext_vector_type(LANES)));
/// An answer for each lane: all bits or none.
typedef __typeof__((number)0 > (number)0) mask;

/// Follows some of the curves of a task, LANES at most, which stand at these places.
typedef void walk_of_some(const curve_task *task, const int *places, int count);
walk_of_some follow_two, follow_four, follow_eight;

// The method Radau IIA of order 9: see `MichaelisMentenStages`.

/// The start of the step, and where its stages are.
static const double abscissa[STAGES + 1] = {
    0, 0.057104196114517682, 0.276843013638123828, 0.583590432368916820, 0.860240135656219448, 1};
/// What the value at the start adds to the right-hand side of each stage.
static const double start_weights[STAGES] = {
    11.038679241208964, -3.5830685225010746, 2.3441715579038609, -2.2826355002057144, 5};
/// The weights of start and stages in the derivative at the start.
static const double start_slope_weight = -25;
static const double slope_weights[STAGES] = {
    27.780933944064637, -3.6414784980492132, 1.2525477211691187, -0.59200316718454287, 0.2};
/// The weights of the stages in the derivatives at the stages.
static const double weights[STAGES][STAGES] = {
    {8.7559239779383617, 2.8919426153801174, -0.87518639620026503, 0.39970520793996548, -0.13370616384921584},
    {-7.1613807201453870, 1.8060777240836444, 2.3637971760686084, -0.86590078028313452, 0.2743380777751942},
    {4.1221652462433738, -4.4960171258133947, 0.85676524539717761, 2.5183209492110644, -0.65706275713436011},
    {-3.8786632197240103, 3.3931519180649542, -5.1883409064071869, 0.58123305258081636, 2.8099836552797123},
    {8.4124242235942887, -6.9702561166566610, 8.7771142041504732, -18.219282311088101, 13}};
/// The real eigenvalue of these weights.
static const double eigenvalue = 6.2867047517292766;

/// What the estimate of the error may be. The error itself is a thousandth of it or less, see `MichaelisMentenStep`:
/// below 1e-9 g/kg with what is drunk, and of derivatives in proportion.
static const double smooth_tolerance = 2e-6;
/// What it may be where the equation is stiff and both are of the same order.
static const double stiff_tolerance = 4e-9;
/// Steps that are allowed from one reading or change of input to the next.
static const double most_steps = 1000;
