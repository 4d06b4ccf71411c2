public import AlcoholKinetics

/// A model to choose between: how ethanol is eliminated, and whether absorption begins with a lag.
public struct ModelCandidate: Hashable, Sendable {
  /// How ethanol is eliminated.
  public let model: EliminationModel
  /// Whether a lag is estimated.
  public let hasLag: Bool

  package init(model: EliminationModel, hasLag: Bool) {
    self.model = model
    self.hasLag = hasLag
  }

  /// All that are compared: every model, each without and with a lag.
  public static let all = EliminationModel.allCases.flatMap { model in
    [false, true].map { ModelCandidate(model: model, hasLag: $0) }
  }

  /// The name, as results carry it.
  public var name: String { hasLag ? model.rawValue + "-lag" : model.rawValue }

  /// What people call it, at the beginning of a sentence.
  public var title: String { hasLag ? model.title + " with a lag" : model.title }

  /// The options to fit it with: those of another fit, but for what is estimated. Of what that one
  /// estimates r and the gain are kept; what it holds fixed stays so. There are no intervals, since
  /// none are compared.
  func options(from base: FitOptions) -> FitOptions {
    let own = model.defaultEstimate.union(hasLag ? [.lag] : []).subtracting(base.fixed.keys)
    var options = base
    options.model = model
    options.estimate = own.union(base.estimate.intersection([.r, .gain]))
    options.fixed = base.fixed.filter { model.parameters.contains($0.key) }
    options.bounds = base.bounds.filter { options.estimate.contains($0.key) }
    options.interval = nil
    return options
  }
}
