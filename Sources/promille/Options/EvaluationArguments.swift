import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import StrictOptions
import StudyData
import Validation

/// The options of predictions alone.
struct PredictionArguments: FileNaming {
  @OptionGroup(title: "Prediction") var method: MethodOption
  @OptionGroup(title: "Prediction") var typical: TypicalOption
  @OptionGroup(title: "Prediction") var water: BloodWaterOption
  @OptionGroup(title: "Prediction") var given: PredictionFiles
  @OptionGroup(title: "Prediction") var source: PredictionSource
  @OptionGroup(title: "Prediction") var kinetics: KineticOptions
  @OptionGroup(title: "Prediction") var search: SearchArguments
  @OptionGroup(title: "Prediction") var readings: ReadingArguments

  var namedFiles: [NamedFile] { given.namedFiles }

  var methods: [any RFactorMethod] { method.rFactor.methods(water.constant(typical.preset)) }

  func options(_ factors: ConversionFactors) -> PredictionOptions {
    PredictionOptions(
      parameters: source.parameters(kinetics.given, starts: search.starts),
      typical: typical.kinetics, methods: methods, models: given.names, threshold: source.threshold,
      selection: readings.selection(.linear), factors: factors, model: method.model,
      engine: search.engine)
  }

  /// The members of results that follow from them.
  func members(_ factors: ConversionFactors) -> OptionMembers {
    var options = options(factors)
    options.typical = typical.recorded
    return options.members
  }

  /// Refuses options that predictions cannot take, before anything is read.
  func check() throws {
    try source.check(kinetics)
    try refusing(options(ConversionFactors()).check)
  }
}

/// The options of fits, and of predictions beside them by the same model.
struct EvaluationArguments: FileNaming {
  @OptionGroup(title: "Model") var model: ModelArguments
  @OptionGroup(title: "Model") var typical: TypicalOption
  @OptionGroup(title: "Model") var water: BloodWaterOption
  @OptionGroup(title: "Readings") var readings: ReadingArguments
  @OptionGroup(title: "Error of readings") var noise: ErrorArguments
  @OptionGroup(title: "Intervals") var intervals: IntervalArguments
  @OptionGroup(title: "Search for the minimum") var search: SearchArguments
  @OptionGroup(title: "Search for the minimum") var design: StartArguments
  @OptionGroup(title: "Prediction") var prediction: MethodArguments
  @OptionGroup(title: "Prediction") var given: PredictionFiles
  @OptionGroup(title: "Prediction") var source: PredictionSource
  @OptionGroup(title: "Prediction") var kinetics: KineticOptions
  @OptionGroup(title: "Conversion of readings") var conversion: ConversionOptions

  var namedFiles: [NamedFile] { given.namedFiles }

  /// The options of fits; they hold the parameters that are given for predictions, too.
  var fitOptions: FitOptions {
    var options = statedFit
    options.fixed.merge(kinetics.given.filter { !options.estimate.contains($0.key) }) { fitted, _ in
      fitted
    }
    return options
  }

  private var statedFit: FitOptions {
    FitOptions(
      model, typical, water, readings, noise, intervals, design.starts(search), search.engine,
      conversion.factors)
  }

  /// The options of predictions, which use the values at which fits hold parameters, too.
  var predictionOptions: PredictionOptions {
    let fixed = model.fixedValues.filter { $0.key != .r && $0.key != .gain }
    return PredictionOptions(
      parameters: source.parameters(
        fixed.merging(kinetics.given) { $1 }, starts: search.starts),
      typical: typical.kinetics,
      methods: prediction.methods.methods(water.constant(typical.preset)), models: given.names,
      threshold: source.threshold, selection: readings.selection(noise.loss),
      factors: conversion.factors, model: model.model.model, engine: search.engine)
  }

  /// The members of results that follow from them.
  var members: OptionMembers {
    var fit = statedFit
    var prediction = predictionOptions
    fit.typical = typical.recorded
    prediction.typical = typical.recorded
    return fit.members + prediction.members + [("methods", self.prediction.methods.text)]
  }

  /// Options that have no effect. What is typical, and B, predictions take, too.
  var unused: [UnusedOptions?] {
    let ofPredictions: Set = ["food", "preset", "blood_water"]
    return fitOptions.unused.map { UnusedOptions($0.without(ofPredictions)) }
  }

  /// Refuses options that fits or predictions cannot take, before anything is read.
  func check(_ name: String) throws {
    try require(
      model.model != .all, "--model all ranks several models; \(name) needs a single one.")
    try refusing { () throws(SeriesFailure) in try fitOptions.check(ofStudy: true) }
    try source.check(kinetics)
    try refusing(predictionOptions.check)
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
  ///   - most: The largest number of series that are listed one by one.
  func evaluation(
    of study: Study, in whole: Study? = nil, deriving derived: DerivedOptions = DerivedOptions(),
    detailing most: Int = .max, jobs: Int
  ) throws -> StudyEvaluation {
    var options = fitOptions
    options.derived = derived
    return try StudyEvaluation(
      of: study, fitOptions: try options.withStudyError(of: whole ?? study, jobs: jobs),
      predictionOptions: predictionOptions, requiresAllMethods: prediction.methods.areNamed,
      detailing: most, jobs: jobs)
  }
}
