import AlcoholKinetics
import ArgumentParser
import Estimation
import StrictOptions
import StudyData
import Validation

/// A command about curves, fitted or predicted.
///
/// All groups of options are the command's own. As groups of a group they would be checked four times as
/// often whenever a debug build parses options, since each level multiplies the checks.
protocol CurveCommand: RecordedCommand {
  var typical: TypicalOption { get set }
  var water: BloodWaterOption { get set }
  var readings: ReadingArguments { get set }
  var search: SearchArguments { get }
  var conversion: ConversionOptions { get }
}

extension CurveCommand {
  var factors: ConversionFactors { conversion.factors }

  /// The same command with what a study says of its subjects. Where an option overrides that, it says so.
  func learning(from study: Study, _ console: Console) -> Self {
    var command = self
    command.typical.learn(from: study, console)
    return command
  }
}

/// A command that takes all options of a nonlinear fit.
protocol CurveFitting: CurveCommand {
  var model: ModelArguments { get set }
  var noise: ErrorArguments { get set }
  var intervals: IntervalArguments { get }
  var design: StartArguments { get }
  /// What is reported of fits beside their parameters.
  var derivedOptions: DerivedOptions { get }
  /// The values at which parameters are held that are not estimated.
  var heldValues: [FitParameter: Double] { get }
}

extension CurveFitting {
  var derivedOptions: DerivedOptions { DerivedOptions() }
  var heldValues: [FitParameter: Double] { model.fixedValues }

  /// Whether models are to be compared instead of one being fitted.
  var isComparison: Bool { model.model == .all }

  /// The options of fits as the library takes them.
  var fitOptions: FitOptions {
    FitOptions(
      model: model.model.model,
      estimate: model.estimated,
      fixed: heldValues,
      bounds: model.bound.byParameter(),
      rFactor: model.rFactor.method(water.constant(typical.preset)),
      selection: readings.selection(noise.loss),
      error: noise.error.model,
      loss: noise.loss,
      lossTuning: noise.lossScale,
      starts: design.starts(search),
      engine: search.engine,
      interval: intervals.options,
      correlation: noise.correlation.correlation,
      factors: factors,
      standardErrors: intervals.standardErrors,
      typical: typical.kinetics,
      derived: derivedOptions,
      errorSource: noise.errorFrom)
  }

  /// Refuses what the library would refuse, before anything is read.
  func checkFit() throws {
    do throws(SeriesFailure) {
      let options = fitOptions
      if isComparison {
        try ModelSelection.check(options)
      } else {
        try StudyFit.check(options)
      }
    } catch {
      throw ValidationError("\(error).")
    }
  }

  /// Options of fits that have no effect.
  var unusedForFits: [UnusedOptions?] {
    var shared = fitOptions
    shared.errorSource = .study
    return [
      readings.unused,
      UnusedOptions(
        ["--start-design", "--start-seed"], if: search.starts == 1,
        "because the only start is the typical person's; give more --starts, or leave it out"),
      UnusedOptions(
        ["--error-from"], if: isComparison || !shared.wantsStudyError,
        "because every subject's errors are its own; it is for a proportional or combined --error, or --correlation "
          + "exponential, whose size is estimated"),
    ]
  }

  /// Options of r where no method gives it.
  func unusedForR(_ names: [String]) -> UnusedOptions? {
    let isGiven = fitOptions.estimate.contains(.r) || model.fixedValues[.r] != nil
    return UnusedOptions(
      names, if: isGiven, "because r is estimated or fixed; leave one of them out")
  }

  var filled: Self { withFitFilled }

  fileprivate var withFitFilled: Self {
    var filled = self
    filled.model.estimate = NameList(model.estimated)
    filled.typical.fillIn()
    filled.water.fillIn(typical.preset)
    filled.readings.censor = readings.censoring(noise.loss)
    filled.noise.fillIn()
    return filled
  }
}

/// A command that fits curves and draws or tabulates predicted ones beside them, by the same model.
protocol CurveEvaluating: CurveFitting {
  var prediction: MethodArguments { get }
  var source: PredictionSource { get }
  var given: PredictionFiles { get }
  var kinetics: KineticOptions { get set }
  var threads: JobsOption { get }
}

extension CurveEvaluating {
  /// The options of predictions as the library takes them. Those of the blood's water, of the search and of the
  /// readings are for fits and predictions.
  var predictionOptions: PredictionOptions {
    source.options(
      predictedValues, typical.kinetics, of: model.model.model,
      methods: prediction.methods.methods(water.constant(typical.preset)), models: given.names,
      search: search,
      selection: readings.selection(noise.loss), factors: factors)
  }

  /// Predictions use the values at which fits hold parameters, too.
  private var predictedValues: [FitParameter: Double] {
    let fixed = model.fixedValues.filter { $0.key != .r && $0.key != .gain }
    return fixed.merging(kinetics.given) { $1 }
  }

  /// Fits hold the parameters that are given for predictions, too.
  var heldValues: [FitParameter: Double] {
    kinetics.given.filter { !model.estimated.contains($0.key) }.merging(model.fixedValues) { $1 }
  }

  var unused: [UnusedOptions?] { unusedForEvaluation }

  /// Options of fits and predictions that have no effect.
  var unusedForEvaluation: [UnusedOptions?] {
    unusedForFits + intervals.unused + [unusedForR(["--r-factor"])]
  }

  /// Refuses options that fits or predictions cannot take, before anything is read.
  func checkEvaluation(_ name: String) throws {
    try require(!isComparison, "--model all ranks several models; \(name) needs a single one.")
    try checkFit()
    try source.check(kinetics, model.model.model)
    try given.check(besides: predictionOptions.methods.map(\.name))
    for (parameter, value) in kinetics.given.sorted(by: { $0.key < $1.key }) {
      guard let fixed = model.fixedValues[parameter], fixed != value else { continue }
      let option = [.ka, .beta].contains(parameter) ? "--\(parameter.rawValue)" : "--predict-with"
      throw ValidationError(
        "--fix and \(option) give \(parameter.rawValue) two values; fits and predictions use the same. Leave "
          + "out one of them.")
    }
  }

  /// Fits and predicts a study.
  ///
  /// - Parameters:
  ///   - whole: The study of which it is a part, if it is one.
  ///   - most: How many series are told one by one.
  func evaluation(
    of study: Study, in whole: Study? = nil, detailing most: Int = .max
  ) throws -> StudyEvaluation {
    try StudyEvaluation(
      of: study,
      fitOptions: try fitOptions.withStudyError(of: whole ?? study, jobs: threads.count),
      predictionOptions: predictionOptions, areAllWanted: prediction.methods.areNamed,
      detailing: most, jobs: threads.count)
  }

  var filled: Self {
    var filled = withFitFilled
    filled.kinetics.fillIn(
      predictedValues, typical.kinds, model.model.model, from: source.parameters)
    return filled
  }
}

/// A command that takes all options of predictions, and none of fits.
protocol CurvePredicting: CurveCommand {
  var method: MethodOption { get }
  var source: PredictionSource { get }
  var given: PredictionFiles { get }
  var kinetics: KineticOptions { get set }
}

extension CurvePredicting {
  var methods: [any RFactorMethod] { method.rFactor.methods(water.constant(typical.preset)) }

  var predictionOptions: PredictionOptions {
    source.options(
      kinetics.given, typical.kinetics, of: method.model, methods: methods, models: given.names,
      search: search,
      selection: readings.selection(.linear), factors: factors)
  }

  var filled: Self {
    var filled = self
    filled.typical.fillIn()
    filled.water.fillIn(typical.preset)
    filled.kinetics.fillIn(
      kinetics.given, typical.kinds, method.model, from: source.parameters)
    filled.readings.censor = readings.censoring(.linear)
    return filled
  }
}
