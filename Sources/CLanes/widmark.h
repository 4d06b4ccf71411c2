// The walk along curves with elimination at a constant rate, LANES at once. `WidmarkKinetics` and `Compartments` describe
// the equations.

typedef struct {
  number ka, beta, per_dose;
  number blood, gut, blood_by_ka, gut_by_ka, blood_by_beta;
  number input_rate;
  /// beta less what flows into the blood.
  number net;
  bool has_input;
  /// The last step without input, and what is absorbed in it: readings are often equally far apart.
  number last_tau, last_gone;
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

/// Goes on to a time for each lane; those that are there already stay.
INLINE void go_to(widmark_curves *c, number *time, number target) {
  if (!is_any(target > *time)) return;
  number arrival = larger(target, *time);
  // To 2^-44 h, 0.2 ns: differences of equally spaced times, which are equal but for rounding, become equal.
  number tau = ((arrival - *time) + 0x1.8p8) - 0x1.8p8;
  *time = arrival;
  if (!c->has_input) {
    if (is_any(tau != c->last_tau)) {
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

INLINE void take_in(widmark_curves *c, mask due, changed_input input) {
  c->gut += input.bolus * c->per_dose;
  c->blood += input.blood_bolus * c->per_dose;
  c->input_rate = due ? input.rate * c->per_dose : c->input_rate;
  c->has_input = is_any(c->input_rate > 0);
  c->net = due ? c->beta - input.blood_rate * c->per_dose : c->net;
}

INLINE widmark_curves begin(const double *ka, const double *beta, const double *r) {
  number rate = at(beta);
  return (widmark_curves){.ka = at(ka), .beta = rate, .net = rate, .per_dose = 1 / at(r), .last_tau = -1};
}

void OF_WIDTH(follow_widmark)(const curve_task *task) {
  for (int place = 0; place < EIGHT; place += LANES) {
    widmark_curves curves = begin(task->ka + place, task->beta + place, task->r + place);
    widmark_curves *c = &curves;
    if (!is_any(c->ka == c->ka)) continue;
    changes_ahead ahead = changes_of(task);
    double *row = task->samples + place;
    number time = ahead.time, lag = at(task->lag + place);
    ahead.are_together = !is_any(lag != lag[0]);
    for (int reading = 0; reading < task->reading_count; reading++, row += WIDMARK_WIDTH * EIGHT) {
      number target = task->times[reading] - lag;
      for (mask due; is_any(due = ahead.time <= target);) {
        go_to(c, &time, due ? ahead.time : time);
        take_in(c, due, pass_change(&ahead, due));
      }
      go_to(c, &time, target);
      put(row, c->blood);
      put(row + EIGHT, c->blood_by_ka);
      // See `WidmarkKinetics.sample`.
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
  for (int place = 0; place < EIGHT; place += LANES) {
    widmark_curves curves = begin(task->ka + place, task->beta + place, task->r + place);
    number time = task->changes->time;
    for (const input_change *change = task->changes; change < task->changes + task->change_count; change++) {
      go_to(&curves, &time, (number)change->time);
      take_in(&curves, -1, all_lanes(change));
    }
    put(task->times + place, time + at(task->lag + place) + fall(&curves, task->level));
  }
}
