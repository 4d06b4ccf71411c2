package import AlcoholKinetics
package import Estimation

extension SeriesFit {
  /// The value of a parameter that the model has, NaN for others.
  package func value(_ parameter: FitParameter) -> Double {
    values[parameter] ?? .nan
  }
}
