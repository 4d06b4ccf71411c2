#include "creference.h"

#include <math.h>
#include <string.h>

void creference_memset(double *row, size_t n) { memset(row, 0, n * sizeof *row); }

void creference_thesis(
    double *row, size_t n, const size_t *minutes, const double *doses, size_t drinks, double ka,
    double beta) {
  memset(row, 0, n * sizeof *row);
  for (size_t drink = 0; drink < drinks; drink++) {
    for (size_t minute = minutes[drink] + 1; minute < n; minute++) {
      double elapsed = (double)(minute - minutes[drink]);
      double before = exp(-ka * (elapsed - 1) / 60);
      double after = exp(-ka * elapsed / 60);
      row[minute] += doses[drink] * (before - after);
      if (1 - after == 1) break;
    }
  }
  double blood = 0;
  for (size_t minute = 0; minute < n; minute++) {
    blood = blood + row[minute] - beta / 60;
    if (blood < 0) blood = 0;
    row[minute] = blood;
  }
}

void creference_recurrence(
    double *row, size_t n, const size_t *minutes, const double *doses, size_t drinks, double ka,
    double beta) {
  const double kept = exp(-ka / 60), gone = 1 - kept, eliminated = beta / 60;
  double blood = 0, gut = 0;
  size_t minute = 0;
  for (size_t drink = 0; drink <= drinks; drink++) {
    // The value at a drink's minute comes from before the drink.
    size_t end = drink < drinks && minutes[drink] + 1 < n ? minutes[drink] + 1 : n;
    for (; minute < end; minute++) {
      blood = blood + (gut * gone - eliminated);
      blood = blood > 0 ? blood : 0;
      gut *= kept;
      row[minute] = blood;
    }
    if (drink < drinks) gut += doses[drink];
  }
}

typedef double four __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));

void creference_four(
    double *rows, size_t n, const size_t *minutes, const double *doses, size_t drinks, double ka,
    double beta) {
  const double kept = exp(-ka / 60), gone = 1 - kept, eliminated = beta / 60;
  four blood = {0}, gut = {0};
  size_t minute = 0;
  for (size_t drink = 0; drink <= drinks; drink++) {
    size_t end = drink < drinks && minutes[drink] + 1 < n ? minutes[drink] + 1 : n;
    for (; minute < end; minute++) {
      blood = blood + (gut * gone - eliminated);
      blood = (four)((mask)blood & (blood > 0));
      gut *= kept;
      memcpy(rows + 4 * minute, &blood, sizeof blood);
    }
    if (drink < drinks) {
      four dose;
      memcpy(&dose, doses + 4 * drink, sizeof dose);
      gut += dose;
    }
  }
}
