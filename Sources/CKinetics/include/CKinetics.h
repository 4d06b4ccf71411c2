/// The walk along curves with Michaelis-Menten elimination, up to eight at a time.
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

/// What curves are followed, and where to.
typedef struct {
  const input_change *changes;
  int change_count;
  int reading_count;
  /// Of readings, in h, ascending.
  const double *times;
  /// The parameters of eight curves. Where k_a is NaN, there is none.
  const double *ka, *vmax, *km, *r, *lag;
  /// How many times the estimate of the error may be what is promised.
  double looseness;
  /// For each reading the concentrations of eight curves, then their derivatives, see `CURVE_WIDTH`.
  double *samples;
} curve_task;

/// Follows the curves of a task, to the same bits however many numbers the machine computes with at once.
///
/// - Parameter widest: How many it may be: 2, 4 or 8.
void follow_saturable(const curve_task *task, int widest);
