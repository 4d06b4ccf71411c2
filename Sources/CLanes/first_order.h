// The walk along LANES curves with elimination at the rate k_e c. `FirstOrderKinetics` describes the equations.

typedef struct {
  number ka, ke, per_dose;
  number gut, gut_by_ka, blood, blood_by_ka, blood_by_ke;
  number input_rate, blood_rate;
} first_order_curves;

/// (1 - e^(-d)) / d, and its slope, which the series gives up to 1/2: see `FallingShare`.
INLINE number falling_share(number d, number gone, number *slope) {
  number value = d > 0 ? gone / d : 1, quotient = (1 - gone - value) * (1 / d);
  *slope = quotient;
  if (!is_any(d <= 0.5)) return value;
  static const double even_terms[] = {87178291200.0 * 16, 479001600.0 * 14, 3628800.0 * 12, 40320.0 * 10,
                                      720.0 * 8,          24.0 * 6,         2.0 * 4,        2.0};
  static const double odd_terms[] = {6227020800.0 * 15, 39916800.0 * 13, 362880.0 * 11, 5040.0 * 9,
                                     120.0 * 7,         6.0 * 5,         3.0};
  number square = d * d, even = 1 / even_terms[0], odd = 1 / odd_terms[0];
  UNROLLED for (int term = 1; term < 8; term++) even = even * square + 1 / even_terms[term];
  UNROLLED for (int term = 1; term < 7; term++) odd = odd * square + 1 / odd_terms[term];
  *slope = d > 0.5 ? quotient : odd * d - even;
  return value;
}

/// Goes on where time passes.
INLINE void advance(first_order_curves *c, number *time, number target) {
  if (!is_any(target > *time)) return;
  number arrival = larger(target, *time), tau = arrival - *time;
  *time = arrival;
  number unabsorbed, absorbed = gone_after(c->ka * tau, &unabsorbed);
  number left, eliminated = gone_after(c->ke * tau, &left);
  // The convolution of e^(-k t) and e^(-e t), and its derivatives by k and e.
  mask is_larger = c->ka > c->ke;
  number d = (larger(c->ka, c->ke) - smaller(c->ka, c->ke)) * tau, power, small, slope;
  power = reduced(larger(least_exponent, -d), &small);
  number share = falling_share(d, -(power * small + (power - 1)), &slope);
  number scale = tau * (is_larger ? left : unabsorbed), b = scale * share;
  number by_larger = tau * scale * slope, by_smaller = -tau * scale * (share + slope);
  number b_by_ka = is_larger ? by_larger : by_smaller, b_by_ke = is_larger ? by_smaller : by_larger;

  c->blood_by_ka = c->blood_by_ka * left + (c->gut + c->ka * c->gut_by_ka) * b + c->ka * c->gut * b_by_ka;
  c->blood_by_ke = (c->blood_by_ke - tau * c->blood) * left + c->ka * c->gut * b_by_ke;
  c->blood = c->blood * left + c->ka * c->gut * b;
  c->gut_by_ka = (c->gut_by_ka - tau * c->gut) * (1 - absorbed);
  c->gut *= 1 - absorbed;
  if (!is_any(c->input_rate + c->blood_rate > 0)) return;
  // The convolution of 1 and e^(-e t).
  number p_slope, p = tau * falling_share(c->ke * tau, eliminated, &p_slope), p_by_ke = tau * tau * p_slope;
  c->blood_by_ka -= c->input_rate * b_by_ka;
  c->blood_by_ke += c->input_rate * (p_by_ke - b_by_ke) + c->blood_rate * p_by_ke;
  c->blood += c->input_rate * larger(p - b, 0) + c->blood_rate * p;
  number steady = c->input_rate / c->ka;
  c->gut += steady * absorbed;
  c->gut_by_ka += steady * (tau * (1 - absorbed) - absorbed / c->ka);
}

void OF_WIDTH(follow_first_order)(const curve_task *task) {
  for (int place = 0; place < EIGHT; place += LANES) {
    first_order_curves curves = {
        .ka = at(task->ka + place), .ke = at(task->ke + place), .per_dose = 1 / at(task->r + place)};
    first_order_curves *c = &curves;
    if (!is_any(c->ka == c->ka)) continue;
    changes_ahead ahead = changes_of(task);
    double *row = task->samples + place;
    number time = ahead.time, lag = at(task->lag + place);
    ahead.are_together = !is_any(lag != lag[0]);
    for (int reading = 0; reading < task->reading_count; reading++, row += FIRST_ORDER_WIDTH * EIGHT) {
      number target = task->times[reading] - lag;
      for (mask due; is_any(due = ahead.time <= target);) {
        advance(c, &time, due ? ahead.time : time);
        changed_input input = pass_change(&ahead, due);
        c->gut += input.bolus * c->per_dose;
        c->blood += input.blood_bolus * c->per_dose;
        c->input_rate = due ? input.rate * c->per_dose : c->input_rate;
        c->blood_rate = due ? input.blood_rate * c->per_dose : c->blood_rate;
      }
      advance(c, &time, target);
      put(row, c->blood);
      put(row + EIGHT, c->blood_by_ka);
      // The curve is linear in the doses, and a lag moves all of it to the right.
      put(row + 2 * EIGHT, c->blood);
      put(row + 3 * EIGHT, -(c->ka * c->gut + c->blood_rate - c->ke * c->blood));
      put(row + GAIN_COLUMN * EIGHT, 0);
      put(row + 5 * EIGHT, c->blood_by_ke);
    }
  }
}
