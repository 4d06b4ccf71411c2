package import Foundation
import Synchronization

/// The program rsvg-convert, which makes PNG and PDF of SVG.
package final class PictureConverter: Sendable {
  package enum Format: String, CaseIterable, Sendable {
    /// Portable Network Graphics, twice as many pixels as the figure has.
    case png
    case pdf
  }

  package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    case missing
    /// The conversion failed, with the program's message.
    case failed(String)

    package var code: String {
      switch self {
      case .missing: "E_CONVERTER_MISSING"
      case .failed: "E_CONVERTER_FAILED"
      }
    }

    package var description: String {
      switch self {
      case .missing:
        "rsvg-convert is not installed; install it (Debian: librsvg2-bin, Homebrew: librsvg), or write "
          + "SVG, which needs no other program"
      case .failed(let message): "rsvg-convert could not convert the figure: \(message)"
      }
    }
  }

  private let program: String
  private let figureFile, pictureFile, errorFile: TemporaryFile
  /// Held by the conversion that has the files.
  private let turn = Mutex(())

  /// Looks for the program in the folders of a path.
  ///
  /// - Parameter path: Folders separated by colons, by default those of the environment.
  /// - Throws: ``Failure/missing`` if it is in none of them, or why there is no temporary file.
  package init(
    path: String = ProcessInfo.processInfo.environment["PATH"] ?? ""
  ) throws {
    figureFile = try TemporaryFile()
    pictureFile = try TemporaryFile()
    errorFile = try TemporaryFile()
    let program = path.split(separator: ":").map { "\($0)/rsvg-convert" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let program else { throw Failure.missing }
    self.program = program
  }

  /// Converts a figure.
  ///
  /// - Throws: ``Failure/failed(_:)`` if a file cannot be written or the program fails.
  package func picture(of figure: Figure, as format: Format) throws(Failure) -> Data {
    try turn.withLock { _ throws(Failure) in try converted(figure, format) }
  }

  private func converted(_ figure: Figure, _ format: Format) throws(Failure) -> Data {
    let ending: ChildProcess.Ending
    do throws(TemporaryFile.Failure) {
      try figureFile.write(figure.svg)
      for file in [pictureFile, errorFile] { file.empty() }
      ending = try ChildProcess.run(
        program, ["--format", format.rawValue, "--zoom", format == .png ? "2" : "1"],
        input: figureFile, output: pictureFile, errors: errorFile)
    } catch {
      throw .failed(error.description)
    }
    let picture = pictureFile.contents
    guard ending == .exit(0), !picture.isEmpty else {
      let said = String(decoding: errorFile.contents, as: UTF8.self).split(separator: "\n").last
      throw .failed(said.map(String.init) ?? "it ended with \(ending)")
    }
    return picture
  }
}
