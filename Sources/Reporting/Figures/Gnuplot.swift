public import Foundation

/// The program gnuplot, which draws figures.
public struct Gnuplot: Sendable {
  /// Why there is no picture.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not installed.
    case missing
    /// It could not draw; what it said.
    case failed(String)

    /// The stable code.
    public var code: String {
      switch self {
      case .missing: "E_GNUPLOT_MISSING"
      case .failed: "E_GNUPLOT_FAILED"
      }
    }

    public var description: String {
      switch self {
      case .missing:
        "gnuplot is not installed; install it to draw figures (Debian: gnuplot-nox, "
          + "Homebrew: gnuplot)"
      case .failed(let message): "gnuplot could not draw: \(message)"
      }
    }
  }

  private let program: URL

  /// Looks for gnuplot in the folders of a path.
  ///
  /// - Parameter path: Folders separated by colons, by default those of the environment.
  /// - Throws: ``Failure/missing`` if it is in none of them.
  public init(
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) throws(Failure) {
    let program = path.split(separator: ":")
      .map { URL(filePath: String($0)).appending(path: "gnuplot") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false)) }
    guard let program else { throw .missing }
    self.program = program
  }

  /// What gnuplot says, in the folder of the figures.
  private static let log = "gnuplot.log"

  /// Draws figures into a folder, each as NAME.svg or the like, with its script beside it.
  ///
  /// - Parameters:
  ///   - figures: With names that differ.
  ///   - folder: Where to.
  ///   - format: What to make of them.
  /// - Throws: ``Failure/failed(_:)`` if a file cannot be written or gnuplot does not understand.
  public func draw(
    _ figures: [Figure], into folder: PrivateFolder, as format: Figure.Format
  ) throws(Failure) {
    guard !figures.isEmpty else { return }
    let ending: ChildProcess.Ending
    do throws(PrivateFolder.Failure) {
      for figure in figures {
        let picture = "\(figure.name).\(format.rawValue)"
        _ = folder.place(picture)
        try folder.write(figure.script(into: picture, as: format), to: "\(figure.name).gp")
      }
      // A run of gnuplot takes a tenth of a second to begin: all figures share one.
      let path = folder.path.replacing("'", with: "''")
      let scripts = figures.flatMap { ["-e", "reset session", "\($0.name).gp"] }
      ending = try ChildProcess.run(
        program.path(percentEncoded: false), ["-d", "-e", "cd '\(path)'"] + scripts, in: folder,
        errorsTo: Self.log)
    } catch {
      throw .failed(error.description)
    }
    guard ending != .exit(0) else { return }
    let said = folder.text(Self.log)?.split(separator: "\n").last.map(String.init)
    throw .failed(said ?? "it ended with \(ending)")
  }
}
