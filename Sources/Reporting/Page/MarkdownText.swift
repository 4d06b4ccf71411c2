import Foundation
import StudyData

/// Markdown as it stands in the source, with texts put in that are escaped: no name in a study
/// becomes a mark, a link or HTML.
struct MarkdownText: ExpressibleByStringInterpolation {
  /// Takes literals as they are, and escapes what stands between them.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var source = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      source.reserveCapacity(literalCapacity)
    }

    mutating func appendLiteral(_ literal: String) { source += literal }

    mutating func appendInterpolation(_ text: String) { source += text.markdownEscaped }
  }

  /// The Markdown.
  let source: String

  init(stringLiteral source: String) {
    self.source = source
  }

  init(stringInterpolation: StringInterpolation) {
    source = stringInterpolation.source
  }
}

extension String {
  /// The text with what Markdown would take for marks escaped, and what nobody could see made
  /// visible; below the level of characters.
  ///
  /// GitHub's marks are among them: `~`, and `$` for formulas.
  var markdownEscaped: String {
    let text = Array(printable.unicodeScalars)
    return text.indices.reduce(into: "") { escaped, index in
      let scalar = text[index]
      switch scalar {
      case "<": escaped += "&lt;"
      case "&" where text[(index + 1)...].first.map(\.beginsEntity) == true: escaped += "&amp;"
      case "\\", "`", "*", "_", "[", "]", "|", "#", ">", "~", "$": escaped += "\\\(scalar)"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }

  /// The same for a text that begins a line, where more has a meaning: points of a list, numbers,
  /// and the blanks of a code block.
  var markdownLine: String {
    let escaped = markdownEscaped
    if escaped.hasPrefix(" ") { return "&#32;" + escaped.dropFirst() }
    if let first = escaped.unicodeScalars.first, ["+", "-", "="].contains(first) {
      return "\\" + escaped
    }
    let digits = escaped.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, let mark = escaped.dropFirst(digits.count).first,
      mark == "." || mark == ")"
    else { return escaped }
    return digits + "\\" + escaped.dropFirst(digits.count)
  }

  /// The path as the destination of a link, which ends at a blank or a bracket otherwise.
  var linkEscaped: String {
    let kept = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
    return addingPercentEncoding(withAllowedCharacters: kept) ?? self
  }
}

extension Unicode.Scalar {
  fileprivate var beginsEntity: Bool {
    self == "#" || isASCII && properties.isAlphabetic
  }
}
