#include "cfit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the curve was followed last, and what was found.
typedef struct {
  double ka, beta, r;
} point;

typedef struct {
  point at;
  double *residuals, *jacobian;
} memory;

struct cfit_solver {
  gsl_multifit_nlinear_workspace *workspace;
  const cfit_series *series;
  int parameters;
  bool follows_once;
  memory last;
};

// Blood, gut and their derivatives by k_a, beta and ln r; the gut does not depend on beta, and by ln r
// its derivative is -gut.
typedef struct {
  double blood, gut, blood_by_ka, gut_by_ka, blood_by_beta, blood_by_log_r;
} state;

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

// Writes residuals, and derivatives by the logarithms of the parameters, each unless NULL.
static void walk(const cfit_solver *solver, point at, double *residuals, double *jacobian) {
  const cfit_series *series = solver->series;
  double ka = at.ka, beta = at.beta;
  state s = {0};
  double time = 0;
  int drink = 0;
  for (int i = 0; i < series->readings; i++) {
    for (; drink < series->drinks && series->starts[drink] <= series->times[i]; drink++) {
      if (series->starts[drink] > time) step(&s, series->starts[drink] - time, ka, beta);
      time = series->starts[drink];
      s.gut += series->doses[drink] / at.r;
    }
    if (series->times[i] > time) step(&s, series->times[i] - time, ka, beta);
    time = series->times[i];
    if (residuals) residuals[i] = s.blood - series->values[i];
    if (jacobian) {
      *jacobian++ = s.blood_by_ka * ka;
      *jacobian++ = s.blood_by_beta * beta;
      if (solver->parameters > 2) *jacobian++ = s.blood_by_log_r;
    }
  }
}

static point point_at(const cfit_solver *solver, const gsl_vector *x) {
  return (point){
      .ka = exp(gsl_vector_get(x, 0)),
      .beta = exp(gsl_vector_get(x, 1)),
      .r = solver->parameters > 2 ? exp(gsl_vector_get(x, 2)) : 1};
}

// Follows the curve for both, unless it is the last one.
static void follow(cfit_solver *solver, point at) {
  memory *last = &solver->last;
  if (at.ka == last->at.ka && at.beta == last->at.beta && at.r == last->at.r) return;
  last->at = at;
  walk(solver, at, last->residuals, last->jacobian);
}

static int write_residuals(const gsl_vector *x, void *context, gsl_vector *residuals) {
  cfit_solver *solver = context;
  point at = point_at(solver, x);
  if (solver->follows_once) {
    follow(solver, at);
    memcpy(residuals->data, solver->last.residuals, residuals->size * sizeof(double));
  } else {
    walk(solver, at, residuals->data, NULL);
  }
  return GSL_SUCCESS;
}

static int write_jacobian(const gsl_vector *x, void *context, gsl_matrix *jacobian) {
  cfit_solver *solver = context;
  point at = point_at(solver, x);
  if (solver->follows_once) {
    follow(solver, at);
    memcpy(
        jacobian->data, solver->last.jacobian,
        jacobian->size1 * jacobian->size2 * sizeof(double));
  } else {
    walk(solver, at, NULL, jacobian->data);
  }
  return GSL_SUCCESS;
}

cfit_solver *cfit_alloc(int readings, int parameters, bool follows_once) {
  gsl_set_error_handler_off();
  gsl_multifit_nlinear_parameters method = gsl_multifit_nlinear_default_parameters();
  method.trs = gsl_multifit_nlinear_trs_ddogleg;
  method.solver = gsl_multifit_nlinear_solver_mcholesky;
  method.scale = gsl_multifit_nlinear_scale_more;
  method.factor_up = 3;
  method.factor_down = 2;
  cfit_solver *solver = calloc(1, sizeof *solver);
  if (!solver) return NULL;
  solver->parameters = parameters;
  solver->follows_once = follows_once;
  solver->last.residuals = malloc(readings * sizeof(double));
  solver->last.jacobian = malloc(parameters * readings * sizeof(double));
  solver->workspace =
      gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &method, readings, parameters);
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
    cfit_solver *solver, const cfit_series *series, double gradient_tolerance,
    double *coordinates, double *covariance) {
  gsl_multifit_nlinear_workspace *workspace = solver->workspace;
  gsl_multifit_nlinear_fdf system = {
      .f = write_residuals,
      .df = write_jacobian,
      .n = series->readings,
      .p = solver->parameters,
      .params = solver};
  solver->series = series;
  solver->last.at.ka = NAN;
  gsl_vector_view x = gsl_vector_view_array(coordinates, solver->parameters);
  gsl_multifit_nlinear_init(&x.vector, &system, workspace);
  int info;
  int status = gsl_multifit_nlinear_driver(
      500, 1e-8, gradient_tolerance, 0, NULL, NULL, &info, workspace);
  if (covariance) {
    gsl_matrix_view inverse =
        gsl_matrix_view_array(covariance, solver->parameters, solver->parameters);
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(workspace), 0, &inverse.matrix);
  }
  gsl_vector_memcpy(&x.vector, gsl_multifit_nlinear_position(workspace));
  return status;
}

double cfit_rss(const cfit_solver *solver) {
  const gsl_vector *residuals = gsl_multifit_nlinear_residual(solver->workspace);
  double sum = 0;
  for (size_t i = 0; i < residuals->size; i++) {
    sum += gsl_vector_get(residuals, i) * gsl_vector_get(residuals, i);
  }
  return sum;
}
