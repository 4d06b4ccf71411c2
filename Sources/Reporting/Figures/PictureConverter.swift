public import Foundation

/// The program rsvg-convert, which makes PNG and PDF of SVG.
public struct PictureConverter: Sendable {
  public enum Format: String, CaseIterable, Sendable {
    /// Portable Network Graphics, twice as many pixels as the figure has.
    case png
    case pdf
  }

  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case missing
    /// It could not convert; what it said.
    case failed(String)

    public var code: String {
      switch self {
      case .missing: "E_CONVERTER_MISSING"
      case .failed: "E_CONVERTER_FAILED"
      }
    }

    public var description: String {
      switch self {
      case .missing:
        "rsvg-convert is not installed; install it (Debian: librsvg2-bin, Homebrew: librsvg), or write "
          + "SVG, which needs no other program"
      case .failed(let message): "rsvg-convert could not convert the figure: \(message)"
      }
    }
  }

  private static let log = "converter.log"
  private let program: String

  /// Looks for the program in the folders of a path.
  ///
  /// - Parameter path: Folders separated by colons, by default those of the environment.
  /// - Throws: ``Failure/missing`` if it is in none of them.
  public init(
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) throws(Failure) {
    let program = path.split(separator: ":").map { "\($0)/rsvg-convert" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let program else { throw .missing }
    self.program = program
  }

  /// Converts a figure.
  ///
  /// - `folder`: For the files that the program reads and writes.
  /// - Throws: ``Failure/failed(_:)`` if a file cannot be written or the program fails.
  public func picture(
    of figure: Figure, as format: Format, in folder: PrivateFolder
  ) throws(Failure) -> Data {
    let (source, target) = ("figure.svg", "figure.\(format.rawValue)")
    let ending: ChildProcess.Ending
    do throws(PrivateFolder.Failure) {
      try folder.write(figure.svg, to: source)
      let arguments =
        ["--format", format.rawValue, "--zoom", format == .png ? "2" : "1"]
        + ["--output", folder.place(target), folder.place(source)]
      ending = try ChildProcess.run(program, arguments, in: folder, errorsTo: Self.log)
    } catch {
      throw .failed(error.description)
    }
    guard ending == .exit(0), let data = try? Data(contentsOf: URL(filePath: folder.place(target)))
    else {
      let said = folder.text(Self.log)?.split(separator: "\n").last.map(String.init)
      throw .failed(said ?? "it ended with \(ending)")
    }
    return data
  }
}
