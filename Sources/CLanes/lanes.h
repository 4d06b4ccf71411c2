#include "CLanes.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The same operations in the same order on every processor: nothing is fused, so that results have the same bits.
#pragma STDC FP_CONTRACT OFF
// Vectors wider than registers are handed from function to function only where one becomes part of the other.
#pragma clang diagnostic ignored "-Wpsabi"

#define INLINE static inline __attribute__((always_inline))
/// For loops over stages and coordinates, of which most numbers are constants or used at once.
#define UNROLLED _Pragma("clang loop unroll(full)")
/// How many numbers a row has.
#define EIGHT 8

typedef double number __attribute__((ext_vector_type(LANES)));
/// An answer for each lane: all bits or none.
typedef __typeof__((number)0 > (number)0) mask;

/// Follows some of the curves of a task, LANES at most, which stand at these places.
typedef void walk_of_some(const curve_task *task, const int *places, int count);
walk_of_some follow_saturable_two, follow_saturable_four, follow_saturable_eight;

typedef void walk_of_all(const curve_task *task);
walk_of_all follow_widmark_two, follow_widmark_four, follow_widmark_eight;
walk_of_all follow_first_order_two, follow_first_order_four, follow_first_order_eight;

typedef void widmark_fall(const fall_task *task);
widmark_fall fall_widmark_two, fall_widmark_four, fall_widmark_eight;

typedef void placement(const free_parameters *parameters, const double *coordinates, double *values, double *factors);
placement place_values_two, place_values_four, place_values_eight;

typedef void addition(const reading_task *task, double *sums);
addition add_readings_two, add_readings_four, add_readings_eight;

typedef void whitening(const whitening_task *task);
whitening whiten_samples_two, whiten_samples_four, whiten_samples_eight;

typedef void measure(const interval_task *task);
measure measure_intervals_two, measure_intervals_four, measure_intervals_eight;

typedef unsigned stepping(lane_descents *descents);
stepping take_steps_two, take_steps_four, take_steps_eight;
