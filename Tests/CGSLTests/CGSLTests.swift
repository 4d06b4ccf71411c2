import CGSL
import Testing

@Suite("The C module of GSL's headers")
struct CGSLTests {
  @Test("Headers and library are one version, 2.7 or newer")
  func libraryVersionMatchesHeaders() {
    #expect(GSL_MAJOR_VERSION > 2 || (GSL_MAJOR_VERSION == 2 && GSL_MINOR_VERSION >= 7))
    #expect(String(cString: cgsl_library_version()) == GSL_VERSION)
  }

  @Test func trustRegionMethodsHaveTheirNames() {
    #expect(String(cString: cgsl_nlinear_trust().pointee.name) == "trust-region")
    let methods = [
      cgsl_nlinear_trs_lm(), cgsl_nlinear_trs_lmaccel(), cgsl_nlinear_trs_dogleg(),
      cgsl_nlinear_trs_ddogleg(), cgsl_nlinear_trs_subspace2D(),
    ]
    #expect(
      methods.compactMap { $0.map { String(cString: $0.pointee.name) } } == [
        "levenberg-marquardt", "levenberg-marquardt+accel", "dogleg", "double-dogleg",
        "2D-subspace",
      ])
  }

  @Test func scalingsHaveTheirNames() {
    let scalings = [
      cgsl_nlinear_scale_more(), cgsl_nlinear_scale_levenberg(), cgsl_nlinear_scale_marquardt(),
    ]
    #expect(
      scalings.compactMap { $0.map { String(cString: $0.pointee.name) } } == [
        "more", "levenberg", "marquardt",
      ])
  }

  @Test func linearSolversHaveTheirNames() {
    let solvers = [
      cgsl_nlinear_solver_qr(), cgsl_nlinear_solver_cholesky(), cgsl_nlinear_solver_mcholesky(),
      cgsl_nlinear_solver_svd(),
    ]
    #expect(
      solvers.compactMap { $0.map { String(cString: $0.pointee.name) } } == [
        "qr", "cholesky", "mcholesky", "svd",
      ])
  }

  @Test func quasiRandomGeneratorsHaveTheirNames() {
    let generators = [
      cgsl_qrng_sobol(), cgsl_qrng_halton(), cgsl_qrng_reversehalton(), cgsl_qrng_niederreiter_2(),
    ]
    #expect(
      generators.compactMap { $0.map { String(cString: $0.pointee.name) } } == [
        "sobol", "halton", "reversehalton", "niederreiter-base-2",
      ])
  }

  @Test func stepperIsRK8PD() {
    #expect(String(cString: cgsl_odeiv2_step_rk8pd().pointee.name) == "rk8pd")
  }
}
