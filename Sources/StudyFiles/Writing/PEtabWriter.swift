import AlcoholKinetics
public import StudyData

/// Writes studies as complete problems of PEtab, version 1 (Schmiester et al. 2021): Widmark's model in SBML,
/// and the tables that say what is observed under which conditions and what is estimated.
///
/// A series is a condition, with parameters of its own. Its drinks are numbered columns of it, with one more,
/// 0 or 1, for the route where some doses are intravenous. Times are in h; where something happens before
/// time 0, all times of the series are later by as much. The observable is the unit of a reading. Readings
/// that the study excludes are left out; those below the limit of detection are as they were read.
public enum PEtabWriter {
  /// The files of the problem; `problem.yaml` names the others.
  public static func files(of study: Study) -> [(name: String, text: String)] {
    [
      ("problem.yaml", description), ("model.xml", PEtabModel(drinks: mostDrinks(in: study)).text),
      ("observables.tsv", observables(of: study)), ("measurements.tsv", measurements(of: study)),
      ("conditions.tsv", conditions(of: study)), ("parameters.tsv", parameters(of: study)),
    ]
  }

  private static let description = """
    format_version: 1
    parameter_file: parameters.tsv
    problems:
      - condition_files: [conditions.tsv]
        measurement_files: [measurements.tsv]
        observable_files: [observables.tsv]
        sbml_files: [model.xml]

    """

  private static func mostDrinks(in study: Study) -> Int {
    study.series.map(\.drinks.count).max() ?? 0
  }

  private static func observables(of study: Study) -> String {
    let units = Set(study.series.flatMap(\.readings).filter { !$0.isExcluded }.map(\.unit))
    let rows = ConcentrationUnit.allCases.filter(units.contains).map { unit in
      let name = unit.rawValue
      let factor = unit.gramsPerKilogram(using: ConversionFactors())
      return [name, "blood / \(factor)", "noiseParameter1_\(name)"]
    }
    return table([["observableId", "observableFormula", "noiseFormula"]] + rows)
  }

  private static func measurements(of study: Study) -> String {
    var rows = [
      ["observableId", "simulationConditionId", "measurement", "time", "noiseParameters"]
    ]
    for (index, series) in study.series.enumerated() {
      let condition = "c\(index + 1)"
      for reading in series.readings where !reading.isExcluded {
        rows.append([
          reading.unit.rawValue, condition, "\(reading.value)",
          "\((reading.time - series.beginning).value)", "sd_\(condition)",
        ])
      }
    }
    return table(rows)
  }

  private static func conditions(of study: Study) -> String {
    let count = mostDrinks(in: study)
    let hasRoutes = study.series.contains { $0.drinks.contains { $0.route != .oral } }
    let columns = (0..<count).flatMap { drink in
      (["time_h", "duration_h", "ethanol_g"] + (hasRoutes ? ["is_iv"] : []))
        .map { "drink_\(drink + 1)_\($0)" }
    }
    let header =
      ["conditionId", "conditionName", "is_male", "age_y", "height_m", "weight_kg"]
      + ofCurve + columns
    let rows = study.series.enumerated().map { index, series in
      ["c\(index + 1)", name(of: series)] + measures(of: series.subject)
        + ofCurve.map { "\($0)_c\(index + 1)" }
        + (0..<count).flatMap { drink($0, of: series).prefix(hasRoutes ? 4 : 3) }
    }
    return table([header] + rows)
  }

  /// What is estimated of each series, and where it is looked for.
  private static let estimated: [(name: String, low: Double, usual: Double, high: Double)] = [
    ("ka", 0.01, 6, 1000), ("beta", 0.001, 0.15, 10), ("r", 0.01, 0.7, 10),
    ("sd", 1e-6, 0.05, 1000),
  ]
  private static let ofCurve = estimated.dropLast().map(\.name)

  private static func parameters(of study: Study) -> String {
    let header = [
      "parameterId", "parameterScale", "lowerBound", "upperBound", "nominalValue", "estimate",
    ]
    let rows = study.series.enumerated().flatMap { index, series in
      estimated.filter { name, _, _, _ in
        name != "sd" || series.readings.contains { !$0.isExcluded }
      }.map { name, low, usual, high in
        ["\(name)_c\(index + 1)", "log10", "\(low)", "\(high)", "\(usual)", "1"]
      }
    }
    return table([header] + rows)
  }

  private static func table(_ rows: [[String]]) -> String {
    rows.map { $0.joined(separator: "\t") + "\n" }.joined()
  }

  /// A name that breaks no line of the table, and opens no quotes in it.
  private static func name(of series: Series) -> String {
    let name = [series.subject.id, series.occasion].compactMap(\.self).joined(separator: "/")
    return name.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\t", "\r", "\n": text += " "
      case "\"": text += "'"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func measures(of subject: Subject) -> [String] {
    let sex = subject.sex.map { $0 == .male ? 1.0 : 0 }
    return [sex, subject.age?.value, subject.height?.value, subject.weight?.value]
      .map { $0?.description ?? "NaN" }
  }

  /// A drink that a series has not holds nothing.
  private static func drink(_ index: Int, of series: Series) -> [String] {
    guard series.drinks.indices.contains(index) else { return ["0.0", "0.0", "0.0", "0"] }
    let drink = series.drinks[index]
    let grams = drink.ethanol.mass(forBodyWeight: series.subject.weight)?.value
    return [
      (drink.time - series.beginning).value.description, drink.duration.value.description,
      grams?.description ?? "NaN", drink.route == .intravenous ? "1" : "0",
    ]
  }
}

extension Series {
  /// When the first thing happens, if that is before time 0; PEtab knows no time before that.
  fileprivate var beginning: Hours {
    (drinks.map(\.time) + readings.filter { !$0.isExcluded }.map(\.time)).reduce(0, min)
  }
}

/// Widmark's model in SBML, level 3: what is in the gut, in g, and the concentration in blood, in g/kg.
private struct PEtabModel {
  let drinks: Int

  var text: String {
    let numbers = (1...max(1, drinks)).prefix(drinks)
    let named: [(String, Double)] = [
      ("ka", 6), ("beta", 0.15), ("r", 0.7), ("weight_kg", 70), ("is_male", 0), ("age_y", 0),
      ("height_m", 0),
    ]
    let constants =
      named
      + numbers.flatMap { number in
        ["time_h", "duration_h", "ethanol_g", "is_iv"].map { ("drink_\(number)_\($0)", 0) }
      }
    let absorbed = Self.apply("times", "ka", "gut")
    let space = Self.apply("times", "r", "weight_kg")
    // Elimination ends at zero, by a Michaelis constant of 0.001 g/kg.
    let share = Self.apply("divide", "blood", Self.apply("plus", "blood", "0.001"))
    let intoGut = Self.sum(numbers.map { Self.rate($0, isIntravenous: false) })
    let intoBlood = Self.sum([absorbed] + numbers.map { Self.rate($0, isIntravenous: true) })
    let gut = Self.apply("minus", intoGut, absorbed)
    let blood = Self.apply(
      "minus", Self.apply("divide", intoBlood, space), Self.apply("times", "beta", share))
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1">
        <model id="widmark" name="Widmark's model with first-order absorption">
          <listOfParameters>
      \(constants.map { Self.parameter($0.0, $0.1, isConstant: true) }.joined())\
      \(["gut", "blood"].map { Self.parameter($0, 0, isConstant: false) }.joined())\
          </listOfParameters>
          <listOfRules>
            <rateRule variable="gut">\(Self.math(gut))</rateRule>
            <rateRule variable="blood">\(Self.math(blood))</rateRule>
          </listOfRules>
      \(events(numbers, space))\
        </model>
      </sbml>

      """
  }

  /// What is drunk at once comes at once.
  private func events(_ numbers: some Collection<Int>, _ space: String) -> String {
    guard !numbers.isEmpty else { return "" }
    let events = numbers.map { number in
      let isAtOnce = Self.apply("eq", "drink_\(number)_duration_h", "0")
      let grams = { (share: String) in
        Self.choice(Self.apply("times", share, "drink_\(number)_ethanol_g"), if: isAtOnce)
      }
      let intravenous = "drink_\(number)_is_iv"
      let gut = Self.apply("plus", "gut", grams(Self.apply("minus", "1", intravenous)))
      let blood = Self.apply("plus", "blood", Self.apply("divide", grams(intravenous), space))
      let trigger = Self.apply("geq", Self.time, "drink_\(number)_time_h")
      return """
              <event id="drink_\(number)" useValuesFromTriggerTime="true">
                <trigger initialValue="false" persistent="true">\(Self.math(trigger))</trigger>
                <listOfEventAssignments>
                  <eventAssignment variable="gut">\(Self.math(gut))</eventAssignment>
                  <eventAssignment variable="blood">\(Self.math(blood))</eventAssignment>
                </listOfEventAssignments>
              </event>

        """
    }
    return "    <listOfEvents>\n\(events.joined())    </listOfEvents>\n"
  }

  /// How much of a drink that lasts comes per hour, into the gut or into the blood.
  private static func rate(_ number: Int, isIntravenous: Bool) -> String {
    let (time, duration) = ("drink_\(number)_time_h", "drink_\(number)_duration_h")
    let flag = "drink_\(number)_is_iv"
    let share = isIntravenous ? variable(flag) : apply("minus", "1", flag)
    let isUnderWay = apply(
      "and", apply("gt", duration, "0"), apply("geq", Self.time, time),
      apply("lt", Self.time, apply("plus", time, duration)))
    let rate = apply("divide", apply("times", share, "drink_\(number)_ethanol_g"), duration)
    return choice(rate, if: isUnderWay)
  }

  // MARK: MathML

  private static let time =
    "<csymbol encoding=\"text\" definitionURL=\"http://www.sbml.org/sbml/symbols/time\">t</csymbol>"

  private static func math(_ content: String) -> String {
    "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">\(content)</math>"
  }

  private static func variable(_ word: String) -> String {
    if word.hasPrefix("<") { return word }
    return Double(word) == nil ? "<ci> \(word) </ci>" : "<cn> \(word) </cn>"
  }

  private static func apply(_ function: String, _ arguments: String...) -> String {
    "<apply><\(function)/>\(arguments.map(variable).joined())</apply>"
  }

  private static func sum(_ terms: [String]) -> String {
    terms.isEmpty ? variable("0") : "<apply><plus/>\(terms.joined())</apply>"
  }

  /// Something under a condition, else nothing.
  private static func choice(_ value: String, if condition: String) -> String {
    "<piecewise><piece>\(value)\(condition)</piece><otherwise>\(variable("0"))</otherwise></piecewise>"
  }

  private static func parameter(_ id: String, _ value: Double, isConstant: Bool) -> String {
    "      <parameter id=\"\(id)\" value=\"\(value)\" constant=\"\(isConstant)\"/>\n"
  }
}
