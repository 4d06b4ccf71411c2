import ArgumentParser
import Foundation
import Reporting

enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
  case auto, always, never

  /// Whether what is written to a stream is coloured.
  ///
  /// An empty NO_COLOR is as good as none (no-color.org). A terminal that is called dumb, or by no name, shows no
  /// colours.
  func isOn(for descriptor: Int32) -> Bool {
    let environment = ProcessInfo.processInfo.environment
    return switch self {
    case .always: true
    case .never: false
    case .auto:
      isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
        && !["", "dumb"].contains(environment["TERM"] ?? "")
    }
  }
}

/// The terminal that standard output goes to.
enum OutputTerminal {
  /// The width of lines where a terminal does not state its own.
  private static let usualWidth = 80

  static func style(_ color: ColorChoice) -> TerminalStyle {
    TerminalStyle(
      width: isatty(STDOUT_FILENO) == 1 ? width(of: STDOUT_FILENO) : nil,
      isColored: color.isOn(for: STDOUT_FILENO))
  }

  /// The width by COLUMNS, else that of the terminal that a stream goes to.
  static func width(of descriptor: Int32) -> Int {
    if let given = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init), given > 0 {
      return given
    }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return usualWidth
    }
    return Int(size.ws_col)
  }
}
