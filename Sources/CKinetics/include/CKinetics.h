/// The walk along curves with Michaelis-Menten elimination, eight at a time.
///
/// It is in C since only C can be compiled for several kinds of processors in one program.
#pragma once

/// What is added, and what flows in, from one instant to the next: see `InputChange`.
typedef struct {
  /// In h.
  double time;
  /// Per kg of body weight: into the gut in g/kg, and from here on in g/kg/h; the same into the blood.
  double bolus, rate, blood_bolus, blood_rate;
} input_change;

/// A concentration and its derivatives by k_a, dose, lag, none, V_max and K_m.
#define CURVE_WIDTH 7

/// Where a curve is followed to, and what it is written to.
typedef struct {
  const input_change *changes;
  int change_count;
  int reading_count;
  /// In h, ascending.
  const double *times;
  /// For each reading the concentrations of eight lanes, then their derivatives, see `CURVE_WIDTH`.
  double *samples;
  /// How many times the estimate of the error may be what is promised.
  double looseness;
} curve_task;

/// Follows eight curves. Where k_a is NaN, a lane waits.
///
/// Each argument points to a number for each of eight lanes.
typedef void saturable_walk(
    const curve_task *task, const double *ka, const double *vmax, const double *km, const double *r, const double *lag);

/// With as many numbers at once as the machine can.
saturable_walk follow_saturable;

/// With 2, 4 or 8 numbers at once, to the same bits; NULL if the machine cannot.
saturable_walk *saturable_walk_by(int width);
