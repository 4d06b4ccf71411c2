package import AlcoholKinetics
import Foundation
import StudyData

/// A value of an option with a text form, such as `additive:0.02`, which is also its coded form.
public protocol TextOption: Codable, Sendable {
  /// Reads the text.
  ///
  /// - Throws: ``SeriesFailure/badOptions(_:)`` with the correct form.
  init(parsing text: String) throws(SeriesFailure)
  /// The text, in its usual form.
  var text: String { get }
}

extension TextOption {
  /// Decodes the text.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// Options that have no effect in combination with others.
public struct IneffectiveOptions: Hashable, Sendable {
  /// Their names in results.
  public internal(set) var names: [String]
  /// The reason and the remedy, as the continuation of "not used,".
  public let reason: String

  /// Reports options without effect; nil if they have one.
  package init?(_ names: [String], if isUnused: Bool, _ reason: String) {
    guard isUnused else { return nil }
    self.names = names
    self.reason = reason
  }
}

extension IneffectiveOptions {
  /// Returns a copy without some of the names.
  package func without(_ names: Set<String>) -> Self {
    var options = self
    options.names.removeAll(where: names.contains)
    return options
  }
}

extension [IneffectiveOptions] {
  /// Returns those that were given, without names that were not.
  package func among(_ given: Set<String>) -> Self {
    map { $0.without(Set($0.names).subtracting(given)) }.filter { !$0.names.isEmpty }
  }
}

extension Double {
  /// The shortest exact text of the number, without `.0`.
  package var exactText: String {
    let text = String(format: "%.15g", self)
    return Double(text) == self ? text : "\(self)"
  }
}

// MARK: - Parameters

/// A parameter of curves or of populations, which options name.
package protocol NamedParameter: RawRepresentable<String>, Hashable, Comparable, Sendable {
  static var allNames: [String] { get }
  /// Forms of a value and of a range, for messages.
  static var valueForm: String { get }
  static var rangeForm: String { get }
  /// The value of a text in the unit that people use, in the library's unit.
  func value(ofText text: some StringProtocol) throws(SeriesFailure) -> Double
  /// A value in the unit that people use.
  func text(of value: Double) -> String
}

extension NamedParameter {
  /// All names, for help and messages.
  package static var names: String { allNames.joined(separator: ", ") }

  /// The parameter with a name, in any of its spellings: ka, k_a, KA.
  package init(named name: some StringProtocol) throws(SeriesFailure) {
    let canonical = String(name).parameterName
    guard let parameter = Self(rawValue: canonical) else {
      let near = canonical.nearest(in: Self.allNames).map { " Did you mean \($0)?" } ?? ""
      throw .badOptions("there is no parameter '\(name)'; choose from \(Self.names).\(near)")
    }
    self = parameter
  }

  /// Splits a text into the parameter before an equals sign and the rest behind it.
  package static func parts(
    _ text: String, form: String
  ) throws(SeriesFailure) -> (parameter: Self, rest: Substring) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .badOptions("it must be \(form).") }
    return (try Self(named: parts[0]), parts[1])
  }
}

extension FitParameter: NamedParameter {
  package static let allNames = allCases.map(\.rawValue)
  package static var valueForm: String { "NAME=VALUE, for example ka=18" }
  package static var rangeForm: String { "NAME=LOW:HIGH, for example ka=0.5:30" }

  package func value(ofText text: some StringProtocol) throws(SeriesFailure) -> Double {
    guard let value = Double(text), allows(value) else {
      let requirement =
        switch (traits.isTime, traits.canBeZero) {
        case (true, _): "a number of min, 0 or more"
        case (false, true): "0 or a positive number"
        case (false, false): "a positive number"
        }
      throw .badOptions("'\(text)' is not a value of \(rawValue); it must be \(requirement).")
    }
    return self.value(reported: value)
  }

  package func text(of value: Double) -> String { reportedValue(value).exactText }
}

extension String {
  /// The name of a parameter from its spellings in books and other programs: in any case, without underscores, and with
  /// Greek letters.
  fileprivate var parameterName: String {
    let word = lowercased().filter { $0 != "_" && $0 != "-" }
    let others = [
      "\u{3B2}": "beta", "rho": "r", "\u{3C1}": "r", "tlag": "lag", "alag": "lag",
      "vm": "vmax", "beta60": "beta",
    ]
    return others[word] ?? word
  }
}

/// Names of parameters, separated by commas.
package struct NameList<Parameter: NamedParameter>: TextOption, Hashable {
  package let parameters: [Parameter]

  package init(_ parameters: some Sequence<Parameter>) { self.parameters = Array(parameters) }

  package init(parsing text: String) throws(SeriesFailure) {
    var parameters: [Parameter] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      parameters.append(try Parameter(named: name))
    }
    guard Set(parameters).count == parameters.count else {
      throw .badOptions("a parameter is named twice.")
    }
    self.parameters = parameters
  }

  /// The names in the order of results.
  package var text: String { parameters.sorted().map(\.rawValue).joined(separator: ",") }
}

/// A value of a parameter in the library's unit, stated as `NAME=VALUE`.
package struct StatedValue<Parameter: NamedParameter>: TextOption, Hashable {
  package let parameter: Parameter
  package let value: Double

  package init(_ parameter: Parameter, _ value: Double) {
    self.parameter = parameter
    self.value = value
  }

  package init(parsing text: String) throws(SeriesFailure) {
    let (parameter, rest) = try Parameter.parts(text, form: Parameter.valueForm)
    self.init(parameter, try parameter.value(ofText: rest))
  }

  package var text: String { "\(parameter.rawValue)=\(parameter.text(of: value))" }
}

/// A range of a parameter in the library's unit, stated as `NAME=LOW:HIGH`.
package struct StatedRange<Parameter: NamedParameter>: TextOption, Hashable {
  package let parameter: Parameter
  package let range: ClosedRange<Double>

  package init(_ parameter: Parameter, _ range: ClosedRange<Double>) {
    self.parameter = parameter
    self.range = range
  }

  package init(parsing text: String) throws(SeriesFailure) {
    let (parameter, rest) = try Parameter.parts(text, form: Parameter.rangeForm)
    let ends = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard ends.count == 2 else { throw .badOptions("it must be \(FitParameter.rangeForm).") }
    let low = try parameter.value(ofText: ends[0])
    let high = try parameter.value(ofText: ends[1])
    guard low < high else { throw .badOptions("\(ends[0]) is not below \(ends[1]).") }
    self.init(parameter, low...high)
  }

  package var text: String {
    "\(parameter.rawValue)=\(parameter.text(of: range.lowerBound)):\(parameter.text(of: range.upperBound))"
  }
}

extension Sequence {
  /// The values by their parameters.
  package func byParameter<Parameter>() -> [Parameter: Double]
  where Element == StatedValue<Parameter> {
    Dictionary(map { ($0.parameter, $0.value) }) { first, _ in first }
  }

  /// The ranges by their parameters.
  package func byParameter<Parameter>() -> [Parameter: ClosedRange<Double>]
  where Element == StatedRange<Parameter> {
    Dictionary(map { ($0.parameter, $0.range) }) { first, _ in first }
  }
}
