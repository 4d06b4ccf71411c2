// Fits k_a, beta and r of everybody in a folder by GSL, from CSV to CSV, and does nothing else: as lean as C with GSL gets
// without another solver or another BLAS. bench_peers.py compiles and runs it.
//
//   lean_gsl FOLDER [TOLERANCE] >fits.csv
//
// It does what plain_gsl.c does, but:
// - maps files, and reads and writes numbers as whole numbers, without strtod and printf;
// - has drinks and readings in one list of events, and takes an exponential for each distinct time between events, of
//   which a series has few, not for each event; derivatives at the same k_a use it again;
// - descends by Levenberg and Marquardt with Cholesky's factor, not the double dogleg with a modified one.

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>

#include "table.h"

enum { parameters = 3, most_events = 2 * most_rows };

// A drink or a reading.
typedef struct {
  // Which of the gaps is before it.
  int gap;
  // The reading's number; a drink has the one after the last.
  int reading;
  // In g per kg of body weight; 0 of a reading.
  double dose;
} event;

typedef struct {
  int event_count, gap_count, reading_count;
  event events[most_events];
  // Distinct times between events in h; readings in g/kg.
  double gaps[most_events], values[most_rows];
  // For each gap at this k_a: what is absorbed of the gut, and the derivative of that by ln k_a.
  double log_ka, gone[most_events], slope[most_events];
} series;

static long evaluations;

static void take_exponentials(series *s, double log_ka) {
  evaluations++;
  if (log_ka == s->log_ka) return;
  s->log_ka = log_ka;
  double ka = exp(log_ka);
  for (int i = 0; i < s->gap_count; i++) {
    double x = ka * s->gaps[i];
    s->gone[i] = -expm1(-x);
    s->slope[i] = x * (1 - s->gone[i]);
  }
}

static int write_residuals(const gsl_vector *x, void *context, gsl_vector *residuals) {
  series *s = context;
  take_exponentials(s, x->data[0]);
  double beta = exp(x->data[1]), per_r = exp(-x->data[2]), blood = 0, gut = 0;
  static double curve[most_rows];
  for (int i = 0; i < s->event_count; i++) {
    const event *e = &s->events[i];
    double absorbed = gut * s->gone[e->gap], next = blood + (absorbed - beta * s->gaps[e->gap]);
    blood = next > 0 ? next : 0;
    gut += e->dose * per_r - absorbed;
    curve[e->reading] = blood;
  }
  for (int i = 0; i < s->reading_count; i++) residuals->data[i] = curve[i] - s->values[i];
  return GSL_SUCCESS;
}

// Derivatives by ln k_a, ln beta and ln r.
static int write_jacobian(const gsl_vector *x, void *context, gsl_matrix *jacobian) {
  series *s = context;
  take_exponentials(s, x->data[0]);
  double beta = exp(x->data[1]), per_r = exp(-x->data[2]), blood = 0, gut = 0;
  double by_ka = 0, gut_by_ka = 0, by_beta = 0, by_r = 0;
  static double rows[most_rows][parameters];
  for (int i = 0; i < s->event_count; i++) {
    const event *e = &s->events[i];
    double absorbed = gut * s->gone[e->gap], lost = beta * s->gaps[e->gap], next = blood + (absorbed - lost);
    double absorbed_by_ka = gut_by_ka * s->gone[e->gap] + gut * s->slope[e->gap];
    bool is_above = next > 0;
    blood = is_above ? next : 0;
    by_ka = is_above ? by_ka + absorbed_by_ka : 0;
    by_beta = is_above ? by_beta - lost : 0;
    by_r = is_above ? by_r - absorbed : 0;
    gut_by_ka -= absorbed_by_ka;
    gut += e->dose * per_r - absorbed;
    double *row = rows[e->reading];
    row[0] = by_ka;
    row[1] = by_beta;
    row[2] = by_r;
  }
  memcpy(jacobian->data, rows, s->reading_count * sizeof rows[0]);
  return GSL_SUCCESS;
}

static void read_series(series *s, table *drinks, table *readings, const char *name, size_t length, double weight) {
  static happening all[most_events];
  s->event_count = read_happenings(drinks, readings, name, length, weight, all);
  s->gap_count = s->reading_count = 0;
  s->log_ka = NAN;
  for (int i = 0; i < s->event_count; i++) s->reading_count += all[i].is_reading;
  for (int i = 0, reading = 0; i < s->event_count; i++) {
    int known = 0;
    while (known < s->gap_count && s->gaps[known] != all[i].gap) known++;
    if (known == s->gap_count) s->gaps[s->gap_count++] = all[i].gap;
    if (all[i].is_reading) s->values[reading] = all[i].value;
    s->events[i] = (event){known, all[i].is_reading ? reading++ : s->reading_count, all[i].dose};
  }
}

static gsl_multifit_nlinear_workspace *workspace_for(int readings) {
  // One for each number of readings, for series of the same size.
  static gsl_multifit_nlinear_workspace *all[most_rows];
  if (all[readings]) return all[readings];
  gsl_multifit_nlinear_parameters method = gsl_multifit_nlinear_default_parameters();
  method.trs = gsl_multifit_nlinear_trs_lm;
  method.solver = gsl_multifit_nlinear_solver_cholesky;
  all[readings] = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &method, readings, parameters);
  if (!all[readings]) fail("no memory");
  return all[readings];
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage: lean_gsl FOLDER [TOLERANCE]");
  double tolerance = argc > 2 ? atof(argv[2]) : 1e-8;
  gsl_set_error_handler_off();
  table subjects = opened(argv[1], "subjects.csv"), drinks = opened(argv[1], "drinks.csv");
  table readings = opened(argv[1], "readings.csv");
  static char buffer[1 << 18];
  static series s;
  char *to = buffer + sprintf(buffer, "subject,ka_per_h,beta_g_per_kg_h,r,rss\n");
  while (subjects.at < subjects.end) {
    size_t length;
    const char *name = read_name(&subjects, &length);
    for (int column = 1; column < 4; column++) skip_field(&subjects);
    read_series(&s, &drinks, &readings, name, length, number(&subjects));
    gsl_multifit_nlinear_workspace *workspace = workspace_for(s.reading_count);
    gsl_multifit_nlinear_fdf system = {
        .f = write_residuals, .df = write_jacobian, .n = s.reading_count, .p = parameters, .params = &s};
    double start[] = {log(6), log(0.15), log(0.65)};
    gsl_vector_view x = gsl_vector_view_array(start, parameters);
    gsl_multifit_nlinear_init(&x.vector, &system, workspace);
    int info;
    gsl_multifit_nlinear_driver(500, 1e-8, tolerance, 0, NULL, NULL, &info, workspace);
    const double *found = gsl_multifit_nlinear_position(workspace)->data;
    const double *residuals = gsl_multifit_nlinear_residual(workspace)->data;
    double rss = 0;
    for (int i = 0; i < s.reading_count; i++) rss += residuals[i] * residuals[i];
    memcpy(to, name, length);
    to += length;
    for (int i = 0; i < parameters; i++) to = write_field(to, exp(found[i]));
    to = write_field(to, rss);
    *to++ = '\n';
    if (to > buffer + sizeof buffer - longest_row) {
      fwrite(buffer, 1, to - buffer, stdout);
      to = buffer;
    }
  }
  fwrite(buffer, 1, to - buffer, stdout);
  fprintf(stderr, "%ld\n", evaluations);
  return 0;
}
