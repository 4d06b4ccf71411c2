// The walk along curves with elimination at a constant rate, LANES at once: what `WidmarkState` and `Compartments` do,
// where the equations are described.

typedef struct {
  number ka, beta, per_dose;
  number blood, gut, blood_by_ka, gut_by_ka, blood_by_beta;
  number input_rate;
  /// beta less what flows into the blood.
  number net;
  bool has_input;
  /// The last step without input, and what is absorbed in it: readings are often equally far apart.
  double last_tau;
  number last_gone;
} widmark_curves;

/// The part of what is in the gut that is absorbed.
INLINE number absorbed(const widmark_curves *c, number tau) {
  number small, power = reduced(larger(least_exponent, -c->ka * tau), &small);
  return -(power * small + (power - 1));
}

/// Moves what was absorbed into the blood and takes out what was eliminated meanwhile.
INLINE void move(widmark_curves *c, number amount, number by_ka, number tau) {
  number blood = c->blood + (amount - c->net * tau);
  mask is_left = blood > 0;
  c->blood = is_left ? blood : 0;
  c->blood_by_ka = is_left ? c->blood_by_ka + by_ka : 0;
  c->blood_by_beta = is_left ? c->blood_by_beta - tau : 0;
}

/// Goes on where nothing flows into the gut.
INLINE void drain(widmark_curves *c, number tau, number gone) {
  number kept = 1 - gone;
  number amount = c->gut * gone, by_ka = c->gut_by_ka * gone + c->gut * tau * kept;
  c->gut_by_ka = (c->gut_by_ka - tau * c->gut) * kept;
  c->gut *= kept;
  move(c, amount, by_ka, tau);
}

/// Goes on while input does.
INLINE void fill(widmark_curves *c, number tau) {
  number x = c->ka * tau, gone = absorbed(c, tau), kept = 1 - gone, steady = c->input_rate / c->ka;
  number amount = c->gut * gone + steady * (x - gone);
  number by_ka = c->gut_by_ka * gone + c->gut * tau * kept + steady * (tau * gone - (x - gone) / c->ka);
  c->gut_by_ka = (c->gut_by_ka - tau * c->gut) * kept + steady * (tau * kept - gone / c->ka);
  c->gut = c->gut * kept + steady * gone;
  move(c, amount, by_ka, tau);
}

/// When absorption gets as fast as elimination, in h from here; infinite if it never does.
INLINE number turning_time(const widmark_curves *c) {
  number ratio = (c->ka * c->gut - c->input_rate) / (c->net - c->input_rate), logarithm = INFINITY;
  for (int lane = 0; lane < LANES; lane++)
    if (ratio[lane] > 1) logarithm[lane] = log(ratio[lane]);
  return logarithm / c->ka;
}

INLINE void go_to(widmark_curves *c, double *time, double target) {
  if (!(target > *time)) return;
  // To 2^-44 h: see `stepGrid`.
  double tau = ((target - *time) + 0x1.8p8) - 0x1.8p8;
  *time = target;
  if (!c->has_input) {
    if (tau != c->last_tau) {
      c->last_tau = tau;
      c->last_gone = absorbed(c, tau);
    }
    drain(c, tau, c->last_gone);
    return;
  }
  mask is_rising = c->input_rate > c->net;
  if (!is_any(is_rising)) {
    fill(c, tau);
    return;
  }
  number first = is_rising ? smaller(turning_time(c), tau) : tau, left = tau - first;
  fill(c, first);
  if (is_any(left > 0)) fill(c, left);
}

INLINE void take_in(widmark_curves *c, const input_change *input) {
  c->gut += input->bolus * c->per_dose;
  c->blood += input->blood_bolus * c->per_dose;
  c->input_rate = input->rate * c->per_dose;
  c->has_input = is_any(c->input_rate > 0);
  c->net = c->beta - input->blood_rate * c->per_dose;
}

INLINE widmark_curves begin(const double *ka, const double *beta, const double *r) {
  number rate = at(beta);
  return (widmark_curves){.ka = at(ka), .beta = rate, .net = rate, .per_dose = 1 / at(r), .last_tau = -1};
}

void OF_WIDTH(follow_widmark)(const curve_task *task) {
  const input_change *changes = task->changes;
  for (int place = 0; place < EIGHT; place += LANES) {
    widmark_curves curves = begin(task->ka + place, task->beta + place, task->r + place);
    widmark_curves *c = &curves;
    if (!is_any(c->ka == c->ka)) continue;
    double *row = task->samples + place, time = changes->time;
    int next = 0;
    for (int reading = 0; reading < task->reading_count; reading++, row += WIDMARK_WIDTH * EIGHT) {
      double target = task->times[reading] - task->lag[0];
      for (; next < task->change_count && changes[next].time <= target; next++) {
        go_to(c, &time, changes[next].time);
        take_in(c, changes + next);
      }
      if (next > 0) go_to(c, &time, target);
      put(row, c->blood);
      put(row + EIGHT, c->blood_by_ka);
      // See `WidmarkState.sample`.
      put(row + 2 * EIGHT, c->blood - c->beta * c->blood_by_beta);
      put(row + 3 * EIGHT, c->blood > 0 ? c->net - c->ka * c->gut : 0);
      put(row + GAIN_COLUMN * EIGHT, 0);
      put(row + 5 * EIGHT, c->blood_by_beta);
    }
  }
}

/// Newton's steps are quadratic; more are taken only where a curve hardly rises above the level.
static const int most_falling_steps = 64;

/// When curves fall to a level, in h from here, where nothing flows in any more; NaN where they do not, as if they are
/// below it from here on.
INLINE number fall(const widmark_curves *c, double level) {
  // By then all that is above the level can have been eliminated. The curve is concave, so that Newton's steps go down from
  // there to the fall, and on to where it rises if there is none. Of errors and the last step see `Segment.solve`.
  number tau = (c->blood + c->gut - level) / c->net, found = NAN;
  mask is_open = tau > 0;
  for (int step = 0; step < most_falling_steps && is_any(is_open); step++) {
    number kept, gone = gone_after(c->ka * tau, &kept);
    number inflow = c->ka * c->gut * kept, slope = inflow - c->net;
    number next = tau - (c->blood + (c->gut * gone - c->net * tau) - level) / slope, way = size(next - tau);
    is_open &= (slope < 0) & (next > 0);
    number error = way * way * size(c->ka * inflow / slope) * 1.4;
    mask is_there = is_open & (error <= next * 0x1p-52) & (c->ka * way < 1);
    found = is_there ? next : found;
    is_open &= ~is_there;
    tau = next;
  }
  return found;
}

void OF_WIDTH(fall_widmark)(const fall_task *task) {
  const input_change *changes = task->changes;
  for (int place = 0; place < EIGHT; place += LANES) {
    widmark_curves curves = begin(task->ka + place, task->beta + place, task->r + place);
    double time = changes->time;
    for (int next = 0; next < task->change_count; next++) {
      go_to(&curves, &time, changes[next].time);
      take_in(&curves, changes + next);
    }
    put(task->times + place, time + at(task->lag + place) + fall(&curves, task->level));
  }
}
