// The walk along LANES curves with Michaelis-Menten elimination.
//
// Each lane has steps, decisions and errors of its own, so that what it computes does not depend on the others: a lane
// whose step is refused does not keep the others from going on to their next change of the input or reading. The steps
// are those of `MichaelisMentenStep`, where the method is described; the blood is c, the gut g.

#define STAGES 5

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

/// x^(-1/6), to a few hundredths: a straight line through the logarithm that the bits of a number are.
INLINE number inverse_sixth_root(number x) {
  mask bits = (mask)x;
  // 1/6 in shifts, since there is no division of whole numbers.
  mask sixth = (bits >> 3) + (bits >> 5) + ((bits >> 7) + (bits >> 9)) + (bits >> 11);
  long one = 0x3FF0000000000000, sixth_of_one = (one >> 3) + (one >> 5) + ((one >> 7) + (one >> 9)) + (one >> 11);
  return (number)((one + sixth_of_one) - sixth);
}

// MARK: - Curves

typedef struct {
  number ka, inverse_ka, vmax, km, per_dose, lag;
  double tolerance_factor;
  /// c, and its derivatives by k_a, V_max and K_m.
  number blood, by_ka, by_vmax, by_km;
  number gut, gut_by_ka;
  number input_rate, blood_rate;
  /// What the gut tends to, R / k.
  number steady;
  mask has_failed;
  /// Ethanol in gut and blood and still to come from the drinks under way when the input last changed.
  number scale;
  /// How long the next step may be, in h.
  number limit;
  /// The last step since the input changed: where it began, its stages, and its length in h, 0 if there is none.
  number past_start, past[STAGES], past_tau;
} saturable_curves;

/// dc/dt.
INLINE number slope(const saturable_curves *c) {
  return c->ka * c->gut + c->blood_rate - c->vmax * (c->blood / (c->km + c->blood));
}

/// A share of what was taken, never 0: what errors may be relative to where less is left.
INLINE number taken(const saturable_curves *c, double part) { return larger(part * c->scale, DBL_MIN); }

/// A step in which less is eliminated than rounding takes away.
INLINE number shortest_step(const saturable_curves *c) { return 1e-15 * c->scale / c->vmax; }

/// What enters the blood in `tau` hours that leave the gut so.
INLINE number supply(const saturable_curves *c, number content, number tau) {
  return larger(c->gut + c->input_rate * tau - content, 0) + c->blood_rate * tau;
}

/// What one backward Euler step leaves of an amount: see `MichaelisMentenElimination`.
INLINE number remaining(const saturable_curves *c, number amount, number tau) {
  number half = (c->km + c->vmax * tau - amount) * 0.5, product = c->km * amount;
  number root = __builtin_elementwise_sqrt(half * half + product);
  return half > 0 ? product / (half + root) : root - half;
}

/// Takes in what is added at once, and the input from here on, where it is due.
INLINE void change(saturable_curves *c, mask due, changed_input input) {
  c->gut += input.bolus * c->per_dose;
  c->blood += input.blood_bolus * c->per_dose;
  c->input_rate = due ? input.rate * c->per_dose : c->input_rate;
  c->steady = c->input_rate * c->inverse_ka;
  c->blood_rate = due ? input.blood_rate * c->per_dose : c->blood_rate;
  number total = c->input_rate + c->blood_rate;
  number to_come = total > 0 ? total * input.duration : 0;
  c->scale = due ? c->blood + c->gut + to_come : c->scale;
  // What flows in bends the curve where it moves the blood by about K_m + c; to begin with longer steps costs refusals,
  // and where the blood was empty, the error may look small by accident.
  number inflow = larger(c->ka * c->gut + c->blood_rate, DBL_MIN);
  number bend = smaller(c->inverse_ka, 0.5 * (c->km + c->blood) / inflow);
  c->limit = due ? bend : c->limit;
  c->past_tau = due ? 0 : c->past_tau;
  c->has_failed |= ~is_below_infinity(c->scale);
}

/// Crosses steps so short that how the blood is eliminated within them does not matter, by backward Euler, which
/// conserves mass.
INLINE void settle(saturable_curves *c, number tau, mask where) {
  number kept, gone = gone_after(c->ka * tau, &kept);
  number gut = c->gut * kept + c->steady * gone;
  number by_ka = (c->gut_by_ka - tau * c->gut) * kept + c->steady * (tau * kept - gone * c->inverse_ka);
  number end = remaining(c, c->blood + supply(c, gut, tau), tau);
  number sum = c->km + end, share = end / sum;
  number damping = 1 + tau * (c->vmax / sum) * (c->km / sum);
  c->by_ka = where ? (c->by_ka + c->gut_by_ka - by_ka) / damping : c->by_ka;
  c->by_vmax = where ? (c->by_vmax - tau * share) / damping : c->by_vmax;
  c->by_km = where ? (c->by_km + tau * (c->vmax * (share / sum))) / damping : c->by_km;
  c->blood = where ? end : c->blood;
  c->gut = where ? gut : c->gut;
  c->gut_by_ka = where ? by_ka : c->gut_by_ka;
  c->limit = where ? 4 * larger(tau, shortest_step(c)) : c->limit;
  c->past_tau = where ? 0 : c->past_tau;
  c->has_failed |= where & ~is_below_infinity(end);
}

/// Where nothing flows in and so little is left in the gut that it may as well be in the blood.
INLINE mask is_absorbed(const saturable_curves *c) {
  return (c->gut <= 1e-11 * c->tolerance_factor * c->scale) & (c->input_rate + c->blood_rate == 0);
}

/// Goes on where nothing is absorbed any more: with x = ln(c0 / c),
///
///     c0 (1 - e^(-x)) + K_m x = V_max tau
///
/// which is Lambert's function in another guise. The left side is concave, so that Newton's method from zero never goes
/// too far.
INLINE void fade(saturable_curves *c, number tau, mask where) {
  number start = c->blood + (where ? c->gut : 0), x = 0, kept = 1, gone = 0;
  mask is_done = ~where;
  for (int round = 0; round < 100 && is_any(~is_done); round++) {
    number by = (c->vmax * tau - start * gone - c->km * x) / (start * kept + c->km);
    x = is_done ? x : x + by;
    // The next change is about the square of this one.
    is_done |= ~(by > 1e-8 * x);
    gone = gone_after(x, &kept);
  }
  number end = start * kept, sum = c->km + end, share = end / sum, left = kept * (c->km + start) / sum;
  c->blood = where ? end : c->blood;
  c->by_ka = where ? left * (c->by_ka + c->gut_by_ka) : c->by_ka;
  c->by_vmax = where ? left * c->by_vmax - share * tau : c->by_vmax;
  c->by_km = where ? left * c->by_km + share * x : c->by_km;
  c->gut = where ? 0 : c->gut;
  c->gut_by_ka = where ? 0 : c->gut_by_ka;
}

// MARK: - Stages

/// The polynomial through the stages of the last step, at those of the next: Newton's form.
INLINE void extrapolate(const saturable_curves *c, number tau, number blood[STAGES]) {
  number form[STAGES + 1];
  UNROLLED for (int i = 0; i <= STAGES; i++) form[i] = i ? c->past[i - 1] : c->past_start;
  UNROLLED for (int order = 1; order <= STAGES; order++)
    UNROLLED for (int i = STAGES; i >= order; i--) form[i] = (form[i] - form[i - 1]) * (1 / (abscissa[i] - abscissa[i - order]));
  number ratio = tau / larger(c->past_tau, DBL_MIN);
  UNROLLED for (int stage = 0; stage < STAGES; stage++) {
    number x = 1 + ratio * abscissa[stage + 1], value = form[STAGES];
    UNROLLED for (int i = STAGES - 1; i >= 0; i--) value = form[i] + (x - abscissa[i]) * value;
    blood[stage] = value;
  }
}

/// 1 / x of all stages by one division, which cost most.
INLINE void invert(const number x[STAGES], number inverse[STAGES]) {
  number product[STAGES];
  UNROLLED for (int i = 0; i < STAGES; i++) product[i] = i ? product[i - 1] * x[i] : x[i];
  number rest = 1 / product[STAGES - 1];
  UNROLLED for (int i = STAGES - 1; i > 0; i--) {
    inverse[i] = rest * product[i - 1];
    rest *= x[i];
  }
  inverse[0] = rest;
}

/// Gauss' elimination of the weights of the stages with a diagonal added; no pivot is zero. The diagonal holds inverses,
/// of which two are found by one division.
INLINE void factorise_stages(number factor[STAGES][STAGES], const number diagonal[STAGES]) {
  UNROLLED for (int i = 0; i < STAGES; i++)
    UNROLLED for (int j = 0; j < STAGES; j++) factor[i][j] = i == j ? diagonal[i] + weights[i][j] : weights[i][j];
  UNROLLED for (int k = 0; k < STAGES; k++) {
    number pivot = factor[k][k];
    if (k % 2 == 0 && k + 1 < STAGES) {
      number both = pivot * factor[k + 1][k + 1] - factor[k + 1][k] * factor[k][k + 1];
      number inverse = 1 / (pivot * both);
      factor[k][k] = both * inverse;
      factor[k + 1][k + 1] = pivot * pivot * inverse;
    } else if (k % 2 == 0) {
      factor[k][k] = 1 / pivot;
    }
    UNROLLED for (int i = k + 1; i < STAGES; i++) {
      factor[i][k] *= factor[k][k];
      UNROLLED for (int j = k + 1; j < STAGES; j++)
        if (!(k % 2 == 0 && i == k + 1 && j == k + 1)) factor[i][j] -= factor[i][k] * factor[k][j];
    }
  }
}

INLINE void solve_stages(number factor[STAGES][STAGES], number side[STAGES]) {
  UNROLLED for (int i = 1; i < STAGES; i++)
    UNROLLED for (int k = 0; k < i; k++) side[i] -= factor[i][k] * side[k];
  UNROLLED for (int i = STAGES - 1; i >= 0; i--) {
    UNROLLED for (int k = STAGES - 1; k > i; k--) side[i] -= factor[i][k] * side[k];
    side[i] *= factor[i][i];
  }
}

/// How far the polynomial through the stages misses the slope at the start of the step, times the step.
INLINE number defect(number slope, number tau, number start, const number stages[STAGES]) {
  number polynomial = start * start_slope_weight;
  UNROLLED for (int i = 0; i < STAGES; i++) polynomial += stages[i] * slope_weights[i];
  return tau * slope - polynomial;
}

/// A defect in units of what was and is there, and of a share of what was taken.
INLINE number relative(number defect, number before, number after, number parameter, number slack) {
  return size(defect * parameter) / (larger(size(before), size(after)) * parameter + slack);
}

// MARK: - Steps

/// Tries a step in each lane that has time left; where one was taken.
INLINE mask step(saturable_curves *c, number *left) {
  mask is_active = *left > 0;
  mask has_faded = is_active & is_absorbed(c);
  if (is_any(has_faded)) {
    fade(c, has_faded ? *left : 0, has_faded);
    *left = has_faded ? 0 : *left;
    is_active &= ~has_faded;
    if (!is_any(is_active)) return has_faded;
  }
  // The left stretch whole, in halves, or as much as the error allows; never without end.
  number attempt = *left > c->limit ? smaller(*left * 0.5, c->limit) : *left;
  mask is_tried = is_active & (attempt * c->vmax > 1e-15 * c->scale), is_tiny = is_active & ~is_tried;
  number tau = is_tried ? attempt : 0;

  // What flows in at the stages.
  number content[STAGES], content_by_ka[STAGES], blood[STAGES];
  UNROLLED for (int i = 0; i < STAGES; i++) {
    number elapsed = tau * abscissa[i + 1], kept, gone = gone_after(c->ka * elapsed, &kept);
    content[i] = c->gut * kept + c->steady * gone;
    content_by_ka[i] =
        (c->gut_by_ka - elapsed * c->gut) * kept + c->steady * (elapsed * kept - gone * c->inverse_ka);
  }
  // The first guess. A step is so short that the polynomial still says something at its end, or backward Euler serves,
  // which is never negative and right in every limit, so that Newton's method starts close.
  extrapolate(c, tau, blood);
  mask is_good = ~(tau > 4 * c->past_tau);
  UNROLLED for (int i = 0; i < STAGES; i++) is_good &= blood[i] > 0;
  if (is_any(is_tried & ~is_good))
    UNROLLED for (int i = 0; i < STAGES; i++) {
      number elapsed = tau * abscissa[i + 1];
      number safe = remaining(c, c->blood + supply(c, content[i], elapsed), elapsed);
      blood[i] = is_good ? blood[i] : safe;
    }

  number tau_vmax = tau * c->vmax, floor = taken(c, 1e-2);
  // How far the values may move by another change, and how far the last one moved what derivatives are made with.
  double last = 1e-13, turn = 1e-19;
  if (c->tolerance_factor > 1) last = turn = 1e-12 * c->tolerance_factor;
  mask is_done = ~is_tried, is_lost = 0;
  number inverse[STAGES], after[STAGES], factor[STAGES][STAGES];
  for (int round = 0; round < 8; round++) {
    number diagonal[STAGES], sum[STAGES];
    UNROLLED for (int i = 0; i < STAGES; i++) sum[i] = c->km + blood[i];
    invert(sum, inverse);
    UNROLLED for (int i = 0; i < STAGES; i++) {
      diagonal[i] = (tau_vmax * inverse[i]) * (c->km * inverse[i]);
      // Linearized at c, the rate of elimination at c + d is J (c + d) + V_max c^2 / (K_m + c)^2.
      number share = blood[i] * inverse[i];
      after[i] = start_weights[i] * c->blood + tau * (c->ka * content[i] + c->blood_rate) - tau_vmax * (share * share);
    }
    factorise_stages(factor, diagonal);
    solve_stages(factor, after);
    mask is_close = -1, is_possible = -1;
    UNROLLED for (int i = 0; i < STAGES; i++) {
      // The next change is at most change^2 / (K_m + c).
      number change = after[i] - blood[i];
      number near = smaller(last * (larger(after[i], 0) + floor), turn * sum[i]);
      is_close &= ~(change * change > sum[i] * near);
      is_possible &= after[i] > -c->km;
    }
    is_lost |= ~is_done & ~is_possible;
    is_done |= is_close & ~is_lost;
    if (!is_any(~(is_done | is_lost))) break;
    // Where a lane is done it stays, and finds the same again.
    UNROLLED for (int i = 0; i < STAGES; i++) blood[i] = is_done ? blood[i] : after[i];
  }

  // The factors are those of where the last change began, which is close enough.
  number by_ka[STAGES], by_vmax[STAGES], by_km[STAGES];
  UNROLLED for (int i = 0; i < STAGES; i++) {
    inverse[i] -= (after[i] - blood[i]) * (inverse[i] * inverse[i]);
    number share = after[i] * inverse[i];
    by_ka[i] = start_weights[i] * c->by_ka + tau * (content[i] + c->ka * content_by_ka[i]);
    by_vmax[i] = start_weights[i] * c->by_vmax - tau * share;
    by_km[i] = start_weights[i] * c->by_km + tau_vmax * (share * inverse[i]);
  }
  solve_stages(factor, by_ka);
  solve_stages(factor, by_vmax);
  solve_stages(factor, by_km);

  // The error, in units of what is allowed (the estimate of Hairer, Wanner 1999). It is measured against the value or a
  // share of what was taken, which is what readings are measured against: curves that are fitted need not be right to
  // nine digits where nothing is left.
  const int last_stage = STAGES - 1;
  number at_start = 1 / (c->km + c->blood), share = c->blood * at_start;
  number elimination = (c->vmax * at_start) * (c->km * at_start), damping = tau * elimination;
  number at_end = tau * ((c->vmax * inverse[last_stage]) * (c->km * inverse[last_stage]));
  // Where the blood leaves zero, the step is stiff to begin with, but its end damps no error.
  number lasting = smaller(at_end, damping), stiffness = 1 + larger(at_end, damping);
  number tolerance = c->tolerance_factor * (stiff_tolerance + smooth_tolerance / (stiffness * stiffness));
  number slack = taken(c, 3e-2), slack_of_others = taken(c, 5e-3);
  number error = relative(
      defect(c->ka * c->gut + c->blood_rate - c->vmax * share, tau, c->blood, after), c->blood, after[last_stage], 1, slack);
  error = larger(error, relative(
      defect(c->gut + c->ka * c->gut_by_ka - elimination * c->by_ka, tau, c->by_ka, by_ka), c->by_ka, by_ka[last_stage],
      c->ka, slack_of_others));
  error = larger(error, relative(
      defect(-share - elimination * c->by_vmax, tau, c->by_vmax, by_vmax), c->by_vmax, by_vmax[last_stage], c->vmax,
      slack_of_others));
  error = larger(error, relative(
      defect(c->vmax * (share * at_start) - elimination * c->by_km, tau, c->by_km, by_km), c->by_km, by_km[last_stage],
      c->km, slack_of_others));
  error /= (eigenvalue + lasting) * tolerance;

  mask is_converged = is_done & ~is_lost & ~(after[last_stage] < 0);
  mask is_accepted = is_tried & is_converged & ~(error > 1);
  // The error estimate is of sixth order in the length.
  number factor_of_length = smaller(larger(0.85 * inverse_sixth_root(error), 0.1), 4);
  // The last piece of the way to an event says nothing on how long a step may be.
  number longer = larger(attempt * factor_of_length, *left > attempt ? 0 : c->limit);
  number shorter = attempt * (is_converged ? smaller(factor_of_length, 0.5) : 0.125);
  c->limit = is_accepted ? longer : is_tried ? shorter : c->limit;
  c->past_start = is_accepted ? c->blood : c->past_start;
  c->past_tau = is_accepted ? tau : c->past_tau;
  UNROLLED for (int i = 0; i < STAGES; i++) c->past[i] = is_accepted ? after[i] : c->past[i];
  c->blood = is_accepted ? after[last_stage] : c->blood;
  c->by_ka = is_accepted ? by_ka[last_stage] : c->by_ka;
  c->by_vmax = is_accepted ? by_vmax[last_stage] : c->by_vmax;
  c->by_km = is_accepted ? by_km[last_stage] : c->by_km;
  c->gut = is_accepted ? content[last_stage] : c->gut;
  c->gut_by_ka = is_accepted ? content_by_ka[last_stage] : c->gut_by_ka;
  if (is_any(is_tiny)) settle(c, attempt, is_tiny);
  mask has_moved = is_accepted | is_tiny | has_faded;
  *left = is_accepted | is_tiny ? *left - attempt : *left;
  return has_moved;
}

// MARK: - The walk

typedef struct {
  const curve_task *task;
  /// Where each curve stands among the eight.
  const int *places;
  saturable_curves curves;
  changes_ahead ahead;
  int next_reading[LANES];
  number reading_time;
  /// Where readings are left.
  mask is_open;
} walk;

/// Sets the time of a lane's next reading.
INLINE void aim(walk *w, int lane) {
  int reading = w->next_reading[lane];
  if (reading < w->task->reading_count)
    w->reading_time[lane] = w->task->times[reading] - w->curves.lag[lane];
  else
    w->is_open[lane] = 0;
}

/// Writes concentrations and their derivatives to the readings of their lanes, in the order of `CurveSample`.
INLINE void pass_readings(walk *w, mask where) {
  const saturable_curves *c = &w->curves;
  number row[SATURABLE_WIDTH] = {
      c->has_failed ? NAN : c->blood, c->by_ka, c->blood - c->vmax * c->by_vmax - c->km * c->by_km, -slope(c), 0,
      c->by_vmax, c->by_km};
  for (int lane = 0; lane < LANES; lane++) {
    if (!where[lane]) continue;
    double *sample = w->task->samples + (long)w->next_reading[lane]++ * SATURABLE_WIDTH * EIGHT + w->places[lane];
    for (int column = 0; column < SATURABLE_WIDTH; column++) sample[column * EIGHT] = row[column][lane];
    aim(w, lane);
  }
}

void OF_WIDTH(follow_saturable)(const curve_task *task, const int *places, int count) {
  walk w = {.task = task, .places = places, .ahead = changes_of(task), .is_open = -1};
  saturable_curves *c = &w.curves;
  for (int lane = 0; lane < LANES; lane++) {
    // Where there are fewer curves, the first one fills up and does not begin.
    int place = places[lane < count ? lane : 0];
    c->ka[lane] = task->ka[place];
    c->vmax[lane] = task->vmax[place];
    c->km[lane] = task->km[place];
    c->per_dose[lane] = 1 / task->r[place];
    c->lag[lane] = task->lag[place];
  }
  c->inverse_ka = 1 / c->ka;
  c->tolerance_factor = task->tolerance_factor;
  c->limit = INFINITY;
  // Of curves that do not begin: zeros would make numbers so small that processors are slow with them.
  c->scale = 1;
  for (int lane = 0; lane < LANES; lane++) aim(&w, lane);
  for (int lane = count; lane < LANES; lane++) w.is_open[lane] = 0;
  c->has_failed = ~is_below_infinity(c->ka);
  number time = w.ahead.time, left = larger(smaller(w.ahead.time, w.reading_time) - time, 0), steps = 0;
  while (true) {
    while (true) {
      mask is_there = ~(left > 0) & w.is_open;
      if (!is_any(is_there)) break;
      time = is_there ? larger(smaller(w.ahead.time, w.reading_time), time) : time;
      mask is_reading = is_there & (w.ahead.time > w.reading_time), is_change = is_there & ~is_reading;
      if (is_any(is_change)) change(c, is_change, pass_change(&w.ahead, is_change));
      if (is_any(is_reading)) pass_readings(&w, is_reading);
      // A lane that cannot go on only writes its readings.
      number next = larger(smaller(w.ahead.time, w.reading_time) - time, 0);
      left = is_there ? (c->has_failed ? 0 : next) : left;
      steps = is_there ? 0 : steps;
    }
    left = w.is_open ? left : 0;
    if (!is_any(w.is_open)) return;
    steps += step(c, &left) ? 1.0 : (number)0.0;
    c->has_failed |= steps > most_steps;
    left = c->has_failed ? 0 : left;
  }
}
