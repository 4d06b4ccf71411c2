import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting
import Validation

/// Everything that a nonlinear fit can be told.
struct CurveArguments {
  let model: ModelArguments
  let readings: ReadingArguments
  let noise: ErrorArguments
  let intervals: IntervalArguments
  let search: StartArguments

  /// Whether models are to be compared instead of one being fitted.
  var isComparison: Bool { model.model == .all }

  /// The options as the library takes them.
  func options(_ factors: ConversionFactors) -> FitOptions {
    FitOptions(
      model: model.model.model,
      estimate: model.estimated,
      fixed: model.fixedValues,
      bounds: model.ranges,
      rFactor: model.rFactor.method(model.bloodWater.bloodWater),
      selection: readings.selection(noise.loss),
      error: noise.error.model,
      loss: noise.loss,
      lossTuning: noise.lossScale,
      starts: search.starts,
      interval: intervals.options,
      correlation: noise.correlation.correlation,
      factors: factors,
      standardErrors: intervals.standardErrors)
  }

  /// Refuses what the library would refuse, before anything is read.
  func check(_ factors: ConversionFactors) throws {
    do throws(SeriesFailure) {
      let options = options(factors)
      if isComparison {
        try ModelSelection.check(options)
      } else {
        _ = try SeriesFitter(options: options)
      }
    } catch {
      throw ValidationError("\(error).")
    }
  }

  /// The options as results carry them.
  var values: [(name: String, value: JSONValue)] {
    model.values + readings.values(noise.loss) + noise.values + intervals.values + search.values
  }
}

extension CurveArguments {
  /// The options that were given, for who knows nothing of a nonlinear fit. One that repeats its
  /// default cannot be told from one that was not given, and changes nothing.
  var given: [String] {
    let options: [(name: String, isGiven: Bool)] = [
      ("--model", model.model != .one(.widmark)),
      ("--estimate", model.estimate != nil),
      ("--fix", !model.fixed.isEmpty),
      ("--bound", !model.bounds.isEmpty),
      ("--r-factor", model.rFactor.text != RFactorName(Watson()).text),
      ("--blood-water", model.bloodWater.content != BloodWater.perLitre.content),
      ("--censor", readings.censor != nil),
      ("--lod", readings.limitOfDetection != nil),
      ("--exclude-after-drink", readings.excludedMinutes != nil),
      ("--error", noise.error.description != ErrorModelChoice.additive.description),
      ("--correlation", noise.correlation.correlation != .independent),
      ("--loss", noise.loss != .linear),
      ("--interval", intervals.interval != .profile),
      ("--standard-errors", intervals.standardErrors != .model),
      ("--replicates", intervals.replicates != IntervalOptions.defaultReplicates),
      ("--seed", intervals.seed != 1),
      ("--starts", search.search.starts != StartDesign.defaultCount),
      ("--start-design", search.design != .sobol),
      ("--start-seed", search.seed != 0),
    ]
    return options.filter(\.isGiven).map(\.name)
  }
}

/// Where a simulated curve ends.
enum CurveEnd: ExpressibleByArgument {
  case sober
  case after(minutes: Double)

  init?(argument: String) {
    if argument == "sober" {
      self = .sober
    } else if let minutes = Double(argument), minutes >= 0, minutes <= 1e6 {
      self = .after(minutes: minutes)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { "sober" }

  /// Nil where it ends with sobriety.
  var minutes: Double? {
    guard case .after(let minutes) = self else { return nil }
    return minutes
  }
}

/// A command that can be told everything about a nonlinear fit.
///
/// The groups of options are the command's own. As groups of a group they would be checked several
/// times more often whenever a debug build parses options, since each level multiplies the checks.
protocol CurveFitting {
  var model: ModelArguments { get }
  var readings: ReadingArguments { get }
  var noise: ErrorArguments { get }
  var intervals: IntervalArguments { get }
  var search: StartArguments { get }
}

extension CurveFitting {
  /// What the fit is told.
  var curve: CurveArguments {
    CurveArguments(
      model: model, readings: readings, noise: noise, intervals: intervals, search: search)
  }
}

/// A command that can be told everything about predictions.
///
/// The groups of options are the command's own, for the reason that ``CurveFitting`` gives.
protocol CurvePredicting {
  var method: MethodOption { get }
  var source: PredictionSource { get }
  var search: SearchArguments { get }
  var readings: ReadingArguments { get }
}

extension CurvePredicting {
  /// What predictions are told.
  var prediction: PredictionArguments {
    PredictionArguments(method: method, source: source, search: search, readings: readings)
  }
}

/// How simulated curves are predicted.
struct CurvePredictionArguments: ParsableArguments {
  @OptionGroup var method: MethodOption
  @OptionGroup var kinetics: KineticOptions

  /// The options as the library takes them.
  var options: PredictionOptions {
    PredictionOptions(
      parameters: .given(kinetics.values), methods: method.methods, model: method.model)
  }
}
