// Predicts everybody in a folder when the blood falls to 0.1 g/kg, by five r factors, and how far that is off, from CSV to
// CSV, and does nothing else: what `promille sober` is measured beside. bench_peers.py compiles and runs it.
//
//   lean_sober FOLDER >times.csv
//
// k_a, beta and lag are those of fasted people. There are no intervals of predictions, which promille has. A series is
// walked drink by drink, with an exponential for each; the fall is found by Newton's method from where all that is above
// the threshold would be eliminated, from where it cannot miss: the curve is concave between drinks.

#include <math.h>

#include "table.h"

enum { method_count = 5 };

static const char *const methods[] = {"widmark", "watson", "forrest", "seidl", "ulrich"};
static const double threshold = 0.1, ka = 5.522, beta_of_men = 0.138, lag = 3.41 / 60;

typedef struct {
  int drink_count, reading_count;
  // In h since the first drink, and g per kg of body weight; readings in g/kg.
  double starts[most_rows], doses[most_rows], times[most_rows], values[most_rows];
} series;

static void read_series(series *s, table *drinks, table *readings, const char *name, size_t length, double weight) {
  double first = 0;
  s->drink_count = s->reading_count = 0;
  for (; enters_row(drinks, name, length); s->drink_count++) {
    if (s->drink_count == most_rows) fail("too many drinks");
    double minutes = number(drinks);
    if (s->drink_count == 0) first = minutes;
    s->starts[s->drink_count] = (minutes - first) / 60;
    s->doses[s->drink_count] = number(drinks) / weight;
  }
  for (; enters_row(readings, name, length); s->reading_count++) {
    if (s->reading_count == most_rows) fail("too many readings");
    s->times[s->reading_count] = (number(readings) - first) / 60;
    s->values[s->reading_count] = number(readings);
  }
  if (s->drink_count == 0) fail("somebody drinks nothing");
}

// r of everybody's five methods; NaN where there is none.
static void take_r(double r[method_count], bool is_man, double age, double height, double weight) {
  double water = is_man ? 2.447 - 0.09516 * age + 10.74 * height + 0.3362 * weight : -2.097 + 10.69 * height + 0.2466 * weight;
  r[0] = is_man ? 0.68 : 0.55;
  r[1] = water / (0.8 * weight);
  r[2] = is_man ? 1.0178 - 0.012127 * weight / (height * height) : 0.8736 - 0.0124 * weight / (height * height);
  r[3] = is_man ? 0.31608 - 0.004821 * weight + 0.4632 * height : 0.31223 - 0.006446 * weight + 0.4466 * height;
  r[4] = is_man ? 0.715 - 0.00462 * weight + 0.22 * height : NAN;
}

// When the curve falls to the threshold within a time, in h from here; NaN if it does not.
static double fall(double blood, double gut, double beta, double duration) {
  double tau = (blood + gut - threshold) / beta;
  if (tau > duration) {
    tau = duration;
    if (blood - gut * expm1(-ka * tau) - beta * tau > threshold) return NAN;
  }
  for (int step = 0; step < 100 && tau > 0; step++) {
    double kept = exp(-ka * tau), slope = ka * gut * kept - beta;
    if (slope >= 0) return NAN;
    double next = tau - (blood + gut * (1 - kept) - beta * tau - threshold) / slope;
    if (fabs(next - tau) <= 1e-14 * tau) return next;
    tau = next;
  }
  return NAN;
}

// When the blood stays at or below the threshold, in h since the first drink; NaN if it is never above.
static double time_to_sobriety(const series *s, double r, double beta) {
  double blood = 0, gut = 0, found = NAN;
  for (int i = 0; i < s->drink_count; i++) {
    gut += s->doses[i] / r;
    double duration = i + 1 < s->drink_count ? s->starts[i + 1] - s->starts[i] : INFINITY;
    double tau = fall(blood, gut, beta, duration);
    if (tau == tau) found = s->starts[i] + lag + tau;
    if (duration == INFINITY) break;
    double gone = -expm1(-ka * duration), next = blood + gut * gone - beta * duration;
    blood = next > 0 ? next : 0;
    gut -= gut * gone;
  }
  return found;
}

// The middle of the two readings between which the threshold was crossed, in h since the first drink; NaN if it was not.
static double measured(const series *s) {
  int above = s->reading_count - 1;
  while (above >= 0 && s->values[above] <= threshold) above--;
  double end = s->starts[s->drink_count - 1];
  int first = above + 1;
  while (first < s->reading_count && s->times[first] <= end) first++;
  return above < 0 || first == s->reading_count ? NAN : (s->times[above] + s->times[first]) / 2;
}

static char *write_minutes(char *to, double hours) {
  if (hours != hours) {
    *to = ',';
    return to + 1;
  }
  char *comma = to;
  to = write_field(to, 60 * fabs(hours));
  if (hours >= 0) return to;
  memmove(comma + 2, comma + 1, to - comma - 1);
  comma[1] = '-';
  return to + 1;
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage: lean_sober FOLDER");
  table subjects = opened(argv[1], "subjects.csv"), drinks = opened(argv[1], "drinks.csv");
  table readings = opened(argv[1], "readings.csv");
  static char buffer[1 << 18];
  static series s;
  char *to = buffer + sprintf(buffer, "subject,method,sober_predicted_min,error_min\n");
  while (subjects.at < subjects.end) {
    size_t length;
    const char *name = read_name(&subjects, &length);
    bool is_man = *subjects.at == 'm';
    skip_field(&subjects);
    double age = number(&subjects), height = number(&subjects) / 100, weight = number(&subjects), r[method_count];
    double beta = is_man ? beta_of_men : beta_of_men * exp(0.08191);
    read_series(&s, &drinks, &readings, name, length, weight);
    take_r(r, is_man, age, height, weight);
    double known = measured(&s);
    for (int method = 0; method < method_count; method++) {
      double predicted = r[method] == r[method] ? time_to_sobriety(&s, r[method], beta) : NAN;
      memcpy(to, name, length);
      to += length;
      *to++ = ',';
      to = stpcpy(to, methods[method]);
      to = write_minutes(to, predicted);
      to = write_minutes(to, predicted - known);
      *to++ = '\n';
    }
    if (to > buffer + sizeof buffer - method_count * longest_row) {
      fwrite(buffer, 1, to - buffer, stdout);
      to = buffer;
    }
  }
  fwrite(buffer, 1, to - buffer, stdout);
  return 0;
}
