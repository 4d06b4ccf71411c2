// Intervals of the standard normal distribution, included once for each width.

/// Chebyshev's coefficients of (1 + 2 x) e^(x^2) erfc x in (x - 3.75) / (x + 3.75), to 2e-16 of it: the form is that of M. M.
/// Shepherd and J. G. Laframboise, Math Comp 36 (1981) 249-253.
static const double tail_coefficients[] = {
    1.1775789345674017541,     -0.0045900545806464773309, -0.084249133366517915584,   0.059209939998191890498,
    -0.026658668435305752277,  0.0090749976707052650939,  -0.0024131635404176081909,  0.00049077583652580863229,
    -6.9169733025012063671e-5, 4.1390279860730101675e-6,  7.7403830661984906686e-7,   -2.1886401049234395661e-7,
    1.0764999465670910377e-8,  4.5219598112182868979e-9,  -7.7544002088313511065e-10, -6.3180883408866844944e-11,
    2.8687950109306698981e-11, 1.945586854577734723e-13,  -9.6546967484334389059e-13, 3.2525481481487398415e-14,
    3.3478119482868053878e-14, -1.8645628804193131015e-15, -1.2507950530688647085e-15, 7.418235256624043463e-17,
};

/// e^x; of x below -708 next to nothing, above 700 that of 700.
INLINE number exponential(number x) {
  number small, power = reduced(smaller(larger(x, (number)least_exponent), (number)700), &small);
  return power * small + power;
}

/// ln x of a normal number above 0: by the series of the area tangent about the nearest power of two.
INLINE number logarithm(number x) {
  mask bits = (mask)x, exponent = ((bits - (mask)(number)0.70710678118654752) >> 52);
  number m = (number)(bits - (exponent << 52)), s = (m - 1) / (m + 1), s2 = s * s, sum = 1.0 / 23;
  for (int k = 21; k > 0; k -= 2) sum = sum * s2 + 1.0 / k;
  number n = __builtin_convertvector(exponent, number);
  return n * 6.93147180369123816490e-1 + (n * 1.90821492927058770002e-10 + 2 * s * sum);
}

/// ln(1 + x) with the digits that x adds.
INLINE number logarithm_of_one_plus(number x) {
  number y = 1 + x;
  return logarithm(y) + (x - (y - 1)) / y;
}

/// The probability of what is above z, from 0 on, over e^(-z^2 / 2).
INLINE number scaled_tail(number z) {
  number x = z * 0.70710678118654752440, t = 1 - 7.5 / (x + 3.75), twice = 2 * t, one = 0, two = 0;
  for (int k = sizeof tail_coefficients / sizeof *tail_coefficients - 1; k > 0; k--) {
    number next = tail_coefficients[k] + twice * one - two;
    two = one;
    one = next;
  }
  return (tail_coefficients[0] + t * one - two) / (2 + 4 * x);
}

INLINE void measure_some(const interval_task *task, int place) {
  const double root_of_two_pi_as_logarithm = 0.918938533204672741780329736406;
  number low = at(task->low + place), high = at(task->high + place);
  mask is_open = low == (number)-INFINITY & high == (number)INFINITY;
  // The one that has more of it above zero.
  mask is_mirrored = high <= 0;
  number l = is_mirrored ? -high : low, h = is_mirrored ? -low : high;
  number width = h - l, middle = (l + h) * 0.5, size_of_low = size(l);
  number at_low = -0.5 * l * l, at_high = -0.5 * h * h;
  number below = scaled_tail(size_of_low), above = scaled_tail(h);
  // Far out all but the density cancels; the tail above an infinite end is none.
  number rest = is_below_infinity(h) ? exponential(-0.5 * width * (h + l)) * above : 0;
  number one_side = at_low + logarithm(larger(below - rest, (number)DBL_MIN));
  number beyond = (is_below_infinity(size_of_low) ? exponential(at_low) * below : 0) +
                  (is_below_infinity(h) ? exponential(at_high) * above : 0);
  number two_sides = logarithm_of_one_plus(-smaller(beyond, (number)(1 - 1e-9)));
  // Too narrow to tell its ends apart: density times width.
  mask is_narrow = width * larger(size(middle), (number)1) < 1e-3;
  number curved = width * width * (middle * middle - 1) * (1.0 / 24);
  number narrow = (-0.5 * middle * middle - root_of_two_pi_as_logarithm) + logarithm(larger(width, (number)DBL_MIN)) +
                  logarithm_of_one_plus(is_narrow ? curved : 0);
  number value = is_narrow ? narrow : l >= 0 ? one_side : two_sides;
  value = is_open ? 0 : value;
  put(task->log_probability + place, value);
  number scaled = value + root_of_two_pi_as_logarithm;
  number first = is_below_infinity(size_of_low) ? exponential(at_low - scaled) : 0;
  number second = is_below_infinity(h) ? exponential(at_high - scaled) : 0;
  put(task->low_density + place, is_mirrored ? second : first);
  put(task->high_density + place, is_mirrored ? first : second);
}

void OF_WIDTH(measure_intervals)(const interval_task *task) {
  for (int place = 0; place < task->count; place += LANES) measure_some(task, place);
}
