// Fits k_a, beta and r of everybody in a folder by GSL, from CSV to CSV, and does nothing else: C as it is commonly
// written. bench_peers.py compiles and runs it.
//
//   plain_gsl FOLDER [TOLERANCE] >fits.csv
//
// FOLDER holds what `promille simulate --cohort` writes: subjects.csv, drinks.csv and readings.csv, with the subjects in
// one order. Of zeros that follow one another only the first is fitted, as promille does. A descent ends when a step is
// below 1e-8 of the coordinates, or the gradient within the tolerance: 1e-8, as in the example of GSL's manual. How often
// a curve was followed is written to standard error. lean_gsl.c does the same in half the time.

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { parameters = 3, name_size = 64, most_rows = 1000 };

// Times in h from the first drink on, doses in g per kg of body weight, values in g/kg.
typedef struct {
  int drinks, readings;
  double starts[most_rows], doses[most_rows], times[most_rows], values[most_rows];
} series;

// Blood, gut and their derivatives by k_a, beta and ln r; the gut does not depend on beta, and by ln r its derivative is
// -gut.
typedef struct {
  double blood, gut, blood_by_ka, gut_by_ka, blood_by_beta, blood_by_log_r;
} state;

static long evaluations;

static void step(state *s, double hours, double ka, double beta) {
  double gone = -expm1(-ka * hours), kept = 1 - gone;
  double blood = s->blood + (s->gut * gone - beta * hours);
  if (blood > 0) {
    s->blood = blood;
    s->blood_by_ka += s->gut_by_ka * gone + s->gut * hours * kept;
    s->blood_by_beta -= hours;
    s->blood_by_log_r -= s->gut * gone;
  } else {
    s->blood = s->blood_by_ka = s->blood_by_beta = s->blood_by_log_r = 0;
  }
  s->gut_by_ka = (s->gut_by_ka - hours * s->gut) * kept;
  s->gut *= kept;
}

// Writes residuals, or derivatives by the logarithms of the parameters.
static void walk(const series *series, const gsl_vector *x, double *residuals, double *jacobian) {
  double ka = exp(gsl_vector_get(x, 0)), beta = exp(gsl_vector_get(x, 1)), r = exp(gsl_vector_get(x, 2));
  state s = {0};
  double time = 0;
  int drink = 0;
  evaluations++;
  for (int i = 0; i < series->readings; i++) {
    for (; drink < series->drinks && series->starts[drink] <= series->times[i]; drink++) {
      if (series->starts[drink] > time) step(&s, series->starts[drink] - time, ka, beta);
      time = series->starts[drink];
      s.gut += series->doses[drink] / r;
    }
    if (series->times[i] > time) step(&s, series->times[i] - time, ka, beta);
    time = series->times[i];
    if (residuals) residuals[i] = s.blood - series->values[i];
    if (jacobian) {
      *jacobian++ = s.blood_by_ka * ka;
      *jacobian++ = s.blood_by_beta * beta;
      *jacobian++ = s.blood_by_log_r;
    }
  }
}

static int write_residuals(const gsl_vector *x, void *series, gsl_vector *residuals) {
  walk(series, x, residuals->data, NULL);
  return GSL_SUCCESS;
}

static int write_jacobian(const gsl_vector *x, void *series, gsl_matrix *jacobian) {
  walk(series, x, NULL, jacobian->data);
  return GSL_SUCCESS;
}

static gsl_multifit_nlinear_workspace *allocated(int readings) {
  gsl_multifit_nlinear_parameters method = gsl_multifit_nlinear_default_parameters();
  method.trs = gsl_multifit_nlinear_trs_ddogleg;
  method.solver = gsl_multifit_nlinear_solver_mcholesky;
  return gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &method, readings, parameters);
}

static void fail(const char *message, const char *name) {
  fprintf(stderr, "%s: %s\n", message, name);
  exit(1);
}

// A file whose rows are a subject's name and numbers, one row ahead.
typedef struct {
  FILE *file;
  char name[name_size];
  // The two numbers that are wanted, and where they stand in a row.
  double first, second;
  int first_column, second_column;
  bool is_at_end;
} table;

static void advance(table *t) {
  char line[512];
  if (!fgets(line, sizeof line, t->file)) {
    t->is_at_end = true;
    return;
  }
  char *field = line;
  for (int column = 0; field; column++) {
    char *comma = strchr(field, ',');
    if (column == 0) {
      size_t length = comma ? (size_t)(comma - field) : strlen(field);
      if (length >= name_size) fail("name too long", field);
      memcpy(t->name, field, length);
      t->name[length] = 0;
    }
    if (column == t->first_column) t->first = strtod(field, NULL);
    if (column == t->second_column) t->second = strtod(field, NULL);
    field = comma ? comma + 1 : NULL;
  }
}

static table opened(const char *folder, const char *file, int first_column, int second_column) {
  char path[4096], head[512];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  table t = {fopen(path, "r"), .first_column = first_column, .second_column = second_column};
  if (!t.file || !fgets(head, sizeof head, t.file)) fail("cannot read", path);
  advance(&t);
  return t;
}

// Whether there is another row of this subject.
static bool has_row(const table *t, const char *name) {
  return !t->is_at_end && strcmp(t->name, name) == 0;
}

int main(int argc, char **argv) {
  if (argc < 2) fail("usage", "plain_gsl FOLDER [TOLERANCE]");
  double tolerance = argc > 2 ? atof(argv[2]) : 1e-8;
  gsl_set_error_handler_off();
  table subjects = opened(argv[1], "subjects.csv", 4, 4);
  table drinks = opened(argv[1], "drinks.csv", 1, 2);
  table readings = opened(argv[1], "readings.csv", 1, 2);
  static series s;
  // One for each number of readings, for series of the same size.
  static gsl_multifit_nlinear_workspace *workspaces[most_rows];
  puts("subject,ka_per_h,beta_g_per_kg_h,r,rss");
  for (; !subjects.is_at_end; advance(&subjects)) {
    const char *name = subjects.name;
    s.drinks = s.readings = 0;
    double beginning = drinks.first;
    for (; has_row(&drinks, name); advance(&drinks)) {
      if (s.drinks == most_rows) fail("too many drinks", name);
      s.starts[s.drinks] = (drinks.first - beginning) / 60;
      s.doses[s.drinks++] = drinks.second / subjects.first;
    }
    for (bool was_zero = false; has_row(&readings, name); advance(&readings)) {
      bool is_zero = readings.second == 0;
      if (!(is_zero && was_zero)) {
        if (s.readings == most_rows - 1) fail("too many readings", name);
        s.times[s.readings] = (readings.first - beginning) / 60;
        s.values[s.readings++] = readings.second;
      }
      was_zero = is_zero;
    }
    if (s.drinks == 0 || s.readings < parameters) fail("too few rows", name);
    gsl_multifit_nlinear_workspace **workspace = &workspaces[s.readings];
    if (!*workspace) *workspace = allocated(s.readings);
    if (!*workspace) fail("no memory", name);
    gsl_multifit_nlinear_fdf system = {
        .f = write_residuals, .df = write_jacobian, .n = s.readings, .p = parameters, .params = &s};
    double start[] = {log(6), log(0.15), log(0.65)};
    gsl_vector_view x = gsl_vector_view_array(start, parameters);
    gsl_multifit_nlinear_init(&x.vector, &system, *workspace);
    int info;
    gsl_multifit_nlinear_driver(500, 1e-8, tolerance, 0, NULL, NULL, &info, *workspace);
    const gsl_vector *found = gsl_multifit_nlinear_position(*workspace);
    const gsl_vector *residuals = gsl_multifit_nlinear_residual(*workspace);
    double rss = 0;
    for (int i = 0; i < s.readings; i++) rss += pow(gsl_vector_get(residuals, i), 2);
    printf(
        "%s,%.17g,%.17g,%.17g,%.17g\n", name, exp(gsl_vector_get(found, 0)), exp(gsl_vector_get(found, 1)),
        exp(gsl_vector_get(found, 2)), rss);
  }
  fprintf(stderr, "%ld\n", evaluations);
  return 0;
}
