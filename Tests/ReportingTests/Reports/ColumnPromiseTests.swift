import AlcoholKinetics
import Foundation
import Statistics
import TestSupport
import Testing

@testable import Certification
@testable import Estimation
@testable import Reporting
@testable import StudyData
@testable import StudyFiles
@testable import Validation

/// The names and order of the columns that programs read. They are a promise: a column may be added,
/// none may go or change its meaning without a new schema version.
@Suite struct ColumnPromiseTests {
  private static let fit =
    fitOutcome + ["r", "r_se", "r_low", "r_high", "r_identifiable"] + fitParameters + fitQuality

  private static let fitOutcome = [
    "subject", "occasion", "status", "reason", "model", "n", "censored", "excluded_by_study",
    "mouth_alcohol", "before_drinking", "below_detection", "repeated_zeros", "r_factor",
  ]

  private static let fitParameters = [
    "ka_per_h", "ka_se", "ka_low", "ka_high", "ka_identifiable",
    "beta_g_per_kg_h", "beta_se", "beta_low", "beta_high", "beta_identifiable",
    "lag_min", "lag_se", "lag_low", "lag_high", "lag_identifiable",
    "gain", "gain_se", "gain_low", "gain_high", "gain_identifiable",
    "vmax_g_per_kg_h", "vmax_se", "vmax_low", "vmax_high", "vmax_identifiable",
    "km_g_per_kg", "km_se", "km_low", "km_high", "km_identifiable",
    "ke_per_h", "ke_se", "ke_low", "ke_high", "ke_identifiable",
  ]

  private static let fitQuality = [
    "error_sd", "error_cv", "error_sd_floor", "correlation_min", "rss", "residual_sd", "objective",
    "deviance", "aicc", "bic",
    "condition", "strongest_correlation", "runs_p", "lag1_autocorrelation", "shapiro_p",
    "largest_cook", "above_dose", "iterations", "starts", "starts_at_best", "rounds", "warnings",
  ]

  private static let starts = [
    "subject", "occasion", "start", "start_r", "start_ka_per_h", "start_beta_g_per_kg_h",
    "start_lag_min", "start_gain", "start_vmax_g_per_kg_h", "start_km_g_per_kg",
    "start_ke_per_h", "end_r",
    "end_ka_per_h", "end_beta_g_per_kg_h", "end_lag_min", "end_gain", "end_vmax_g_per_kg_h",
    "end_km_g_per_kg", "end_ke_per_h", "objective", "iterations", "exit", "found_best",
  ]

  private static let correlations = [
    "subject", "occasion", "parameter_a", "parameter_b", "correlation",
  ]

  private static let residuals = [
    "subject", "occasion", "time_min", "observed_g_per_kg", "limit_g_per_kg",
    "predicted_g_per_kg", "residual_g_per_kg", "sd_g_per_kg", "standardised", "leverage", "cook",
    "excluded", "censored",
  ]

  private static let study = ["test", "series", "value", "low", "high", "expected", "p"]

  private static let pooledResiduals = [
    "axis", "from", "to", "readings", "series", "mean_residual_sd", "low", "high",
  ]

  private static let errorTests = [
    "r_factor", "test", "subjects", "value", "low", "high", "expected", "p",
  ]

  private static let pooledErrors = [
    "r_factor", "axis", "from", "to", "readings", "subjects", "mean_error_g_per_kg", "low", "high",
  ]

  private static let modelEvidence = [
    "model", "series", "parameters", "deviance_fall", "expected_fall", "p", "chosen_by_aicc",
  ]

  private static let models = [
    "subject", "occasion", "model", "status", "reason", "k", "n", "deviance", "aicc", "delta_aicc",
    "weight", "bic", "warnings",
  ]

  private static let parameters = [
    "parameter", "unit", "subjects", "exact", "at_least", "at_most", "between", "unknown", "series",
    "undetermined", "failed", "implausible", "mean", "sd", "typical", "typical_low", "typical_high",
    "log_sd",
    "log_sd_low", "log_sd_high", "cv_pct", "median", "median_at_least", "median_at_most", "min",
    "max",
  ]

  private static let sobriety = [
    "subject", "occasion", "status", "reason", "r_factor", "method", "r", "ka_per_h",
    "beta_g_per_kg_h", "vmax_g_per_kg_h", "km_g_per_kg", "ke_per_h", "lag_min",
    "threshold_g_per_kg", "threshold_from", "sober_predicted_min",
    "sober_predicted_low_min", "sober_predicted_high_min", "agrees", "doubts", "sober_measured_min",
    "sober_first_below_min", "sober_last_above_min", "known", "error_min_least", "error_min_most",
    "error_min",
    "error_pct_of_measured", "error_pct_of_predicted", "interval_error_min",
    "interval_error_pct_of_measured", "interval_error_pct_of_predicted", "error_min_last_above",
    "error_pct_of_measured_last_above", "error_pct_of_predicted_last_above",
    "error_min_first_below", "error_pct_of_measured_first_below",
    "error_pct_of_predicted_first_below",
  ]

  private static let series = [
    "subject", "occasion", "sex", "age_y", "height_cm", "weight_kg", "drinks", "ethanol_g",
    "readings", "excluded", "first_min", "last_min", "max_g_per_kg", "errors", "warnings",
  ]

  private static let findings = [
    "severity", "code", "file", "line", "column", "message", "remedy",
  ]

  private static let estimates = [
    "subject", "sex", "age_y", "height_cm", "weight_kg", "ethanol_g", "c0_g_per_kg",
    "beta60_g_per_kg_h", "c0_breath_mg_per_l", "r_observed", "errors", "warnings",
  ]

  private static let lines = [
    "subject", "occasion", "status", "reason", "n", "limb_from_min", "limb_to_min",
    "beta60_g_per_kg_h", "beta_se", "beta_low", "beta_high", "c0_g_per_kg", "c0_se", "c0_low",
    "c0_high", "r_observed", "r_low", "r_high", "residual_sd", "r_squared", "warnings",
  ]

  private static let comparisons = [
    "subject", "occasion", "status", "reason", "r_factor", "method", "r", "ka_per_h",
    "beta_g_per_kg_h", "vmax_g_per_kg_h", "km_g_per_kg", "ke_per_h", "lag_min",
    "dose_g_per_kg", "peak_predicted_g_per_kg", "peak_predicted_min", "peak_measured_g_per_kg",
    "peak_measured_min", "n", "left_out", "excluded_by_study", "mouth_alcohol",
    "before_drinking", "below_detection", "repeated_zeros", "above_dose", "bias_g_per_kg",
    "mae_g_per_kg", "rmse_g_per_kg",
    "peak_error_g_per_kg", "auc_predicted_g_h_per_kg", "auc_measured_g_h_per_kg", "auc_error_pct",
    "sober_status", "sober_predicted_min", "sober_predicted_low_min", "sober_predicted_high_min",
    "agrees", "doubts", "sober_measured_min", "sober_first_below_min", "sober_last_above_min",
    "sober_threshold_g_per_kg", "sober_known", "error_min_least", "error_min_most", "error_min",
    "error_pct_of_measured", "error_pct_of_predicted", "interval_error_min",
    "interval_error_pct_of_measured", "interval_error_pct_of_predicted", "warnings",
  ]

  private static let methods = [
    "quantity", "unit", "sex", "r_factor", "method", "ranked", "subjects", "n", "interval", "bias",
    "bias_low", "bias_high", "mae", "mae_low", "mae_high", "rmse", "rmse_low", "rmse_high",
    "median", "loa_low",
    "loa_high", "between", "at_least", "at_most", "unknown", "bias_least", "bias_most", "mae_least",
    "mae_most", "rmse_least", "rmse_most", "median_least", "median_most",
  ]

  private static let pairs = [
    "quantity", "unit", "sex", "r_factor_a", "r_factor_b", "method_a", "method_b", "subjects",
    "mae_difference",
    "mae_difference_least", "mae_difference_most", "interval", "difference_low", "difference_high",
    "detectable", "wilcoxon_p", "holm_p", "least_holm_p", "left_out_difference", "least_difference",
    "largest_difference", "worst_holm_p", "verdict", "better",
  ]

  private static let rankings = [
    "quantity", "sex", "subjects", "subjects_with_errors", "undefined", "mean_ranks",
    "friedman_chi2", "df", "friedman_p",
  ]

  private static let sobrietyErrors =
    [
      "sex", "r_factor", "method", "ranked", "people", "series", "between", "at_least", "at_most",
    ]
    + ["bias_pct", "bias_pct_of_predicted", "bias_min", "mae_min", "mae_pct"].flatMap {
      [$0, "\($0)_low", "\($0)_high"]
    } + [
      "sd_pct", "within_10_pct", "within_20_pct", "within_30_pct", "median_pct",
      "log_likelihood_ratio", "log_likelihood_difference", "minutes_from", "left_to_assumption",
      "unknown", "predicted_never_above", "measured_never_above", "agreed_never_above",
      "predicted_later",
      "median_abs_error_least", "median_abs_error_most", "bias_min_least", "bias_min_most",
      "bias_min_least_low", "bias_min_most_high", "mae_min_least", "mae_min_most",
      "mae_min_least_low", "mae_min_most_high", "interval_level_pct", "interval_series",
      "interval_held", "interval_held_least", "interval_held_most", "interval_width_min",
      "interval_score_min",
    ]

  private static let rComparisons = [
    "subject", "sex", "status", "reason", "r_factor", "r_observed", "r_method", "r_error",
  ]

  private static let rSummary = [
    "r_factor", "sex", "n", "r_bias", "r_bias_low", "r_bias_high", "r_rmse", "r_rmse_low",
    "r_rmse_high", "r_mae", "r_mae_low", "r_mae_high", "r_median", "r_loa_low", "r_loa_high",
  ]

  private static let ratio = ["n", "mean", "sd", "median", "low", "high", "min", "max"]

  private static let drifts = [
    "file", "drift", "row", "column", "old", "new", "difference", "tolerance",
  ]

  private static let results = [
    "file", "command", "status", "reason", "rows", "values", "drifts",
  ]

  private static let certification = [
    "problem", "difficulty", "start", "lre_min", "lre_sd_min", "lre_rss", "iterations", "method",
    "status",
  ]

  private static let engines = [
    "study", "series", "missed", "higher", "lower", "largest_rise", "ends", "narrower", "wider",
    "largest_distance", "verdicts_apart", "status",
  ]

  private static let averages = [
    "difficulty", "n", "solved", "lre_min", "lre_min_lowest", "lre_sd_min", "lre_rss",
  ]

  private static let curves = [
    "subject", "occasion", "curve", "time_min", "concentration_g_per_kg", "low_g_per_kg",
    "high_g_per_kg",
  ]

  private static let benchmark = [
    "work", "unit", "per_s", "reference", "reference_per_s", "ratio",
    "target_ratio", "target_per_s", "met",
  ]

  private static let machine = [
    "cpu", "cores", "architecture", "lanes_at_once", "system", "compiler", "build",
  ]

  private static let covariances = [
    "subject", "occasion", "parameter_a", "parameter_b", "unit_a", "unit_b", "covariance",
  ]

  private static let derived = [
    "subject", "occasion", "quantity", "unit", "threshold_g_per_kg", "value", "se", "low", "high",
  ]

  private static let fitsDerived = [
    "r_rse_pct",
    "ka_rse_pct",
    "beta_rse_pct",
    "lag_rse_pct",
    "gain_rse_pct",
    "vmax_rse_pct",
    "km_rse_pct",
    "ke_rse_pct",
    "time_to_zero_min",
    "time_to_zero_se",
    "time_to_zero_low",
    "time_to_zero_high",
    "threshold_g_per_kg",
    "time_to_threshold_min",
    "time_to_threshold_se",
    "time_to_threshold_low",
    "time_to_threshold_high",
    "peak_g_per_kg",
    "peak_se",
    "peak_low",
    "peak_high",
    "time_of_peak_min",
    "time_of_peak_se",
    "time_of_peak_low",
    "time_of_peak_high",
    "c0_g_per_kg",
    "c0_se",
    "c0_low",
    "c0_high",
    "beta60_g_per_kg_h",
    "beta60_se",
    "beta60_low",
    "beta60_high",
    "auc_g_h_per_kg",
    "auc_se",
    "auc_low",
    "auc_high",
    "absorption_half_life_min",
    "absorption_half_life_se",
    "absorption_half_life_low",
    "absorption_half_life_high",
  ]

  // MARK: Populations

  private static let population = [
    "r_factor", "model", "method", "people", "series", "readings", "quantified",
    "excluded_by_study", "mouth_alcohol", "before_drinking", "below_detection", "repeated_zeros",
    "left_out_series", "left_out_readings", "estimated", "ofv",
    "minus_two_log_likelihood", "difference", "aic", "bic", "vuong_z", "vuong_p", "first_pct",
    "standing", "r_spread", "epsilon_shrinkage_pct", "condition", "iterations", "starts",
    "starts_at_best", "status", "warnings",
  ]

  private static let populationStarts = [
    "r_factor", "origin", "ofv", "is_converged", "found_best",
  ]

  private static let typical = [
    "r_factor", "parameter", "unit", "value", "is_fixed", "rse_pct", "low", "high", "df",
    "robust_rse_pct",
  ]

  private static let between = [
    "r_factor", "parameter", "other", "covariance", "correlation", "cv_pct", "se", "low",
    "high", "robust_se", "eta_shrinkage_pct",
  ]

  private static let within = [
    "r_factor", "parameter", "other", "covariance", "correlation", "se", "low", "high",
  ]

  private static let covariateEffects = [
    "r_factor", "parameter", "covariate", "form", "center", "coefficient", "se", "low", "high",
  ]

  private static let leftOutReadings = [
    "r_factor", "subject", "occasion", "time_min", "value", "unit", "use",
  ]

  private static let covariateSearch = [
    "round", "phase", "parameter", "covariate", "form", "fall", "p", "is_taken",
  ]

  private static let likelihoodRatio = ["against", "fall", "df", "variances", "p", "effects"]

  private static let residualErrors = [
    "r_factor", "error", "value", "rse_pct",
  ]

  private static let individuals = [
    "r_factor", "subject", "parameter", "unit", "value", "eta", "eta_se", "contribution",
  ]

  private static let leftOut = [
    "r_factor", "subject", "occasion", "readings", "reason",
  ]

  private static let standardNormal = [
    "r_factor", "residual", "readings", "mean", "mean_p", "variance", "variance_p", "shapiro_w",
    "shapiro_p",
  ]

  private static let etaCovariates = [
    "r_factor", "parameter", "covariate", "people", "correlation", "low", "high",
  ]

  private static let vpc = [
    "r_factor", "kind", "from_min", "to_min", "time_min", "readings", "percentile", "unit",
    "observed", "low", "median", "high", "inside",
  ]

  private static let predictions = [
    "r_factor", "subject", "occasion", "time_min", "since_first_drink_min", "observed_g_per_kg",
    "limit_g_per_kg", "below_detection", "population_g_per_kg", "individual_g_per_kg", "iwres",
    "cwres", "npde", "prediction_corrected_g_per_kg", "variability_corrected_g_per_kg",
  ]

  // MARK: Priors and forecasts

  private static let forecasts = [
    "subject", "occasion", "readings", "last_reading_min", "threshold_g_per_kg", "median_min",
    "median_se_min",
    "low_50_min", "high_50_min", "low_80_min", "high_80_min", "low_90_min", "high_90_min",
    "low_95_min", "high_95_min", "not_before_min", "not_before_se_min", "at_min",
    "probability_below",
    "next_reading_min", "next_reading_gain_pct", "draws", "effective_sample_size", "pareto_k",
  ]

  private static let designs = [
    "design", "times_min", "efficiency_pct", "quantity", "unit", "value", "standard_error",
    "rse_pct", "low", "high", "width", "undetermined_pct", "simulated_to_expected",
  ]

  private static let designTimes = [
    "design", "time_min", "predicted_g_per_kg",
  ]

  private static let peopleNeeded = [
    "quantity", "goal_pct", "people", "people_low", "people_high",
  ]

  private static let peopleTried = [
    "quantity", "people", "result_pct", "error_pct",
  ]

  private static let forecastCurve = [
    "subject", "occasion", "time_min", "median_g_per_kg", "low_50_g_per_kg", "high_50_g_per_kg",
    "low_80_g_per_kg", "high_80_g_per_kg", "low_90_g_per_kg", "high_90_g_per_kg", "low_95_g_per_kg",
    "high_95_g_per_kg", "reading_low_90_g_per_kg", "reading_high_90_g_per_kg",
  ]

  private static let skill = [
    "quantity", "stage", "method", "n", "subjects", "crps", "mae", "rmse", "mdpe_pct", "mdape_pct",
    "log_score", "coverage_50_pct", "coverage_80_pct", "coverage_90_pct", "coverage_95_pct",
    "mean_rank",
  ]

  private static let forecastTimes = [
    "subject", "occasion", "origin_readings", "origin_after_peak", "origin_min", "method",
    "median_min", "low_50_min", "high_50_min", "low_80_min", "high_80_min", "low_90_min",
    "high_90_min", "low_95_min", "high_95_min", "truth_from_min", "truth_to_min", "truth_min",
    "error_min", "crps_min", "covered_50", "covered_80", "covered_90", "covered_95", "pit",
  ]

  private static let forecastReadings = [
    "subject", "occasion", "origin_readings", "origin_after_peak", "origin_min", "method",
    "time_min", "horizon_min", "observed_g_per_kg", "censored", "median_g_per_kg",
    "low_50_g_per_kg", "high_50_g_per_kg", "low_80_g_per_kg", "high_80_g_per_kg", "low_90_g_per_kg",
    "high_90_g_per_kg", "low_95_g_per_kg", "high_95_g_per_kg", "error_g_per_kg", "crps_g_per_kg",
    "log_score", "covered_50", "covered_80", "covered_90", "covered_95", "pit",
  ]

  private static let posterior = [
    "subject", "occasion", "parameter", "unit", "value", "low", "high", "sd_over_prior_sd",
    "verdict",
  ]

  private static let fitsPrior = [
    "r_sd_over_prior_sd", "ka_sd_over_prior_sd", "beta_sd_over_prior_sd", "lag_sd_over_prior_sd",
    "gain_sd_over_prior_sd", "vmax_sd_over_prior_sd", "km_sd_over_prior_sd", "ke_sd_over_prior_sd",
  ]

  private static let betweenStudies = [
    "r_factor", "parameter", "variance", "se", "low", "high",
  ]

  /// Of `case`.
  private static let ofCases = [
    "answers": [
      "question", "mode", "quantity", "limit", "unit", "likeliest", "low", "high", "low_se",
      "high_se",
      "level", "likeliest_clock", "low_clock", "high_clock", "median", "mean", "sd", "draws",
      "measured_pairs", "measured_held", "measured_below", "measured_above", "elapsed_h",
    ],
    "case_limits": ["limit", "unit", "verdict", "likeliest_above", "chance_above", "chance_se"],
    "quantiles": ["quantity", "limit", "unit", "probability", "value", "se"],
    "sensitivities": ["input", "first", "first_se", "total", "total_se"],
    "case_inputs": ["input", "unit", "likeliest", "low", "high", "distribution", "source"],
    "case_warnings": ["code", "message"],
    "band": ["time_h", "clock", "unit", "likeliest", "low", "high"],
  ]

  /// Every table by its name, which is its key in JSON.
  static let tables = [
    "designs": designs, "design_times": designTimes, "people_needed": peopleNeeded,
    "people_tried": peopleTried,
    "forecasts": forecasts, "forecast_curve": forecastCurve, "skill": skill,
    "forecast_times": forecastTimes, "forecast_readings": forecastReadings, "posterior": posterior,
    "fits_prior": fitsPrior, "studies": betweenStudies,
    "population": population, "typical": typical, "between": between, "within": within,
    "covariates": covariateEffects, "residual": residualErrors, "individuals": individuals,
    "estimate_covariance": ["r_factor", "estimate", "other", "covariance", "correlation"],
    "population_starts": populationStarts, "left_out": leftOut,
    "left_out_readings": leftOutReadings, "covariate_search": covariateSearch,
    "full_model": covariateEffects, "likelihood_ratio": likelihoodRatio,
    "standard_normal": standardNormal, "eta_covariates": etaCovariates, "vpc": vpc,
    "predictions": predictions,
    "fits": fit, "starts": starts, "correlations": correlations, "residuals": residuals,
    "covariances": covariances, "derived": derived, "fits_derived": fitsDerived,
    "study": study, "pooled_residuals": pooledResiduals, "model_evidence": modelEvidence,
    "error_tests": errorTests, "pooled_errors": pooledErrors,
    "models": models, "parameters": parameters, "times": sobriety, "series": series,
    "findings": findings,
    "estimates": estimates, "lines": lines, "comparisons": comparisons, "methods": methods,
    "pairs": pairs, "rankings": rankings, "sobriety": sobrietyErrors,
    "r_comparisons": rComparisons, "r_summary": rSummary,
    "blood_breath_ratio": ratio, "drifts": drifts, "results": results,
    "certification": certification, "averages": averages, "engines": engines, "curves": curves,
    "benchmark": benchmark, "machine": machine,
    "drinks": ["id", "name", "type", "volumes_ml", "abv_percent", "ethanol_g"],
    "taken_as": ["file", "column", "taken_as", "note"],
  ].merging(ofCases) { $1 }

  private let bootstrap = Bootstrap(seed: 1, replicates: 100)

  private func header(_ report: Report) throws -> [String] {
    try #require(try CSVText.records(report.rendered(as: .csv)).first)
  }

  /// The keys of the first row of each table in JSON, and nothing for what is no table or empty.
  private func keys(_ report: Report) throws -> [String: Set<String>] {
    let text = report.rendered(as: .json)
    // That the sample's command is none is all that may be wrong.
    let problems = try SchemaChecker().problems(with: text)
    #expect(problems.map { $0.prefix { $0 != " " } } == ["/provenance/command"], "\(problems)")
    let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let document = try #require(json as? [String: Any])
    return document.mapValues { Set(($0 as? [[String: Any]])?.first?.keys.map(\.self) ?? []) }
  }

  /// The keys of a document with these tables.
  private func document(_ tables: [String: [String]]) -> [String: Set<String>] {
    tables.mapValues { Set($0) }.merging(["schema_version": [], "provenance": []]) { $1 }
  }

  // MARK: - One series a row

  @Test func ofFits() throws {
    let report = Report.fit(
      KnownFit.study([.success(KnownFit.fit())]), options: FitOptions(),
      provenance: Sample.provenance)
    #expect(try header(report) == Self.fit)
    // A single series says nothing of a study.
    let tables = [
      "fits": Self.fit, "starts": Self.starts, "correlations": Self.correlations, "study": [],
      "pooled_residuals": [], "covariances": [], "derived": [], "posterior": [],
    ]
    #expect(try keys(report) == document(tables))
  }

  @Test func ofResiduals() throws {
    #expect(try CSVText.records(Report.residuals(of: []).csv) == [Self.residuals])
  }

  @Test func ofCurves() throws {
    let curves = Report.curves(of: try SmallEvaluation.evaluation([]))
    #expect(try CSVText.records(curves.csv) == [Self.curves])
  }

  @Test func ofSummariesOfFits() throws {
    let report = Report.fitSummary(
      KnownFit.study([.success(KnownFit.fit())]), options: FitOptions(),
      provenance: Sample.provenance)
    #expect(try header(report) == Self.parameters)
    #expect(
      try keys(report)
        == document(["parameters": Self.parameters, "study": [], "pooled_residuals": []]))
  }

  @Test func ofModels() throws {
    let results = ModelCandidate.all.map { _ in
      Result<SeriesFit, SeriesFailure>.success(KnownFit.fit())
    }
    let report = Report.models(
      [ModelSelection(Sample.series(), results)], provenance: Sample.provenance)
    #expect(try header(report) == Self.models)
    #expect(try keys(report) == document(["models": Self.models, "model_evidence": []]))
  }

  @Test func ofEliminationLines() throws {
    let fit = EliminationLineFit(series: Sample.series(), result: .failure(.limbNotFalling))
    let report = Report.eliminationLine(
      [fit], options: EliminationLineOptions(), provenance: Sample.provenance)
    #expect(try header(report) == Self.lines)
    #expect(try keys(report) == document(["lines": Self.lines]))
  }

  @Test func ofSobriety() throws {
    let report = Report.sobriety(
      [], options: PredictionOptions(), provenance: Sample.provenance)
    #expect(try header(report) == Self.sobriety)
    #expect(try keys(report) == document(["times": []]))
  }

  @Test func ofChecks() throws {
    let study = Sample.study([Sample.series(diagnostics: [Sample.finding])])
    let report = Report.check(study, provenance: Sample.provenance)
    #expect(try header(report) == Self.series)
    #expect(
      try keys(report)
        == document(["series": Self.series, "findings": Self.findings, "taken_as": []]))
    let error = StudyError(kind: .badData, diagnostics: [Sample.finding])
    let unreadable = Report.check(error, provenance: Sample.provenance)
    #expect(try header(unreadable) == Self.findings)
    #expect(try keys(unreadable) == document(["findings": Self.findings]))
  }

  @Test func ofChecksOfEstimates() throws {
    let subject = SubjectEstimate(subject: Sample.man, diagnostics: [Sample.finding])
    let report = Report.check(
      EstimateStudy(name: "study", subjects: [subject]), provenance: Sample.provenance)
    #expect(try header(report) == Self.estimates)
    #expect(try keys(report) == document(["estimates": Self.estimates, "findings": Self.findings]))
  }

  @Test func ofRegression() throws {
    let result = GoldenResult(
      file: "a.csv", command: ["fit"], location: SourceLocation(file: "manifest.json"),
      key: ["subject"], columns: nil, truth: nil, rules: [])
    let comparison = TableComparison(
      of: nil, with: ResultTable(columns: ["subject"], rows: [["1"]]), key: ["subject"], rules: [])
    let report = Report.regression(
      [GoldenOutcome(result, .compared(comparison)), GoldenOutcome(result, .absent("not free"))],
      provenance: Sample.provenance)
    #expect(try header(report) == Self.drifts)
    #expect(try keys(report) == document(["drifts": Self.drifts, "results": Self.results]))
  }

  @Test func ofCertifications() throws {
    let report = Report.certification(try NISTCertification(), provenance: Sample.provenance)
    #expect(try header(report) == Self.certification)
    let tables = ["certification": Self.certification, "averages": Self.averages]
    #expect(try keys(report) == document(tables))
  }

  // MARK: - Comparisons

  @Test func ofComparisons() throws {
    let report = Report.comparison(
      try KnownCurve.comparisons(), options: PredictionOptions(),
      provenance: Sample.provenance)
    #expect(try header(report) == Self.comparisons)
    // One person says nothing of people.
    #expect(
      try keys(report)
        == document(["comparisons": Self.comparisons, "error_tests": [], "pooled_errors": []]))
  }

  @Test(arguments: [false, true])
  func ofSummaries(pairsFirst: Bool) throws {
    let comparisons = try KnownCurve.comparisons(
      (1...6).map { index in
        KnownCurve.series("\(index)", readings: [1.25, 0.5, 0.25 + 0.01 * Double(index), 0])
      },
      by: [0.5, 0.6, 0.7].map { GivenRFactor($0) })
    let report = Report.comparisonSummary(
      ComparisonSummary(of: comparisons, bootstrap: bootstrap), options: PredictionOptions(),
      level: bootstrap.level, pairsFirst: pairsFirst, provenance: Sample.provenance)
    #expect(try header(report) == (pairsFirst ? Self.pairs : Self.methods))
    let tables = [
      "methods": Self.methods, "rankings": Self.rankings, "pairs": Self.pairs,
      "sobriety": Self.sobrietyErrors, "error_tests": Self.errorTests,
      "pooled_errors": Self.pooledErrors,
    ]
    #expect(try keys(report) == document(tables))
  }

  @Test func ofComparisonsOfEstimates() throws {
    let comparisons = RComparison.comparisons(of: Self.estimateStudy, by: [Widmark()])
    let report = Report.rComparison(
      comparisons,
      summaries: RComparisonSummary.summaries(of: comparisons, bootstrap: bootstrap),
      ratio: Statistics.Sample(BloodBreathRatio.ratios(of: Self.estimateStudy).map(\.value)),
      by: [Widmark()], bootstrap: bootstrap, provenance: Sample.provenance)
    #expect(try header(report) == Self.rComparisons)
    let tables = [
      "r_comparisons": Self.rComparisons, "r_summary": Self.rSummary,
      "blood_breath_ratio": Self.ratio,
    ]
    #expect(try keys(report) == document(tables))
  }

  @Test(arguments: [false, true])
  func ofSummariesOfEstimates(pairsFirst: Bool) throws {
    let methods: [any RFactorMethod] = [Widmark(), GivenRFactor(0.6), GivenRFactor(0.7)]
    let report = Report.rSummary(
      of: RComparison.comparisons(of: Self.estimateStudy, by: methods), bySex: false,
      ratio: Statistics.Sample(BloodBreathRatio.ratios(of: Self.estimateStudy).map(\.value)),
      by: methods,
      pairsFirst: pairsFirst, bootstrap: bootstrap, provenance: Sample.provenance)
    #expect(try header(report) == (pairsFirst ? Self.pairs : Self.rSummary))
    let tables = [
      "r_summary": Self.rSummary, "rankings": Self.rankings, "pairs": Self.pairs,
      "blood_breath_ratio": Self.ratio,
    ]
    #expect(try keys(report) == document(tables))
  }

  private static let estimateStudy = EstimateStudy(
    name: "study",
    subjects: ["man", "other"].map { name in
      SubjectEstimate(
        subject: Subject(id: name, sex: .male, age: 30, height: 1.8, weight: 80), ethanol: 64,
        c0: 1.25, c0BreathMgPerL: 0.5)
    })

  // MARK: - Names

  @Test func namesAreSnakeCase() {
    for name in Self.tables.values.joined() {
      #expect(name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil, "\(name)")
    }
  }
}
