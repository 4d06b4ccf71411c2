import AlcoholKinetics
import ArgumentParser
import Casework
import Estimation
import Population
import Reporting
import StrictOptions

// Which options have no effect beside the others, for each command. What a study holds is not known here: an option
// that is about readings of another kind is none of these.

extension IntervalArguments {
  fileprivate var unused: [UnusedOptions?] {
    [
      UnusedOptions(
        ["--level", "--replicates", "--seed"], if: interval == .none,
        "because --interval none makes no intervals; leave it out"),
      UnusedOptions(
        ["--replicates", "--seed"], if: interval == .wald || interval == .profile,
        "because only bootstraps draw at random; add --interval bootstrap, or leave it out"),
    ]
  }
}

extension ReadingArguments {
  fileprivate var unused: UnusedOptions? {
    UnusedOptions(
      ["--lod"], if: censor?.rawValue == Censoring.none.rawValue,
      "because --censor none takes every reading at face value; leave one of them out")
  }
}

extension OutputOptions {
  fileprivate var unusedDetails: UnusedOptions? {
    UnusedOptions(
      ["--details"], if: resolvedFormat != .table,
      "because only a table has details; add --format table, or leave it out")
  }
}

extension CurveFitting {
  /// Options of fits that have no effect.
  fileprivate var unusedForFits: [UnusedOptions?] {
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
  fileprivate func unusedForR(_ names: [String]) -> UnusedOptions? {
    let isGiven = fitOptions.estimate.contains(.r) || model.fixedValues[.r] != nil
    return UnusedOptions(
      names, if: isGiven, "because r is estimated or fixed; leave one of them out")
  }
}

extension Fit: StrictCommand {
  var unused: [UnusedOptions] {
    guard method == .nonlinear else {
      let options =
        ModelArguments.optionNames + PriorArguments.optionNames + TypicalOption.optionNames
        + BloodWaterOption.optionNames + ReadingArguments.optionNames + ErrorArguments.optionNames
        + IntervalArguments.optionNames.filter { $0 != "--level" } + SearchArguments.optionNames
        + StartArguments.optionNames
      return [
        UnusedOptions(
          options, if: true,
          "because --method elimination-line does not fit the whole curve; leave it out"),
        output.unusedDetails,
      ].compactMap(\.self)
    }
    let limb = UnusedOptions(
      LimbArguments.optionNames, if: true,
      "because it is for --method elimination-line; add it, or leave the option out")
    if prior.prior != nil {
      return
        ([
          limb,
          UnusedOptions(
            ["--model", "--r-factor", "--blood-water", "--food", "--preset", "--error-from"],
            if: true,
            "because --prior says which model is fitted and what is typical; leave it out"),
          output.unusedDetails, readings.unused,
        ] + intervals.unused).compactMap(\.self)
    }
    let known = fitOptions.estimate.union(model.fixedValues.keys)
    let isKnown = model.model.model.defaultEstimate.isSubset(of: known)
    let comparison = UnusedOptions(
      (intervals.interval == .none ? [] : ["--interval"]) + ["--level", "--replicates", "--seed"],
      if: isComparison,
      "because --model all makes no intervals; choose a model, or leave it out")
    let food = UnusedOptions(
      ["--food"], if: isKnown && !isComparison,
      "because absorption and elimination are estimated or fixed; leave it out")
    let all =
      [
        limb, comparison, food, unusedForR(["--r-factor", "--blood-water"]), output.unusedDetails,
        UnusedOptions(
          ["--preset"], if: isKnown && known.contains(.r) && !isComparison,
          "because all that it sets is estimated or fixed; leave it out"),
      ] + unusedForFits + intervals.unused
    return all.compactMap(\.self)
  }
}

extension Plot: StrictCommand {
  var unused: [UnusedOptions] {
    (unusedForFits + intervals.unused + [unusedForR(["--r-factor"])]).compactMap(\.self)
  }
}

extension ReportCommand: StrictCommand {
  var unused: [UnusedOptions] {
    (unusedForFits + intervals.unused + [unusedForR(["--r-factor"])]).compactMap(\.self)
  }
}

extension Export: StrictCommand {
  var unused: [UnusedOptions] {
    guard !notebook else {
      return (unusedForFits + intervals.unused + [unusedForR(["--r-factor"])]).compactMap(\.self)
    }
    let options =
      ModelArguments.optionNames + TypicalOption.optionNames + BloodWaterOption.optionNames
      + ReadingArguments.optionNames + ErrorArguments.optionNames + IntervalArguments.optionNames
      + SearchArguments.optionNames + StartArguments.optionNames + MethodArguments.optionNames
      + PredictionSource.optionNames + KineticOptions.optionNames + ConversionOptions.optionNames
    return [
      UnusedOptions(
        options, if: true,
        "because readings are exported as they are and nothing is fitted; add --notebook, or leave it out"
      )
    ].compactMap(\.self)
  }
}

extension Compare: StrictCommand {
  var unused: [UnusedOptions] {
    [
      UnusedOptions(
        SearchArguments.optionNames, if: source.parameters == .given && !isSummary,
        "because nothing is fitted; it is for --parameters fitted or left-out"),
      UnusedOptions(
        WithinOption.optionNames, if: !isSummary,
        "because rows of subjects count no errors; add --summary, or leave it out"),
      output.unusedDetails, readings.unused,
    ].compactMap(\.self)
  }
}

extension Sober: StrictCommand {
  var unused: [UnusedOptions] {
    let isSummary = summary || output.resolvedFormat == .table
    let predicting =
      MethodOption.optionNames + TypicalOption.optionNames + BloodWaterOption.optionNames
      + PredictionSource.optionNames.filter { $0 != "--threshold" } + KineticOptions.optionNames
      + SearchArguments.optionNames
    return [
      UnusedOptions(
        predicting, if: predictions != nil,
        "because --predictions supplies the curves; leave it out"),
      UnusedOptions(
        SearchArguments.optionNames, if: source.parameters == .given,
        "because nothing is fitted; it is for --parameters fitted or left-out"),
      UnusedOptions(
        WithinOption.optionNames + BootstrapArguments.optionNames, if: !isSummary,
        "because rows of subjects have no intervals over people; add --summary, or leave it out"),
      output.unusedDetails, readings.unused,
    ].compactMap(\.self)
  }
}

extension Simulate: StrictCommand {
  var unused: [UnusedOptions] {
    let isCohort = cohort.cohort != nil
    return [
      UnusedOptions(
        CohortArguments.optionNames, if: !isCohort,
        "because it is for --cohort; add it, or leave the option out"),
      UnusedOptions(
        ["--until", "--r-factor", "--color"] + TypicalOption.optionNames
          + BloodWaterOption.optionNames, if: isCohort,
        "because --cohort draws each subject's parameters and draws no curve; leave it out"),
      UnusedOptions(
        MapOption.optionNames, if: study == nil, "because no table is read; leave it out"),
    ].compactMap(\.self)
  }
}

extension PopulationCommand: StrictCommand {
  var unused: [UnusedOptions] {
    [
      UnusedOptions(
        ["--nodes"], if: method != .quadrature,
        "because only a quadrature has nodes; add --method quadrature, or leave it out"),
      UnusedOptions(
        BloodWaterOption.optionNames, if: rFactor.text == CovariateMethods.none.text,
        "because no method predicts r; add --r-factor, or leave it out"),
      UnusedOptions(
        ["--starts"], if: evaluate != nil, "because --evaluate estimates nothing; leave it out"),
      UnusedOptions(
        ["--covariance"],
        if: random.map { $0.parameters.count < 2 } ?? false
          && occasional?.parameters.count ?? 0 < 2,
        "because a single parameter has nothing to be correlated with; leave it out"),
      output.unusedDetails, readings.unused,
    ].compactMap(\.self)
  }
}

extension ForecastCommand: StrictCommand {
  var unused: [UnusedOptions] {
    let isRegistered = score && ForecastRegister.isThere(input.study)
    return [
      UnusedOptions(
        PriorArguments.optionNames + ReadingArguments.optionNames
          + ["--prior-from", "--holdout", "--threshold", "--draws", "--seed", "--every"],
        if: isRegistered,
        "because \(input.study) is a registered forecast, which is scored as it was made; leave it out"
      ),
      UnusedOptions(
        ["--every"], if: score || output.resolvedFormat != .json,
        "because only JSON has the curve ahead; add --format json, or leave it out"),
      readings.unused,
    ].compactMap(\.self)
  }
}

extension CaseCommand: StrictCommand {
  var unused: [UnusedOptions] {
    let units = [stated.unit, stated.answerUnit]
    return [
      UnusedOptions(
        ["--draws", "--seed", "--level"], if: mode == .guideline,
        "because --mode guideline draws nothing; add --mode monte-carlo, or leave it out"),
      UnusedOptions(
        MapOption.optionNames, if: study == nil,
        "because no table is read; add --study, or leave it out"),
      UnusedOptions(
        [
          "--r-factor", "--r-cv", "--ka", "--lag", "--stomach", "--absorption", "--height-sd",
          "--weight-sd",
        ],
        if: question == .back,
        "because the question back follows elimination alone; leave it out"),
      UnusedOptions(
        ["--duplicate-limit"], if: caseFile == nil && stated.measured.count < 2,
        "because there are no two samples; state each with --measured, or leave it out"),
      UnusedOptions(
        ["--case-number", "--author"], if: statements.statement == nil,
        "because only a statement has it; add --statement, or leave it out"),
      UnusedOptions(
        [
          "--r-factor", "--r-cv", "--ka", "--lag", "--stomach", "--absorption", "--height-sd",
          "--weight-sd",
        ],
        if: question == .sober && stated.drink.isEmpty,
        "because from a measurement the question sober follows elimination alone; add --drink, or leave it out"
      ),
      UnusedOptions(
        ["--later-drink"], if: question != nil && question != .later,
        "because it is for the question later; leave it out"),
      UnusedOptions(
        ["--limit"], if: question == .drinks,
        "because the question drinks has no concentration for an answer; leave it out"),
      UnusedOptions(
        ["--blood-breath-ratio", "--blood-breath-ratio-sd"],
        if: caseFile == nil && !units.contains { $0?.isBreath ?? false },
        "because no concentration is one in breath; leave it out"),
      UnusedOptions(
        ["--serum-blood-ratio", "--serum-blood-ratio-sd"],
        if: caseFile == nil && !units.contains { $0?.matrix == .serum },
        "because no concentration is one in serum; leave it out"),
    ].compactMap(\.self)
  }
}

extension Regress: StrictCommand {
  var unused: [UnusedOptions] {
    [
      UnusedOptions(
        ["--people"], if: !engines && !credibility,
        "because nobody is made up; it is for --engines and --credibility"),
      UnusedOptions(
        ["--format", "--decimal"], if: update,
        "because --update prints a summary for the commit message; leave it out"),
    ].compactMap(\.self)
  }
}

extension Runs: StrictCommand {
  var unused: [UnusedOptions] {
    [
      UnusedOptions(
        ["--tolerance"], if: compare.isEmpty,
        "because nothing is compared; add --compare, or leave it out")
    ].compactMap(\.self)
  }
}

extension Audit: StrictCommand {
  var unused: [UnusedOptions] {
    [
      UnusedOptions(
        ["--subject", "--after"], if: verify, "because --verify checks all changes; leave it out")
    ].compactMap(\.self)
  }
}

extension Vitals: StrictCommand {
  var unused: [UnusedOptions] {
    [
      UnusedOptions(
        VitalArguments.optionNames + ["--crossings"], if: settings || !changes.isEmpty,
        "because the settings are shown, which are the same for all; leave it out")
    ].compactMap(\.self)
  }
}

extension Bench: StrictCommand {
  var unused: [UnusedOptions] {
    [
      UnusedOptions(["--rounds"], if: quick, "because --quick runs everything once; leave it out")
    ].compactMap(\.self)
  }
}
