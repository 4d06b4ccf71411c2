#ifndef PROMILLE_CFIT_H
#define PROMILLE_CFIT_H

#include <stdbool.h>

// The fit of k_a and beta by GSL in C, as plainly as C is commonly written: the same model, method,
// tolerance and covariance as promille's. Times in h from the first drink on, concentrations in g/kg;
// all times ascend.

typedef struct {
  int readings;
  const double *times, *values;
  int drinks;
  const double *starts;
  // Each dose over (r x body weight), in g per kg of blood.
  const double *doses;
} cfit_series;

typedef struct cfit_solver cfit_solver;

// Memory for series with so many readings; NULL if there is none. The plain way follows the curve for
// residuals and again for derivatives; the other way once for both, as promille does.
cfit_solver *cfit_alloc(int readings, bool follows_once);

void cfit_free(cfit_solver *solver);

// Fits from coordinates ln k_a and ln beta, which it leaves at the minimum; GSL's status. The
// covariance of the coordinates, up to the variance, goes into covariance, row by row.
int cfit_solve(
    cfit_solver *solver, const cfit_series *series, double coordinates[2], double covariance[4]);

#endif
