import AlcoholKinetics
import ArgumentParser
import Estimation
import Reporting

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
