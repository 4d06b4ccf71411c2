#ifndef PROMILLE_CREFERENCE_H
#define PROMILLE_CREFERENCE_H

#include <stddef.h>

// The same work in C, as plainly and as fast as C is commonly written. Concentrations in g/kg, one a
// minute; k_a in 1/h, beta in g/kg/h.

// Clears n numbers.
void creference_memset(double *row, size_t n);

// The loop of the thesis: every drink is added minute by minute until it is absorbed.
void creference_thesis(
    double *row, size_t n, const size_t *minutes, const double *doses, size_t drinks, double ka,
    double beta);

// One recurrence a minute, no exponential.
void creference_recurrence(
    double *row, size_t n, const size_t *minutes, const double *doses, size_t drinks, double ka,
    double beta);

// Four curves side by side, minute by minute: rows is [minute][4]. All drink at the same minutes;
// doses is [drink][4].
void creference_four(
    double *rows, size_t n, const size_t *minutes, const double *doses, size_t drinks, double ka,
    double beta);

#endif
