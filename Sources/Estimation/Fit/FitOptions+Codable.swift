package import AlcoholKinetics

/// Options are coded under the names and in the units of the command. A prior, starts and the errors of a study are data,
/// not options, and are not coded.
extension FitOptions: Codable, NamedOptions {
  package var members: OptionMembers {
    let interval = interval ?? IntervalOptions()
    let scale = loss == .linear ? nil : lossTuning ?? loss.defaultTuning
    let threshold =
      derived.quantities.contains(.timeToThreshold) ? derived.threshold.value : nil
    let fitMembers: OptionMembers = [
      ("model", model), ("estimate", NameList(estimate)),
      ("fix", fixed.sorted { $0.key < $1.key }.map { StatedValue($0.key, $0.value) }),
      ("bound", bounds.sorted { $0.key < $1.key }.map { StatedRange($0.key, $0.value) }),
      ("r_factor", rFactor.name), ("error", error), ("correlation", correlation),
      ("error_from", errorSource), ("loss", loss),
      ("loss_scale", scale),
      ("interval", self.interval?.kind.rawValue ?? "none"), ("standard_errors", standardErrors),
      ("level", interval.level), ("replicates", interval.replicates), ("seed", interval.seed),
      ("derived", DerivedList(derived)),
      ("threshold_g_per_kg", threshold),
      ("starts", starts.count), ("engine", engine), ("start_design", starts.sequence),
      ("start_seed", starts.seed),
    ]
    return Self.shared(typical, [rFactor], selection, factors) + fitMembers
  }

  /// Encodes the options with what follows from them, such as the scale of a loss.
  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }

  /// Decodes options; what is not there has its default.
  public init(from decoder: any Decoder) throws {
    let reader = try OptionReader(decoder)
    let usual = FitOptions(model: try reader.value("model", .widmark))
    let kind = try reader.value("interval", IntervalOptions().kind.rawValue)
    let interval = try IntervalOptions.Kind(rawValue: kind).map {
      IntervalOptions(
        kind: $0, level: try reader.value("level", Interval.defaultLevel),
        replicates: try reader.value("replicates", IntervalOptions.defaultReplicates),
        seed: try reader.value("seed", IntervalOptions().seed))
    }
    guard interval != nil || kind == "none" else {
      throw SeriesFailure.badOptions("there is no kind of interval '\(kind)'")
    }
    self.init(
      model: usual.model,
      estimate: Set(try reader.value("estimate", NameList(usual.estimate)).parameters),
      fixed: try reader.value("fix", [StatedValue<FitParameter>]()).byParameter(),
      bounds: try reader.value("bound", [StatedRange<FitParameter>]()).byParameter(),
      rFactor: try reader.method(try reader.value("r_factor", usual.rFactor.name)),
      selection: try reader.selection, error: try reader.value("error", usual.error),
      loss: try reader.value("loss", usual.loss), lossTuning: try reader.value("loss_scale"),
      starts: StartDesign(
        count: try reader.value("starts", usual.starts.count),
        sequence: try reader.value("start_design", usual.starts.sequence),
        seed: try reader.value("start_seed", usual.starts.seed)),
      engine: try reader.value("engine", usual.engine), interval: interval,
      correlation: try reader.value("correlation", usual.correlation),
      factors: try reader.factors,
      standardErrors: try reader.value("standard_errors", usual.standardErrors),
      typical: try reader.typical,
      derived: DerivedOptions(
        try reader.value("derived"), threshold: try reader.value("threshold_g_per_kg")),
      errorSource: try reader.value("error_from", usual.errorSource))
  }

  /// Returns the given options that have no effect in combination with the others.
  package func unused(given: Set<String>) -> [IneffectiveOptions] { unused.among(given) }

  /// All options that would have no effect.
  package var unused: [IneffectiveOptions] {
    let given = estimate.union(fixed.keys)
    let areKineticsKnown = model.defaultEstimate.isSubset(of: given)
    var withStudyError = self
    withStudyError.errorSource = .study
    // The test of correlated errors is of the study, whoever estimates errors.
    if correlation == .automatic { withStudyError.correlation = .independent }
    return [
      IneffectiveOptions(
        ["food"], if: areKineticsKnown,
        "because absorption and elimination are estimated or fixed; leave it out"),
      IneffectiveOptions(
        ["r_factor", "blood_water"], if: given.contains(.r),
        "because r is estimated or fixed; leave one of them out"),
      IneffectiveOptions(
        ["preset"], if: areKineticsKnown && given.contains(.r),
        "because all that it sets is estimated or fixed; leave it out"),
      selection.unused,
      IneffectiveOptions(
        ["start_design", "start_seed"], if: starts.count == 1,
        "because the only start is the typical person's; give more --starts, or leave it out"),
      IneffectiveOptions(
        ["error_from"], if: !withStudyError.usesStudyError, Self.reasonOfOwnErrors),
      IneffectiveOptions(
        ["level", "replicates", "seed"], if: interval == nil,
        "because --interval none makes no intervals; leave it out"),
      IneffectiveOptions(
        ["replicates", "seed"], if: interval?.kind == .wald || interval?.kind == .profile,
        "because only bootstraps draw at random; add --interval bootstrap, or leave it out"),
    ].compactMap(\.self)
  }

  /// The reason why the source of errors has no effect.
  package static let reasonOfOwnErrors =
    "because every subject's errors are its own; it is for a proportional or combined --error, or --correlation "
    + "exponential, whose size is estimated"
}

/// Options by their names in results.
package typealias OptionMembers = [(name: String, value: any Encodable)]

/// Options that are coded under their names in results.
package protocol NamedOptions {
  /// The options in the form of the command.
  var members: OptionMembers { get }
}

extension NamedOptions {
  package func encodeMembers(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: OptionName.self)
    for (name, value) in members {
      try container.encode(value, forKey: OptionName(stringValue: name))
    }
  }

  /// The members that fits and predictions have in common.
  package static func shared(
    _ typical: TypicalKinetics?, _ methods: [any RFactorMethod], _ selection: ReadingSelection,
    _ factors: ConversionFactors
  ) -> OptionMembers {
    let isPreset = typical == .nacar2021
    let food = isPreset ? nil : typical?.rawValue ?? OptionReader.foodBySubject
    let water = methods.lazy.compactMap { $0 as? any BodyWaterMethod }.first?.bloodWater
    return [
      ("food", food),
      ("preset", isPreset ? typical : nil),
      ("blood_water", (water ?? (isPreset ? .perLitre : .perKilogram)).content),
      ("censor", selection.censoring), ("lod", selection.limitOfDetection),
      ("exclude_after_drink_min", selection.mouthAlcoholWindow?.minutes),
      ("blood_density_kg_per_l", factors.bloodDensityKgPerL),
      ("blood_breath_ratio", factors.bloodBreathRatio),
      ("serum_blood_ratio", factors.serumBloodRatio),
    ]
  }
}

private struct OptionName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// Reads options by their names; missing ones have their defaults.
package struct OptionReader {
  /// The coded food state if it is taken from each subject.
  fileprivate static let foodBySubject = "by subject"

  private let container: KeyedDecodingContainer<OptionName>

  package init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: OptionName.self)
  }

  package func value<Value: Decodable>(_ name: String) throws -> Value? {
    try container.decodeIfPresent(Value.self, forKey: OptionName(stringValue: name))
  }

  package func value<Value: Decodable>(_ name: String, _ usual: Value) throws -> Value {
    try value(name) ?? usual
  }

  package var typical: TypicalKinetics? {
    get throws {
      if let preset: TypicalKinetics = try value("preset") { return preset }
      return TypicalKinetics(rawValue: try value("food", Self.foodBySubject))
    }
  }

  package var water: BloodWater {
    get throws {
      let usual: BloodWater = try typical == .nacar2021 ? .perLitre : .perKilogram
      return BloodWater(content: try value("blood_water", usual.content))
    }
  }

  package var selection: ReadingSelection {
    get throws {
      ReadingSelection(
        censoring: try value("censor", .m3), limitOfDetection: try value("lod"),
        mouthAlcoholWindow: try value("exclude_after_drink_min").map { Hours(minutes: $0) })
    }
  }

  package var factors: ConversionFactors {
    get throws {
      let usual = ConversionFactors()
      return ConversionFactors(
        bloodDensityKgPerL: try value("blood_density_kg_per_l", usual.bloodDensityKgPerL),
        bloodBreathRatio: try value("blood_breath_ratio", usual.bloodBreathRatio),
        serumBloodRatio: try value("serum_blood_ratio", usual.serumBloodRatio))
    }
  }

  /// Returns the r-factor method with a name.
  package func method(_ name: String) throws -> any RFactorMethod {
    guard let method = RFactorMethods.stated(name, bloodWater: try water) else {
      throw SeriesFailure.badOptions("there is no r-factor method '\(name)'")
    }
    return method
  }
}

extension ReadingSelection {
  /// The limit of detection, if it has no effect.
  package var unused: IneffectiveOptions? {
    IneffectiveOptions(
      ["lod"], if: censoring == .none,
      "because --censor none takes every reading at face value; leave one of them out")
  }
}
