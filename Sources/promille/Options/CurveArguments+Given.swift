import AlcoholKinetics
import Estimation

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
