/// What a terminal can show of a text.
public struct TerminalStyle: Sendable {
  /// How many characters a line may have; nil without a limit.
  public var width: Int?
  public var isColored: Bool

  public init(width: Int? = nil, isColored: Bool = false) {
    self.width = width
    self.isColored = isColored
  }

  /// What is no terminal: lines of any length, without colours.
  public static let plain = TerminalStyle()

  /// The text in a colour, where there are colours.
  package func painted(_ text: String, _ ink: Ink) -> String {
    isColored ? "\u{1B}[\(ink.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// How parts of a text stand out on a terminal, by the codes of ECMA-48 (1991), 8.3.117.
package enum Ink: String, Sendable {
  case bold = "1"
  case red = "31"
  case green = "32"
  case yellow = "33"
}

extension Table.Header {
  /// What a cell stands out by: of the columns for people only the status does.
  func ink(of cell: Cell) -> Ink? {
    guard heading == "status", case .text(let status) = cell else { return nil }
    switch status {
    case "ok", "unchanged": return .green
    case "failed", "not-converged", "error": return .red
    default: return .yellow
    }
  }
}
