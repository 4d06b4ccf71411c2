// What a fit must cost: eight people at once in the lanes of vectors, eight steps of Levenberg and Marquardt each, from CSV to
// CSV, nothing judged. bench_peers.py compiles and runs it.
//
//   bound FOLDER [STEPS] >fits.csv
//
// Residuals and derivatives of k_a, beta and r are summed up in one pass over drinks and readings. A person takes as many
// steps as all others: those whose next one leads up stay, and damp it more.

#include <math.h>

#include "table.h"

enum { lane_count = 8, parameters = 3, most_events = 2 * most_rows, usual_steps = 8 };

typedef double lanes __attribute__((vector_size(8 * lane_count)));
typedef int64_t flags __attribute__((vector_size(8 * lane_count)));

// One event of each of the eight: what is past the last one of somebody counts for nothing.
typedef struct {
  lanes gap, dose, value, weight;
} event;

// The sum of squares at a point, half its slopes, and half its curvatures in Gauss' approximation.
typedef struct {
  lanes squares, slopes[parameters], curvatures[parameters][parameters];
} sums;

static lanes chosen(flags which, lanes one, lanes other) {
  return (lanes)(((flags)one & which) | ((flags)other & ~which));
}

// By Taylor's series about the next multiple of ln 2; exact to a few roundings.
static lanes exponential(lanes x) {
  const double shift = 0x1.8p52, ln_2 = 0x1.62e42fefa39efp-1, rest = 0x1.abc9e3b39803fp-56;
  lanes rounded = x * 0x1.71547652b82fep0 + shift, count = rounded - shift;
  lanes r = (x - count * ln_2) - count * rest, sum = r * 0 + 1;
  for (int i = 13; i > 0; i--) sum = 1 + r * sum * (1.0 / i);
  return (lanes)((flags)sum + ((flags)rounded << 52));
}

static sums sums_at(const event *events, int count, const lanes x[parameters]) {
  lanes zero = {0}, ka = exponential(x[0]), beta = exponential(x[1]), per_r = exponential(-x[2]);
  lanes blood = zero, gut = zero, by_ka = zero, gut_by_ka = zero, by_beta = zero, by_r = zero;
  sums all = {.squares = zero};
  for (int i = 0; i < count; i++) {
    const event *e = &events[i];
    lanes depth = ka * e->gap, left = exponential(-depth), lost = beta * e->gap;
    lanes absorbed = gut * (1 - left), next = blood + (absorbed - lost);
    lanes absorbed_by_ka = gut_by_ka * (1 - left) + gut * depth * left;
    flags is_above = next > 0;
    blood = chosen(is_above, next, zero);
    by_ka = chosen(is_above, by_ka + absorbed_by_ka, zero);
    by_beta = chosen(is_above, by_beta - lost, zero);
    by_r = chosen(is_above, by_r - absorbed, zero);
    gut_by_ka -= absorbed_by_ka;
    gut += e->dose * per_r - absorbed;
    lanes residual = blood - e->value, slopes[] = {by_ka * e->weight, by_beta * e->weight, by_r * e->weight};
    all.squares += e->weight * residual * residual;
    for (int row = 0; row < parameters; row++) {
      all.slopes[row] += slopes[row] * residual;
      for (int column = 0; column <= row; column++) all.curvatures[row][column] += slopes[row] * slopes[column];
    }
  }
  return all;
}

// Where the damped step leads, by Cholesky's factor.
static void step(const lanes from[parameters], const sums *at, lanes damping, lanes to[parameters]) {
  lanes factor[parameters][parameters], way[parameters];
  for (int row = 0; row < parameters; row++) {
    for (int column = 0; column <= row; column++) {
      lanes rest = at->curvatures[row][column] * (row == column ? 1 + damping : damping * 0 + 1);
      for (int k = 0; k < column; k++) rest -= factor[row][k] * factor[column][k];
      if (row > column) {
        factor[row][column] = rest / factor[column][column];
      } else {
        for (int lane = 0; lane < lane_count; lane++) factor[row][row][lane] = sqrt(fmax(rest[lane], 1e-300));
      }
    }
    way[row] = -at->slopes[row];
    for (int k = 0; k < row; k++) way[row] -= factor[row][k] * way[k];
    way[row] /= factor[row][row];
  }
  for (int row = parameters - 1; row >= 0; row--) {
    for (int k = row + 1; k < parameters; k++) way[row] -= factor[k][row] * way[k];
    way[row] /= factor[row][row];
    // No step is longer than a factor of e.
    way[row] = chosen(way[row] > 1, way[row] * 0 + 1, chosen(way[row] < -1, way[row] * 0 - 1, way[row]));
    to[row] = from[row] + way[row];
  }
}

static sums fit(const event *events, int count, int steps, lanes x[parameters]) {
  sums here = sums_at(events, count, x);
  lanes damping = here.squares * 0 + 1e-3;
  for (int i = 0; i < steps; i++) {
    lanes there[parameters];
    step(x, &here, damping, there);
    sums next = sums_at(events, count, there);
    flags is_better = next.squares <= here.squares;
    damping = chosen(is_better, damping * 0.1, damping * 8);
    for (int row = 0; row < parameters; row++) x[row] = chosen(is_better, there[row], x[row]);
    lanes *to = (lanes *)&here, *from = (lanes *)&next;
    for (size_t k = 0; k < sizeof here / sizeof *to; k++) to[k] = chosen(is_better, from[k], to[k]);
  }
  return here;
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage: bound FOLDER [STEPS]");
  int steps = argc > 2 ? atoi(argv[2]) : usual_steps;
  table subjects = opened(argv[1], "subjects.csv"), drinks = opened(argv[1], "drinks.csv");
  table readings = opened(argv[1], "readings.csv");
  static char buffer[1 << 18];
  static event events[most_events];
  static happening own[most_events];
  char *to = buffer + sprintf(buffer, "subject,ka_per_h,beta_g_per_kg_h,r,rss\n");
  long evaluations = 0;
  while (subjects.at < subjects.end) {
    const char *names[lane_count];
    size_t lengths[lane_count];
    int people = 0, count = 0;
    for (; people < lane_count && subjects.at < subjects.end; people++) {
      names[people] = read_name(&subjects, &lengths[people]);
      for (int column = 1; column < 4; column++) skip_field(&subjects);
      double weight = number(&subjects);
      int own_count = read_happenings(&drinks, &readings, names[people], lengths[people], weight, own);
      for (; count < own_count; count++) memset(&events[count], 0, sizeof events[count]);
      for (int i = 0; i < count; i++) {
        bool is_own = i < own_count;
        events[i].gap[people] = is_own ? own[i].gap : 0;
        events[i].dose[people] = is_own ? own[i].dose : 0;
        events[i].value[people] = is_own ? own[i].value : 0;
        events[i].weight[people] = is_own && own[i].is_reading;
      }
    }
    lanes zero = {0}, x[] = {zero + log(6), zero + log(0.15), zero + log(0.65)};
    sums at = fit(events, count, steps, x);
    evaluations += (steps + 1) * (long)people;
    for (int person = 0; person < people; person++) {
      memcpy(to, names[person], lengths[person]);
      to += lengths[person];
      for (int i = 0; i < parameters; i++) to = write_field(to, exp(x[i][person]));
      to = write_field(to, at.squares[person]);
      *to++ = '\n';
    }
    if (to > buffer + sizeof buffer - lane_count * longest_row) {
      fwrite(buffer, 1, to - buffer, stdout);
      to = buffer;
    }
  }
  fwrite(buffer, 1, to - buffer, stdout);
  fprintf(stderr, "%ld\n", evaluations);
  return 0;
}
