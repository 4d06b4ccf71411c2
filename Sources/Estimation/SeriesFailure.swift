public import AlcoholKinetics
public import StudyData

/// The reason why a series could not be evaluated.
public enum SeriesFailure: Error, Codable, Hashable, Sendable {
  /// The data of the series have an error. Indirect, since a diagnostic is five times as large as the other failures, and
  /// every result reserves space for a failure.
  indirect case badData(Diagnostic)
  /// The r factor cannot be computed for the subject, or the model cannot be built from the series.
  case problem(Problem)
  /// There are fewer usable readings than parameters.
  case tooFewReadings(found: Int, needed: Int)
  /// No reading is above zero, so that parameters are not determined.
  case nothingMeasured
  /// The model could not be evaluated at any start.
  case notConverged(DescentExit)
  /// The predicted curve is zero at every reading, so that parameters are not determined.
  case nothingPredicted
  /// No other subject could be fitted for a left-out prediction.
  case noOtherFit
  /// The observed r needs columns of `estimates.csv` that are not known for the subject.
  case estimateMissing(columns: [String])
  /// An external prediction has no values for the series.
  case curveMissing
  /// An external prediction has no time to the threshold that is used.
  case otherThreshold(threshold: GramsPerKilogram)
  /// The curve never falls to the threshold, as only that of Widmark's model does to 0.
  case neverSober(threshold: GramsPerKilogram)
  /// A curve would exceed the largest number of points.
  case curveTooLong(most: Int)
  /// The elimination limb has readings at too few different times for a line.
  case limbTooShort(found: Int, needed: Int)
  /// The readings of the elimination limb do not fall.
  case limbNotFalling
  /// The error model is that of the instrument, which the study does not state.
  case instrumentErrorMissing
  /// The solver could not be run; its message.
  case solver(String)
  /// The calling task was cancelled.
  case cancelled
  /// The options are invalid; the message.
  case badOptions(String)

  /// The stable code of the failure.
  public var code: String {
    switch self {
    case .badData(let diagnostic): diagnostic.code.rawValue
    case .problem(let problem): problem.code
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
  /// True if the method has no formula for the subject's sex, so that it does not apply.
  package var isMethodNotDefined: Bool {
    guard case .problem(let problem) = self else { return false }
    return problem.isMethodNotDefined
  }

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
    case .problem(let problem):
      problem.description
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
  /// Converged: the expected decrease is rounding.
  case roundingLimit = "rounding_limit"
  /// No step lowers the objective, although a decrease is expected.
  case noProgress = "no_progress"
  /// The allowed number of iterations is used up.
  case iterationLimit = "iteration_limit"
  /// The model cannot be evaluated at the start, or its derivatives at a later point.
  case evaluationFailed = "evaluation_failed"
  /// The linear system of a step could not be solved.
  case linearSolverFailed = "linear_solver_failed"

  /// True if it ended in a local minimum by the tests of the solver.
  public var isConverged: Bool {
    switch self {
    case .smallStep, .smallGradient, .roundingLimit: true
    case .noProgress, .iterationLimit, .evaluationFailed, .linearSolverFailed: false
    }
  }
}
