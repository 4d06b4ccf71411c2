#ifndef PROMILLE_CGSL_SHIM_H
#define PROMILLE_CGSL_SHIM_H

// The only door to GSL's C headers. Nothing else in the package includes them.

#include <gsl/gsl_version.h>

#if GSL_MAJOR_VERSION < 2 || (GSL_MAJOR_VERSION == 2 && GSL_MINOR_VERSION < 7)
#error "Promille needs GNU GSL 2.7 or newer (Debian: libgsl-dev, Homebrew: gsl)"
#endif

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multifit_nlin.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_qrng.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_lambert.h>
#include <gsl/gsl_sf_psi.h>

// GSL publishes its algorithms as global variables. Swift 6 sees mutable globals there and refuses
// them, so each is read through a function.

static inline const char *cgsl_library_version(void) { return gsl_version; }

static inline const gsl_multifit_nlinear_type *cgsl_nlinear_trust(void) {
  return gsl_multifit_nlinear_trust;
}

static inline const gsl_multifit_nlinear_trs *cgsl_nlinear_trs_lm(void) {
  return gsl_multifit_nlinear_trs_lm;
}
static inline const gsl_multifit_nlinear_trs *cgsl_nlinear_trs_lmaccel(void) {
  return gsl_multifit_nlinear_trs_lmaccel;
}
static inline const gsl_multifit_nlinear_trs *cgsl_nlinear_trs_dogleg(void) {
  return gsl_multifit_nlinear_trs_dogleg;
}
static inline const gsl_multifit_nlinear_trs *cgsl_nlinear_trs_ddogleg(void) {
  return gsl_multifit_nlinear_trs_ddogleg;
}
static inline const gsl_multifit_nlinear_trs *cgsl_nlinear_trs_subspace2D(void) {
  return gsl_multifit_nlinear_trs_subspace2D;
}

static inline const gsl_multifit_nlinear_scale *cgsl_nlinear_scale_more(void) {
  return gsl_multifit_nlinear_scale_more;
}
static inline const gsl_multifit_nlinear_scale *cgsl_nlinear_scale_levenberg(void) {
  return gsl_multifit_nlinear_scale_levenberg;
}
static inline const gsl_multifit_nlinear_scale *cgsl_nlinear_scale_marquardt(void) {
  return gsl_multifit_nlinear_scale_marquardt;
}

static inline const gsl_multifit_nlinear_solver *cgsl_nlinear_solver_qr(void) {
  return gsl_multifit_nlinear_solver_qr;
}
static inline const gsl_multifit_nlinear_solver *cgsl_nlinear_solver_cholesky(void) {
  return gsl_multifit_nlinear_solver_cholesky;
}
static inline const gsl_multifit_nlinear_solver *cgsl_nlinear_solver_mcholesky(void) {
  return gsl_multifit_nlinear_solver_mcholesky;
}
static inline const gsl_multifit_nlinear_solver *cgsl_nlinear_solver_svd(void) {
  return gsl_multifit_nlinear_solver_svd;
}

static inline const gsl_qrng_type *cgsl_qrng_sobol(void) { return gsl_qrng_sobol; }
static inline const gsl_qrng_type *cgsl_qrng_halton(void) { return gsl_qrng_halton; }
static inline const gsl_qrng_type *cgsl_qrng_reversehalton(void) { return gsl_qrng_reversehalton; }
static inline const gsl_qrng_type *cgsl_qrng_niederreiter_2(void) {
  return gsl_qrng_niederreiter_2;
}

static inline const gsl_rng_type *cgsl_rng_mt19937(void) { return gsl_rng_mt19937; }

static inline const gsl_root_fsolver_type *cgsl_root_brent(void) { return gsl_root_fsolver_brent; }

static inline const gsl_min_fminimizer_type *cgsl_min_brent(void) { return gsl_min_fminimizer_brent; }

static inline const gsl_odeiv2_step_type *cgsl_odeiv2_step_rk8pd(void) {
  return gsl_odeiv2_step_rk8pd;
}

#endif
