// Steps of the Levenberg-Marquardt method, LANES descents at once: see `LaneDescent`, where it is described.

/// Steps from which the bend is learnt are no longer, in all coordinates together.
static const double longest_lesson = 0.5;

/// Some lanes of the descents.
typedef struct {
  lane_descents *all;
  /// The first of these lanes.
  int lane;
} some_descents;

/// A row of coordinates, or of a matrix, of these lanes.
INLINE double *row_of(some_descents d, double *rows, int index) { return rows + index * EIGHT + d.lane; }
INLINE number value_of(some_descents d, double *rows, int index) { return at(row_of(d, rows, index)); }
/// J^T r.
INLINE number gradient(some_descents d, double *equations, int index) { return value_of(d, equations, 1 + index); }
/// J^T J, by its place in the lower triangle.
INLINE number matrix(some_descents d, double *equations, int place) {
  return value_of(d, equations, 1 + d.all->count + place);
}
/// The place of a row and column in the lower triangle.
INLINE int place_of(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

/// Learns from steps that were taken what J^T J lacks.
INLINE void learn(some_descents d, mask is_taken, const int count) {
  lane_descents *all = d.all;
  number foretold = 0, by_bend = 0, product = 0, misses = 0, length = 0, miss[MOST], step[MOST];
  UNROLLED for (int i = 0; i < count; i++) step[i] = value_of(d, all->step, i);
  UNROLLED for (int i = 0; i < count; i++) {
    number before = 0, after = 0, bent = 0;
    UNROLLED for (int j = 0; j < count; j++) {
      int place = place_of(i, j);
      before += matrix(d, all->here, place) * step[j];
      after += matrix(d, all->there, place) * step[j];
      bent += value_of(d, all->bend, place) * step[j];
    }
    foretold += step[i] * (2 * gradient(d, all->here, i) + before);
    by_bend += step[i] * bent;
    miss[i] = gradient(d, all->there, i) - gradient(d, all->here, i) - after - bent;
    product += miss[i] * step[i];
    misses += miss[i] * miss[i];
    length += step[i] * step[i];
  }
  number rest = value_of(d, all->there, 0) - value_of(d, all->here, 0) - foretold;
  mask is_foretold = size(rest - by_bend) <= 0.5 * size(rest);
  put_answer(all->is_bent + d.lane, is_taken ? is_foretold : is_yes(all->is_bent + d.lane));
  // What long steps tell is of elsewhere, and where step and miss are across, nothing is told.
  mask is_short = length < longest_lesson * longest_lesson, is_told = product * product > 1e-6 * misses * length;
  UNROLLED for (int i = 0; i < count; i++)
    UNROLLED for (int j = 0; j <= i; j++) {
      double *bend = row_of(d, all->bend, place_of(i, j));
      number told = is_told ? at(bend) + miss[i] * miss[j] / product : at(bend);
      put(bend, is_taken ? (is_short ? told : 0) : at(bend));
    }
}

/// Keeps the trial points that are better, and damps the next steps as they have earned.
INLINE void judge(some_descents d, const int count) {
  lane_descents *all = d.all;
  number before = value_of(d, all->here, 0), after = value_of(d, all->there, 0);
  mask is_fresh = is_yes(all->is_fresh + d.lane), is_better = (after < before) | is_fresh;
  number expected = at(all->expected_decrease + d.lane), damping = at(all->damping + d.lane);
  number growth = at(all->growth + d.lane), iterations = at(all->iterations + d.lane);
  number gain = (before - after) / expected, turn = 2 * gain - 1;
  number relief = smaller(larger(gain < 1 ? 1 - turn * turn * turn : 0, 1.0 / 3), 2);
  number eased = expected > 0 ? damping * relief : damping;
  put(all->damping + d.lane, is_better ? (is_fresh ? damping : eased) : damping * growth);
  put(all->growth + d.lane, is_better ? 2 : 2 * growth);
  put(all->iterations + d.lane, is_fresh ? iterations : iterations + 1);
  put(all->is_fresh + d.lane, 0);
  if (all->learns) learn(d, is_better & ~is_fresh, count);
  UNROLLED for (int index = 0; index < 1 + count + count * (count + 1) / 2; index++) {
    double *here = row_of(d, all->here, index);
    put(here, is_better ? value_of(d, all->there, index) : at(here));
  }
  UNROLLED for (int index = 0; index < count; index++) {
    double *point = row_of(d, all->point, index), *scale = row_of(d, all->scales, index);
    put(point, is_better ? value_of(d, all->trial, index) : at(point));
    put(scale, larger(matrix(d, all->here, place_of(index, index)), at(scale)));
  }
}

/// Factors the model + damping D^2 into L Delta L^T, with the rows and columns that do not move left out. Below the
/// diagonal the factor holds L, on it the reciprocals of Delta: no root is taken, and a division for each coordinate is
/// all.
///
/// - Returns: Where it is not positive.
INLINE mask factorise(some_descents d, const number *model, const number *moves, number *factor, const int count) {
  number damping = at(d.all->damping + d.lane);
  mask is_indefinite = 0;
  UNROLLED for (int i = 0; i < count; i++) {
    number *row = factor + place_of(i, 0);
    UNROLLED for (int j = 0; j < i; j++) {
      // L times Delta, until the row is complete.
      number rest = model[place_of(i, j)] * (moves[i] * moves[j]);
      UNROLLED for (int k = 0; k < j; k++) rest -= row[k] * factor[place_of(j, k)];
      row[j] = rest;
    }
    number scale = value_of(d, d.all->scales, i);
    number pivot = model[place_of(i, i)] * moves[i] + (damping * (scale > 0 ? scale : 1) + (1 - moves[i]));
    UNROLLED for (int k = 0; k < i; k++) {
      number full = row[k];
      row[k] = full * factor[place_of(k, k)];
      pivot -= full * row[k];
    }
    row[i] = pivot > 0 ? 1 / pivot : 0;
    is_indefinite |= ~(pivot > 1e-12 * matrix(d, d.all->here, place_of(i, i)));
  }
  return is_indefinite;
}

/// Solves for the step, forward and back.
INLINE void solve(some_descents d, const number *factor, const number *moves, number *step, const int count) {
  UNROLLED for (int i = 0; i < count; i++) {
    step[i] = -gradient(d, d.all->here, i) * moves[i];
    UNROLLED for (int k = 0; k < i; k++) step[i] -= factor[place_of(i, k)] * step[k];
  }
  UNROLLED for (int i = 0; i < count; i++) step[i] *= factor[place_of(i, i)];
  UNROLLED for (int i = count - 1; i >= 0; i--)
    UNROLLED for (int k = 0; k < i; k++) step[k] -= factor[place_of(i, k)] * step[i];
}

/// Solves the damped equations for the next step.
INLINE void take_step(some_descents d, const int count) {
  lane_descents *all = d.all;
  number moves[MOST], model[MOST * (MOST + 1) / 2], factor[MOST * (MOST + 1) / 2], step[MOST];
  UNROLLED for (int i = 0; i < count; i++) {
    number point = value_of(d, all->point, i), slope = gradient(d, all->here, i);
    mask is_at_bound = ((point <= all->lowest[i]) & (slope > 0)) | ((point >= all->highest[i]) & (slope < 0));
    number is_stopped = is_at_bound ? 1 : value_of(d, all->is_held, i);
    put(row_of(d, all->is_stopped, i), is_stopped);
    moves[i] = 1 - is_stopped;
  }
  UNROLLED for (int place = 0; place < count * (count + 1) / 2; place++) {
    model[place] = matrix(d, all->here, place);
    if (all->learns) model[place] += is_yes(all->is_bent + d.lane) ? value_of(d, all->bend, place) : 0;
  }
  mask is_indefinite = factorise(d, model, moves, factor, count);
  if (all->learns && is_any(is_indefinite & is_yes(all->is_bent + d.lane))) {
    put_answer(all->is_bent + d.lane, is_yes(all->is_bent + d.lane) & ~is_indefinite);
    UNROLLED for (int place = 0; place < count * (count + 1) / 2; place++)
      model[place] = is_indefinite ? matrix(d, all->here, place) : model[place];
    factorise(d, model, moves, factor, count);
  }
  solve(d, factor, moves, step, count);
  // Steps in which a coordinate would go too far are shortened, all of it by the same factor.
  number longest = all->longest_step, stride = 0, expected = 0;
  UNROLLED for (int i = 0; i < count; i++) longest = larger(size(step[i]), longest);
  mask is_long = longest > all->longest_step, is_running = is_yes(all->is_running + d.lane), is_cut = 0;
  number share = is_any(is_long) ? all->longest_step / longest : 1;
  UNROLLED for (int i = 0; i < count; i++) {
    number point = value_of(d, all->point, i), aim = point + step[i] * share;
    number landing = smaller(all->highest[i], larger(all->lowest[i], aim));
    is_cut |= landing != aim;
    // Lanes that have nothing left to do wait.
    put(row_of(d, all->trial, i), is_running ? landing : NAN);
    step[i] = landing - point;
    put(row_of(d, all->step, i), step[i]);
    stride = larger(size(step[i]), stride);
  }
  UNROLLED for (int i = 0; i < count; i++) {
    number product = 2 * gradient(d, all->here, i);
    UNROLLED for (int j = 0; j < i; j++) product += 2 * model[place_of(i, j)] * step[j];
    product += model[place_of(i, i)] * step[i];
    expected -= step[i] * product;
  }
  put_answer(all->is_cut + d.lane, is_cut);
  put(all->stride + d.lane, stride);
  put(all->expected_decrease + d.lane, expected);
}

/// Where nothing is left to do.
INLINE mask is_over(some_descents d, const int count) {
  lane_descents *all = d.all;
  number sum = value_of(d, all->here, 0), tolerance = all->gradient_tolerance, stride = at(all->stride + d.lane);
  mask is_flat = -1;
  UNROLLED for (int i = 0; i < count; i++) {
    number score = gradient(d, all->here, i) * (1 - value_of(d, all->is_stopped, i));
    is_flat &= score * score <= tolerance * tolerance * matrix(d, all->here, place_of(i, i)) * sum;
  }
  mask is_done = (at(all->expected_decrease + d.lane) <= all->fall_tolerance * sum) & ~is_yes(all->is_cut + d.lane);
  return is_yes(all->is_running + d.lane)
         & (((is_flat | is_done) & (stride <= all->longest_rest)) | (stride <= all->step_tolerance)
            | (sum <= all->rounding_error) | ~is_below_infinity(sum)
            | (at(all->iterations + d.lane) >= all->most_iterations));
}

INLINE unsigned go_on_by_a_step(some_descents d, const int count) {
  judge(d, count);
  take_step(d, count);
  mask answer = is_over(d, count);
  unsigned bits = 0;
  if (is_any(answer))
    for (int lane = 0; lane < LANES; lane++)
      if (answer[lane]) bits |= 1u << (d.lane + lane);
  return bits;
}

unsigned OF_WIDTH(take_steps)(lane_descents *descents) {
  unsigned over = 0;
  for (int lane = 0; lane < EIGHT; lane += LANES) {
    some_descents d = {descents, lane};
    if (!is_any(is_yes(descents->is_running + lane))) continue;
    BY_COUNT(over |= go_on_by_a_step(d, COUNT), descents->count)
  }
  return over;
}
