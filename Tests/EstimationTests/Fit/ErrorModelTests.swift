import Testing

@testable import Estimation

/// Properties of every error model, also of one that is added later.
@Suite struct ErrorModelTests {
  private static let instrument = ObservationModel(sd: 0.003, cv: 0.02)

  @Test func namesAreUnique() {
    #expect(Set(ErrorModel.allCases.map(\.name)).count == ErrorModel.allCases.count)
    #expect(
      ErrorModel.allCases.map(\.name) == ["additive", "proportional", "combined", "instrument"])
  }

  @Test(arguments: ErrorModel.allCases)
  func parametersNotGivenAreEstimated(model: ErrorModel) {
    #expect(model.estimatedCount == model.parameters.count && model.given == nil)
    let known = model.with(ObservationModel(sd: 0.01, cv: 0.05))
    #expect(known.estimatedCount == 0 && !known.isEstimated && known.name == model.name)
    for parameter in model.parameters { #expect(model.start[parameter] > 0) }
    #expect(model.start[.sd] == 0 || model.parameters.contains(.sd))
    #expect(model.start[.cv] == 0 || model.parameters.contains(.cv))
  }

  @Test func estimatedErrorsFillMissingParameters() {
    func errors(_ model: ErrorModel) -> ObservationModel {
      model.observation(unit: 0.02, ratio: 5, Self.instrument)
    }
    #expect(errors(.additive(sd: nil)) == ObservationModel(sd: 0.02, cv: 0))
    #expect(errors(.additive(sd: 0.1)) == ObservationModel(sd: 0.1, cv: 0))
    #expect(errors(.proportional(cv: nil)) == ObservationModel(sd: 0, cv: 0.02))
    #expect(errors(.proportional(cv: 0.1)) == ObservationModel(sd: 0, cv: 0.1))
    #expect(errors(.combined(nil)) == ObservationModel(sd: 0.02, cv: 0.02 * 5))
    let both = ObservationModel(sd: 0.01, cv: 0.05)
    #expect(errors(.combined(both)) == both)
    #expect(errors(.instrument) == Self.instrument)
  }

  @Test func errorModelFollowsFromObservationErrors() {
    for (errors, model) in [
      (ObservationModel(sd: 0.1, cv: 0), ErrorModel.additive(sd: nil)),
      (ObservationModel(sd: 0, cv: 0.1), .proportional(cv: nil)),
      (ObservationModel(sd: 0.1, cv: 0.1), .combined(nil)),
    ] {
      #expect(ErrorModel(of: errors, isEstimated: true) == model)
      #expect(ErrorModel(of: errors, isEstimated: false) == model.with(errors))
    }
  }

  @Test func estimatedParametersAreSharedByAStudy() {
    #expect(!ErrorModel.additive(sd: nil).hasSharedParameters)
    #expect(ErrorModel.proportional(cv: nil).hasSharedParameters)
    #expect(!ErrorModel.proportional(cv: 0.1).hasSharedParameters)
    #expect(ErrorModel.combined(nil).hasSharedParameters && ErrorModel.combined(nil).hasRatio)
    #expect(!ErrorModel.instrument.hasSharedParameters && ErrorModel.instrument.hasSD)
  }
}
