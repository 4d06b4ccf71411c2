import AlcoholKinetics

/// A Jupyter notebook in Python, not run yet (nbformat 4.5).
///
/// Its cells are those of the template `notebook.py`, which are marked as editors mark them (`# %%`).
struct Notebook {
  let json: JSONValue

  init(titled title: String, version: String, name: String, options: JSONValue) {
    let values = [
      "title": title.markdownEscaped, "version": version.markdownEscaped, "name": name,
      "parameters": Self.parameters, "options": options.line,
    ]
    let template = String(decoding: PackageResources.notebook_py, as: UTF8.self)
    json = [
      "cells": .array(template.split(separator: "# %%").map { Self.cell($0, filledWith: values) }),
      "metadata": [
        "kernelspec": ["display_name": "Python 3", "language": "python", "name": "python3"],
        "language_info": ["name": "python"],
      ],
      "nbformat": 4, "nbformat_minor": 5,
    ]
  }

  /// A cell: its kind and a short name that no other has, and below them its lines, of text behind `#`.
  private static func cell(_ text: Substring, filledWith values: [String: String]) -> JSONValue {
    let mark = " [markdown]"
    let isText = text.hasPrefix(mark)
    let parts = text.dropFirst(isText ? mark.count : 0)
      .split(separator: "\n", omittingEmptySubsequences: false)
    var lines = parts.dropFirst().map { isText ? $0.dropFirst($0.hasPrefix("# ") ? 2 : 1) : $0 }
    while lines.last?.isEmpty == true { lines.removeLast() }
    let source = lines.joined(separator: "\n").filled(values)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let texts = source.indices.map { index -> JSONValue in
      .string(source[index] + (index < source.count - 1 ? "\n" : ""))
    }
    let results: JSONValue.Members = isText ? [] : [("execution_count", .null), ("outputs", [])]
    return .object(
      [
        ("cell_type", isText ? "markdown" : "code"), ("id", .string(String(parts[0].dropFirst()))),
        ("metadata", [:]),
      ] + results + [("source", .array(texts))])
  }

  /// Column, label and scale of every parameter, as lines of a Python dictionary.
  private static let parameters = FitParameter.forPeople.map { parameter in
    let unit = parameter.reportedUnit
    let divided = unit.contains("/") ? "(\(unit))" : unit
    let label = mathSymbol(of: parameter) + (unit.isEmpty ? "" : " / \(divided)")
    let scale = parameter == .r || parameter.traits.canBeZero ? "linear" : "log"
    return
      #"    "\#(parameter.rawValue)": ("\#(parameter.columnName)", r"\#(label)", "\#(scale)"),"#
  }.joined(separator: "\n")

  /// The symbol as TeX sets it; lag and gain are words.
  private static func mathSymbol(of parameter: FitParameter) -> String {
    guard parameter != .gain else { return "calibration factor" }
    guard !parameter.traits.isUsuallyNeutral else { return parameter.symbol }
    guard parameter != .beta else { return #"$\beta$"# }
    let parts = parameter.symbol.split(separator: "_")
    let subscripts = parts.dropFirst().map { $0.count == 1 ? "_\($0)" : "_{\($0)}" }
    return "$\(parts[0])\(subscripts.joined())$"
  }
}

extension String {
  /// The template with what stands in the place of names in double braces.
  func filled(_ values: [String: String]) -> String {
    replacing(/\{\{([a-z]+)\}\}/) { values[String($0.1)] ?? "" }
  }
}

extension [UInt8] {
  /// The embedded template, filled in the same way.
  func filled(_ values: [String: String]) -> String {
    String(decoding: self, as: UTF8.self).filled(values)
  }
}
