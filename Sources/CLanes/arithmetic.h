// What all that is computed in lanes has in common, included once for each width.

/// As many numbers of a row as are computed with at once.
INLINE number at(const double *place) {
  number x;
  memcpy(&x, place, sizeof x);
  return x;
}
INLINE void put(double *place, number x) { memcpy(place, &x, sizeof x); }
/// Answers as they stand in rows, 1 or 0.
INLINE mask is_yes(const double *place) { return at(place) != 0; }
INLINE void put_answer(double *place, mask answer) { put(place, answer ? (number)1 : 0); }

/// The second where the first is NaN.
INLINE number larger(number one, number other) { return one > other ? one : other; }
INLINE number smaller(number one, number other) { return one < other ? one : other; }
INLINE number size(number x) { return __builtin_elementwise_abs(x); }
INLINE bool is_any(mask answer) { return __builtin_reduce_or(answer) != 0; }
/// Where it is finite, positive or not.
INLINE mask is_below_infinity(number x) { return x < (number)INFINITY; }

/// What stands for exponents below, of which e^x is rounding beside 1.
static const double least_exponent = -708;

/// 2^n, and e^r - 1 with x = n ln 2 + r.
INLINE number reduced(number x, number *small) {
  const number shift = 0x1.8p52;
  number shifted = x * 1.4426950408889634 + shift;
  number n = shifted - shift;
  number r = (x - n * 6.93147180369123816490e-1) - n * 1.90821492927058770002e-10;
  number r2 = r * r, r4 = r2 * r2;
  number first = (r * (1.0 / 6) + 1.0 / 2) + r2 * (r * (1.0 / 120) + 1.0 / 24);
  number second = (r * (1.0 / 5040) + 1.0 / 720) + r2 * (r * (1.0 / 362880) + 1.0 / 40320);
  number third = (r * (1.0 / 39916800) + 1.0 / 3628800) + r2 * (r * (1.0 / 6227020800) + 1.0 / 479001600);
  *small = r + r2 * (first + r4 * (second + r4 * third));
  return (number)(((mask)shifted << 52) + (mask)(number)1.0);
}

/// 1 - e^(-x) for x from 0 on, and e^(-x), each with all of its digits.
INLINE number gone_after(number x, number *kept) {
  number small, power = reduced(larger(-x, least_exponent), &small);
  *kept = power * small + power;
  return (1 - power) - power * small;
}
