public import AlcoholKinetics
public import StudyData

/// Why a series could not be evaluated.
public enum SeriesFailure: Error, Codable, Hashable, Sendable {
  /// The series' data have an error. Indirect: a finding is five times as large as the other failures, and every result
  /// has room for a failure.
  indirect case badData(Diagnostic)
  /// No r factor, as the method says.
  case rFactor(RFactorError)
  /// The model cannot be built from the series.
  case kinetics(KineticsError)
  /// There are fewer usable readings than parameters.
  case tooFewReadings(found: Int, needed: Int)
  /// No reading is above zero, so that nothing can be learnt from them.
  case nothingMeasured
  /// The search did not even begin: the model could be evaluated at no start.
  case notConverged(DescentExit)
  /// The model predicts nothing at any reading, so that nothing can be learnt from them.
  case nothingPredicted
  /// No other subject's fit could be had.
  case noOtherFit
  /// The observed r needs columns of `estimates.csv` that are not known for the subject.
  case estimateMissing(columns: [String])
  /// A curve from outside has no values for the series.
  case curveMissing
  /// A model gives times to other thresholds than the one that is used.
  case otherThreshold(threshold: GramsPerKilogram)
  /// The curve never falls to the threshold, as only that of Widmark's model does to 0.
  case neverSober(threshold: GramsPerKilogram)
  /// A curve would have more points than are ever made.
  case curveTooLong(most: Int)
  /// The elimination limb has readings at too few different times for a line.
  case limbTooShort(found: Int, needed: Int)
  /// The readings of the elimination limb do not fall.
  case limbNotFalling
  /// The error of the instrument is to be used, and the study does not state it.
  case instrumentErrorMissing
  /// The solver could not be run; what it said.
  case solver(String)
  /// The task that asked for it was cancelled.
  case cancelled
  /// The options ask for something that cannot be done.
  case badOptions(String)

  /// The stable code of the failure.
  public var code: String {
    switch self {
    case .badData(let diagnostic): diagnostic.code.rawValue
    case .rFactor(let error): error.code
    case .kinetics(let error): error.code
    case .tooFewReadings: "E_TOO_FEW_READINGS"
    case .nothingMeasured: "E_NOTHING_MEASURED"
    case .notConverged: "E_NOT_CONVERGED"
    case .nothingPredicted: "E_NOTHING_PREDICTED"
    case .noOtherFit: "E_NO_OTHER_FIT"
    case .estimateMissing: "E_MEASURE_MISSING"
    case .curveMissing, .otherThreshold: "E_CURVE_MISSING"
    case .neverSober: "E_NEVER_SOBER"
    case .curveTooLong: "E_CURVE_TOO_LONG"
    case .limbTooShort: "E_LIMB_TOO_SHORT"
    case .limbNotFalling: "E_LIMB_NOT_FALLING"
    case .instrumentErrorMissing: "E_INSTRUMENT_ERROR_MISSING"
    case .solver: "E_SOLVER"
    case .cancelled: "E_CANCELLED"
    case .badOptions: "E_OPTION"
    }
  }
}

extension SeriesFailure {
  /// True if the failure is not about the data, so that other starts would fail as well.
  var endsFit: Bool {
    switch self {
    case .solver, .cancelled: true
    default: false
    }
  }
}

extension SeriesFailure: CustomStringConvertible {
  /// The message: the problem and its remedy.
  public var description: String {
    switch self {
    case .badData(let diagnostic):
      "\(diagnostic.message) (\(diagnostic.location))"
    case .rFactor(let error):
      error.description
    case .kinetics(let error):
      error.description
    case .tooFewReadings(let count, let needed):
      "usable readings: \(count), parameters: \(needed); estimate fewer parameters or measure more often"
    case .nothingMeasured:
      "every reading is zero; there is no curve to fit"
    case .notConverged(let exit):
      "no start reached a minimum (\(exit.rawValue)); try more starts or fewer parameters"
    case .nothingPredicted:
      "the model predicts no alcohol at any reading; check the dose, r, the unit of times, and "
        + "that readings follow the first drink"
    case .noOtherFit:
      "no other subject could be fitted, so there are no parameters for a left-out prediction; add "
        + "subjects, or give the parameters"
    case .estimateMissing(let columns):
      "the observed r needs \(columns.joined(separator: ", ")); add it or leave the subject out"
    case .curveMissing:
      "the given predictions have no values for this series; add them or leave the series out"
    case .otherThreshold(let threshold):
      "the given predictions have no time to \(threshold); score them with --threshold, or add the time"
    case .neverSober(let threshold):
      "the predicted curve never falls to \(threshold) (only curves of Widmark's model reach 0); "
        + "choose a higher threshold"
    case .curveTooLong(let most):
      "the curve would have more than \(most) points; take longer steps, an earlier end or a larger "
        + "beta"
    case .limbTooShort(let count, let needed):
      "too few reading times on the elimination limb: \(count) found, \(needed) needed; "
        + "measure longer, or let the limb begin earlier or end lower"
    case .limbNotFalling:
      "the readings of the elimination limb do not fall; check times, drinks and unit"
    case .instrumentErrorMissing:
      "the study states neither resolution nor relative accuracy of its instrument; add them "
        + "or choose another error model"
    case .solver(let message):
      message
    case .cancelled:
      "the fit was cancelled before it ended; run it again"
    case .badOptions(let problem):
      problem
    }
  }
}

/// Every way out of a descent.
///
/// The raw value is stable and fit for files.
public enum DescentExit: String, CaseIterable, Codable, Hashable, Sendable {
  /// Converged: the last step changed no parameter by more than the step tolerance.
  case smallStep = "small_step"
  /// Converged: the gradient is within its tolerance.
  case smallGradient = "small_gradient"
  /// Converged: no step can do better, only rounding is left.
  case roundingLimit = "rounding_limit"
  /// No step does better, though one should.
  case noProgress = "no_progress"
  /// The allowed number of iterations is used up.
  case iterationLimit = "iteration_limit"
  /// The model cannot be evaluated where it must be.
  case evaluationFailed = "evaluation_failed"
  /// The linear system of a step could not be solved.
  case linearSolverFailed = "linear_solver_failed"

  /// Whether it ended in a local minimum, as far as can be told.
  public var isConverged: Bool {
    switch self {
    case .smallStep, .smallGradient, .roundingLimit: true
    case .noProgress, .iterationLimit, .evaluationFailed, .linearSolverFailed: false
    }
  }
}
