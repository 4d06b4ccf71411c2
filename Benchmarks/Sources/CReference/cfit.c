#include "cfit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the curve was followed last, and what was found.
typedef struct {
  double ka, beta;
  double *residuals, *jacobian;
} memory;

struct cfit_solver {
  gsl_multifit_nlinear_workspace *workspace;
  const cfit_series *series;
  bool follows_once;
  memory last;
};

// Blood, gut and their derivatives by k_a and beta; the gut does not depend on beta.
typedef struct {
  double blood, gut, blood_by_ka, gut_by_ka, blood_by_beta;
} state;

static void step(state *s, double hours, double ka, double beta) {
  double gone = -expm1(-ka * hours), kept = 1 - gone;
  double blood = s->blood + (s->gut * gone - beta * hours);
  if (blood > 0) {
    s->blood = blood;
    s->blood_by_ka += s->gut_by_ka * gone + s->gut * hours * kept;
    s->blood_by_beta -= hours;
  } else {
    s->blood = s->blood_by_ka = s->blood_by_beta = 0;
  }
  s->gut_by_ka = (s->gut_by_ka - hours * s->gut) * kept;
  s->gut *= kept;
}

// Writes residuals, and derivatives by ln k_a and ln beta, each unless NULL.
static void walk(
    const cfit_series *series, double ka, double beta, double *residuals, double *jacobian) {
  state s = {0};
  double time = 0;
  int drink = 0;
  for (int i = 0; i < series->readings; i++) {
    for (; drink < series->drinks && series->starts[drink] <= series->times[i]; drink++) {
      if (series->starts[drink] > time) step(&s, series->starts[drink] - time, ka, beta);
      time = series->starts[drink];
      s.gut += series->doses[drink];
    }
    if (series->times[i] > time) step(&s, series->times[i] - time, ka, beta);
    time = series->times[i];
    if (residuals) residuals[i] = s.blood - series->values[i];
    if (jacobian) {
      jacobian[2 * i] = s.blood_by_ka * ka;
      jacobian[2 * i + 1] = s.blood_by_beta * beta;
    }
  }
}

// Follows the curve for both, unless it is the last one.
static void follow(cfit_solver *solver, double ka, double beta) {
  memory *last = &solver->last;
  if (ka == last->ka && beta == last->beta) return;
  last->ka = ka;
  last->beta = beta;
  walk(solver->series, ka, beta, last->residuals, last->jacobian);
}

static int write_residuals(const gsl_vector *x, void *context, gsl_vector *residuals) {
  cfit_solver *solver = context;
  double ka = exp(gsl_vector_get(x, 0)), beta = exp(gsl_vector_get(x, 1));
  if (solver->follows_once) {
    follow(solver, ka, beta);
    memcpy(residuals->data, solver->last.residuals, residuals->size * sizeof(double));
  } else {
    walk(solver->series, ka, beta, residuals->data, NULL);
  }
  return GSL_SUCCESS;
}

static int write_jacobian(const gsl_vector *x, void *context, gsl_matrix *jacobian) {
  cfit_solver *solver = context;
  double ka = exp(gsl_vector_get(x, 0)), beta = exp(gsl_vector_get(x, 1));
  if (solver->follows_once) {
    follow(solver, ka, beta);
    memcpy(jacobian->data, solver->last.jacobian, 2 * jacobian->size1 * sizeof(double));
  } else {
    walk(solver->series, ka, beta, NULL, jacobian->data);
  }
  return GSL_SUCCESS;
}

cfit_solver *cfit_alloc(int readings, bool follows_once) {
  gsl_set_error_handler_off();
  gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
  parameters.trs = gsl_multifit_nlinear_trs_ddogleg;
  parameters.solver = gsl_multifit_nlinear_solver_mcholesky;
  parameters.scale = gsl_multifit_nlinear_scale_more;
  parameters.factor_up = 3;
  parameters.factor_down = 2;
  cfit_solver *solver = calloc(1, sizeof *solver);
  if (!solver) return NULL;
  solver->follows_once = follows_once;
  solver->last.residuals = malloc(readings * sizeof(double));
  solver->last.jacobian = malloc(2 * readings * sizeof(double));
  solver->workspace =
      gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, readings, 2);
  if (solver->workspace && solver->last.residuals && solver->last.jacobian) return solver;
  cfit_free(solver);
  return NULL;
}

void cfit_free(cfit_solver *solver) {
  gsl_multifit_nlinear_free(solver->workspace);
  free(solver->last.residuals);
  free(solver->last.jacobian);
  free(solver);
}

int cfit_solve(
    cfit_solver *solver, const cfit_series *series, double coordinates[2], double covariance[4]) {
  gsl_multifit_nlinear_workspace *workspace = solver->workspace;
  gsl_multifit_nlinear_fdf system = {
      .f = write_residuals,
      .df = write_jacobian,
      .n = series->readings,
      .p = 2,
      .params = solver};
  solver->series = series;
  solver->last.ka = solver->last.beta = NAN;
  gsl_vector_view x = gsl_vector_view_array(coordinates, 2);
  gsl_matrix_view inverse = gsl_matrix_view_array(covariance, 2, 2);
  gsl_multifit_nlinear_init(&x.vector, &system, workspace);
  int info;
  int status = gsl_multifit_nlinear_driver(500, 1e-8, 0, 0, NULL, NULL, &info, workspace);
  gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(workspace), 0, &inverse.matrix);
  gsl_vector_memcpy(&x.vector, gsl_multifit_nlinear_position(workspace));
  return status;
}
