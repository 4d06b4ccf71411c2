import AlcoholKinetics
import Estimation
import RealModule
public import StudyFiles

extension PopulationFile {
  /// The population as a model for NONMEM and nlmixr2, with its values as initial estimates.
  ///
  /// - Parameter isPrior: Whether it is to be a prior, too.
  /// - Throws: ``PopulationFailure/badFile(_:)`` if it cannot be.
  public func problem(asPrior isPrior: Bool) throws(PopulationFailure) -> ProblemModel {
    guard rFactor == nil else {
      throw .badFile(
        "r by \(rFactor ?? "") cannot be written for NONMEM; fit a population with a typical r")
    }
    let model = try model()
    let values = try values(of: model)
    let within = values[.occasion]
    func unit(_ parameter: PopulationParameter) -> String {
      parameter.unit.hasPrefix("/") ? "1\(parameter.unit)" : parameter.unit
    }
    var parameters = model.parameters.enumerated().map { place, parameter in
      ProblemModel.Parameter(
        parameter.rawValue, unit(parameter), .exp(values.typical[place]),
        within: model.occasional.firstIndex(of: parameter).map { within[$0, $0] },
        error: typicalErrors[parameter])
    }
    for (parameter, value) in model.fixed.sorted(by: { $0.key < $1.key }) where parameter != .gain {
      parameters.append(
        ProblemModel.Parameter(
          parameter.rawValue, unit(.kinetic(parameter)), value, isFixed: true))
    }
    let names = Set(parameters.map(\.name))
    guard names.contains("r") || names.isSuperset(of: ["cl", "ke"]) else {
      throw .badFile("there is no r; give a typical r, or hold it in fixed")
    }
    guard names.contains("ka") else {
      throw .badFile("there is no ka; give a typical ka, or hold it in fixed")
    }
    let between = values[.person]
    var problem = ProblemModel(
      model.elimination, parameters,
      between: (
        model.random.map(\.rawValue),
        model.random.indices.map { row in model.random.indices.map { between[row, $0] } }
      ))
    problem.effects = covariates.map { one in
      ProblemModel.Effect(
        of: one.covariate.name, on: one.covariate.parameter.rawValue,
        isPower: one.covariate.form == .power, center: one.center ?? 1,
        coefficient: one.coefficient, error: one.error)
    }
    problem.sd = values.sd > 0 ? values.sd : nil
    problem.cv = values.cv > 0 ? values.cv : nil
    if isPrior {
      guard let people else { throw .badFile("people is missing, whose number a prior needs") }
      problem.priorPeople = people
      let names =
        parameters.map { "typical.\($0.name)" }
        + problem.effects.map { "covariates.\($0.parameter),\($0.covariate)" }
      problem.priorCorrelations = estimates.map { known in
        names.map { one in names.map { known.correlation(one, $0) } }
      }
    }
    return problem
  }
}
