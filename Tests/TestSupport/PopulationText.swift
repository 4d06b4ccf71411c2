/// Writes the file of a population from numbers by names: `beta,r` is a covariance, `beta,sex` an effect.
///
/// - Parameters:
///   - fit: Members of the row of the fit, as in `"people": 24`.
///   - errors: Standard errors of the logarithms of typical values.
///   - more: Further members of the file, after a comma.
public func populationText(
  fit: String = "", typical: KeyValuePairs<String, Double>, errors: [String: Double] = [:],
  between: KeyValuePairs<String, Double>, within: KeyValuePairs<String, Double> = [:],
  studies: KeyValuePairs<String, Double> = [:], covariates: [String] = [],
  residual: KeyValuePairs<String, Double>, more: String = ""
) -> String {
  func spread(_ numbers: KeyValuePairs<String, Double>) -> [String] {
    numbers.map { key, number in
      let names = key.split(separator: ",")
      return
        #"{"parameter": "\#(names[0])", "other": "\#(names[names.count - 1])", "covariance": \#(number)}"#
    }
  }
  let tables: KeyValuePairs = [
    "population": ["{\(fit)}"],
    "typical": typical.map { name, value in
      #"{"parameter": "\#(name)", "value": \#(value)"#
        + (errors[name].map { #", "se": \#($0)"# } ?? "") + "}"
    },
    "between": spread(between), "within": spread(within), "studies": spread(studies),
    "covariates": covariates,
    "residual": residual.map { #"{"error": "\#($0)", "value": \#($1)}"# },
  ]
  return "{"
    + tables.map { #""\#($0)": [\#($1.joined(separator: ",\n  "))]"# }.joined(separator: ",\n ")
    + more + "}"
}
