// Fits k_a, beta and r of everybody in a cohort by GSL, from CSV to CSV, and tells nothing else: what
// promille's command is compared with by Tests/Tools/fit_speed_c.py, which compiles it.
//
//   fit_folder FOLDER >fits.csv
//
// FOLDER holds what `promille simulate --cohort` writes: subjects.csv, drinks.csv and readings.csv, with
// the subjects in one order. Of zeros that follow one another only the first is fitted, as promille does.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfit.h"

enum { name_size = 64, most_rows = 1000 };

// A file whose rows are a subject's name and numbers, one row ahead.
typedef struct {
  FILE *file;
  char name[name_size];
  // The two numbers that are wanted.
  double first, second;
  // Where these stand in a row.
  int first_column, second_column;
  bool is_at_end;
} table;

static void fail(const char *message, const char *name) {
  fprintf(stderr, "%s: %s\n", message, name);
  exit(1);
}

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
  if (argc != 2) fail("usage", "fit_folder FOLDER");
  table subjects = opened(argv[1], "subjects.csv", 4, 4);
  table drinks = opened(argv[1], "drinks.csv", 1, 2);
  table readings = opened(argv[1], "readings.csv", 1, 2);
  static double starts[most_rows], doses[most_rows], times[most_rows], values[most_rows];
  // One for each number of readings, for series of the same size.
  static cfit_solver *solvers[most_rows];
  puts("subject,ka_per_h,beta_g_per_kg_h,r,rss");
  for (; !subjects.is_at_end; advance(&subjects)) {
    const char *name = subjects.name;
    cfit_series series = {.times = times, .values = values, .starts = starts, .doses = doses};
    double beginning = drinks.first;
    for (; has_row(&drinks, name); advance(&drinks)) {
      if (series.drinks == most_rows) fail("too many drinks", name);
      starts[series.drinks] = (drinks.first - beginning) / 60;
      doses[series.drinks++] = drinks.second / subjects.first;
    }
    for (bool was_zero = false; has_row(&readings, name); advance(&readings)) {
      bool is_zero = readings.second == 0;
      if (!(is_zero && was_zero)) {
        if (series.readings == most_rows - 1) fail("too many readings", name);
        times[series.readings] = (readings.first - beginning) / 60;
        values[series.readings++] = readings.second;
      }
      was_zero = is_zero;
    }
    if (series.drinks == 0 || series.readings < 3) fail("too few rows", name);
    cfit_solver **solver = &solvers[series.readings];
    if (!*solver) *solver = cfit_alloc(series.readings, 3, false);
    if (!*solver) fail("no memory", name);
    double x[3] = {log(6), log(0.15), log(0.65)};
    // The gradient tolerance of the example in GSL's manual.
    cfit_solve(*solver, &series, 1e-8, x, NULL);
    printf(
        "%s,%.17g,%.17g,%.17g,%.17g\n", name, exp(x[0]), exp(x[1]), exp(x[2]),
        cfit_rss(*solver));
  }
  return 0;
}
