#ifndef PROMILLE_CFIT_H
#define PROMILLE_CFIT_H

#include <stdbool.h>

// The fit of k_a and beta, or of k_a, beta and r, by GSL in C, as plainly as C is commonly written: the
// same model, method and covariance as promille's. Times in h from the first drink on,
// concentrations in g/kg; all times ascend.

typedef struct {
  int readings;
  const double *times, *values;
  int drinks;
  const double *starts;
  // Each dose over (r x body weight), in g per kg of blood; over the body weight where r is fitted.
  const double *doses;
} cfit_series;

typedef struct cfit_solver cfit_solver;

// Memory for series with so many readings and 2 or 3 parameters; NULL if there is none. The plain way
// follows the curve for residuals and again for derivatives; the other way once for both, as promille
// does.
cfit_solver *cfit_alloc(int readings, int parameters, bool follows_once);

void cfit_free(cfit_solver *solver);

// Fits from coordinates ln k_a, ln beta and, if it is fitted, ln r, which it leaves at the minimum; GSL's
// status. The covariance of the coordinates, up to the variance, goes into covariance, row by row,
// unless NULL. A fit ends when a step is below 1e-8 of the coordinates, as promille's do, or the gradient
// within its tolerance, of which promille's is 0.
int cfit_solve(
    cfit_solver *solver, const cfit_series *series, double gradient_tolerance,
    double *coordinates, double *covariance);

// The sum of squared residuals where the last fit ended.
double cfit_rss(const cfit_solver *solver);

#endif
