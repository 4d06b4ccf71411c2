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
        "gnuplot, which draws the pictures, is not installed (Debian: gnuplot-nox, "
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
      .first { FileManager.default.isExecutableFile(atPath: $0.path()) }
    guard let program else { throw .missing }
    self.program = program
  }

  /// Draws figures into a folder, each as NAME.svg or the like, with its script beside it.
  ///
  /// - Parameters:
  ///   - figures: With names that differ.
  ///   - folder: Where to, a folder that exists.
  ///   - format: What to make of them.
  /// - Throws: ``Failure/failed(_:)`` if a file cannot be written or gnuplot does not understand.
  public func draw(
    _ figures: [Figure], into folder: URL, as format: Figure.Format
  ) throws(Failure) {
    guard !figures.isEmpty else { return }
    do {
      for figure in figures {
        try figure.script(into: "\(figure.name).\(format.rawValue)", as: format)
          .write(
            to: folder.appending(path: "\(figure.name).gp"), atomically: true, encoding: .utf8)
      }
    } catch {
      throw .failed(error.localizedDescription)
    }
    // A run of gnuplot takes a tenth of a second to begin: all figures share one.
    let resets = figures.flatMap { ["-e", "reset session", "\($0.name).gp"] }
    try run(["-d"] + resets, in: folder)
  }

  private func run(_ arguments: [String], in folder: URL) throws(Failure) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    do { try process.run() } catch { throw .failed(error.localizedDescription) }
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let text = String(decoding: said, as: UTF8.self).split(separator: "\n")
      throw .failed(text.last.map(String.init) ?? "status \(process.terminationStatus)")
    }
  }
}
