/// What fits compute up to eight times at once.
///
/// It is in C since only C can be compiled for several kinds of processors in one program. Each function computes in as
/// many lanes at once as the machine has room for, with the same operations in the same order on every machine: what a
/// lane gets depends neither on the machine nor on the other lanes.
///
/// A row is eight numbers, one for each lane. Where there are several, they follow one another.
#pragma once

/// How many numbers this machine computes with at once: 2, 4 or 8.
int lanes_at_once(void);

/// Has functions use no more than 2, 4 or 8 numbers at once from here on, for tests.
void use_at_most(int widest);

// MARK: - Curves

/// What is added, and what flows in, from one instant to the next: see `InputChange`.
typedef struct {
  /// In h.
  double time;
  /// Per kg of body weight: into the gut in g/kg, and from here on in g/kg/h; the same into the blood.
  double bolus, rate, blood_bolus, blood_rate;
} input_change;

/// A concentration and its derivatives by k_a, dose, lag, none and beta.
#define WIDMARK_WIDTH 6
/// A concentration and its derivatives by k_a, dose, lag, none and k_e.
#define FIRST_ORDER_WIDTH 6
/// A concentration and its derivatives by k_a, dose, lag, none, V_max and K_m.
#define SATURABLE_WIDTH 7

/// What curves are followed, and where to.
typedef struct {
  const input_change *changes;
  int change_count;
  int reading_count;
  /// Of readings, in h, ascending.
  const double *times;
  /// Rows of the parameters that all models have. Where k_a is NaN, there is no curve.
  const double *ka, *r, *lag;
  /// Rows of the parameters of elimination: beta, k_e, or V_max and K_m.
  const double *beta, *ke, *vmax, *km;
  /// The error estimate of curves that are integrated may be this many times its usual bound.
  double tolerance_factor;
  /// For each reading a row of concentrations, then one for each derivative.
  double *samples;
} curve_task;

/// Follows curves with elimination at the constant rate beta.
void follow_widmark(const curve_task *task);
/// Follows curves with elimination at the rate k_e c.
void follow_first_order(const curve_task *task);
/// Follows curves with Michaelis-Menten elimination.
void follow_saturable(const curve_task *task);

/// Which curves fall, and to what.
typedef struct {
  const input_change *changes;
  int change_count;
  /// In g/kg.
  double level;
  /// Rows of parameters. Unless all lags are the same, nothing flows into the blood.
  const double *ka, *r, *lag, *beta;
  /// A row: from when on each curve stays at or below the level, in h; NaN where it is not above it after the last change
  /// of the input.
  double *times;
} fall_task;

/// Says when curves with elimination at the constant rate beta fall for good.
void fall_widmark(const fall_task *task);

// MARK: - Sums of squares

/// What the free parameters of a fit are: see `ParameterLayout`.
typedef struct {
  int count;
  /// For each: the slot of its value, and whether its coordinate is the logarithm of it.
  const long *slots;
  const _Bool *are_logarithmic;
  /// For each: the lowest and highest coordinate, and the values that belong to them.
  const double *lowest, *highest, *lower, *upper;
  /// The slots of k_a, r and the gain.
  long ka, r, gain;
} free_parameters;

/// Turns rows of coordinates into rows of values, by slot, at a bound exactly what that is, and into rows of what the
/// derivatives of the curve by them are multiplied with. Lanes that wait have NaN as the first coordinate, and then as
/// k_a.
void place_values(const free_parameters *parameters, const double *coordinates, double *values, double *factors);

/// What is added up of readings.
typedef struct {
  int reading_count;
  /// How many parameters are free.
  int count;
  /// How many rows of samples a reading has.
  int width;
  /// Rows as curves were followed; the row of the derivative by the gain is written.
  double *samples;
  /// A row that is NaN in lanes that wait for others, and one of what the curve is multiplied with.
  const double *waits, *gain;
  /// A row for each free parameter of what its derivatives are multiplied with, and which of the samples they are.
  const double *factors;
  const long *columns;
  /// For each reading what was measured, and the reciprocal of its standard deviation.
  const double *levels, *precisions;
  /// Rows of residuals and of their slopes by the predictions for each reading, where they are not plain ones; or null.
  const double *terms;
  /// Rows of what was measured in each lane, and of 1 where that is not below a limit of detection; or null.
  const double *lane_levels, *are_quantified;
} reading_task;

/// The row of the derivative by the gain.
#define GAIN_COLUMN 4

/// Adds up rows of r^T r, J^T r and the lower triangle of J^T J.
void add_readings(const reading_task *task, double *sums);

/// What makes correlated residuals and their derivatives independent: see `Whitening`.
typedef struct {
  int reading_count;
  /// How many rows of samples a reading has, and how many of them are whitened; the numbers of those.
  int width, column_count;
  const long *columns;
  /// A row that is NaN in lanes that wait for others.
  const double *waits;
  /// For each reading: the one before, -1 if there is none.
  const long *predecessors;
  /// For each reading: what it and the one before are multiplied with, and the whitened one before.
  const double *own, *before, *carried;
  /// Whether anything is carried.
  _Bool carries;
  /// Rows as curves were followed.
  double *samples;
} whitening_task;

/// Whitens samples in place.
void whiten_samples(const whitening_task *task);

// MARK: - Descents

/// Descents by the Levenberg-Marquardt method, one in each lane: see `LaneDescent`. Answers are 1 or 0.
typedef struct {
  /// How many coordinates there are.
  int count;
  /// Whether second derivatives are learnt.
  _Bool learns;
  double first_damping, gradient_tolerance, fall_tolerance, longest_rest, longest_step, step_tolerance, most_iterations;
  /// Below this a sum of squares is rounding.
  double rounding_error;
  /// For each coordinate.
  const double *lowest, *highest;
  /// Rows for each coordinate: where each lane is, where its next step leads, and that step; the largest squares of the
  /// norms of the columns of the Jacobian so far; whether it is held, and whether it is held or stopped at a bound.
  double *point, *trial, *step, *scales, *is_held, *is_stopped;
  /// Rows of a lower triangle: what J^T J lacks, as far as it was learnt.
  double *bend;
  /// r^T r, J^T r and the lower triangle of J^T J at the point and at the trial.
  double *here, *there;
  /// One row each; of the next step the decrease that is expected, and the longest way of a coordinate.
  double *damping, *growth, *iterations, *expected_decrease, *stride;
  /// One row each; whether bounds cut the next step short, and whether what was learnt is used.
  double *is_running, *is_fresh, *is_cut, *is_bent;
} lane_descents;

/// Keeps the trial points that are better, and takes the next steps.
///
/// - Returns: The lanes in which nothing is left to do, a bit for each.
unsigned take_steps(lane_descents *descents);

// MARK: - Intervals

/// Intervals of the standard normal distribution, in rows of eight.
typedef struct {
  /// Their ends, in standard deviations from the mean, which may be infinite.
  const double *low, *high;
  /// A multiple of eight.
  int count;
  /// The logarithms of their probabilities.
  double *log_probability;
  /// The densities at their ends over these.
  double *low_density, *high_density;
} interval_task;

/// Works out what intervals hold, however far out they are.
void measure_intervals(const interval_task *task);
