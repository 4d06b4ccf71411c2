import AlcoholKinetics
import Foundation
import TestSupport
import Testing

/// A method is a file in `RFactors/Methods`; Swift cannot find it there by itself, so this does.
@Suite struct MethodFilesTests {
  static let folder = PackageFolder.root
    .appending(path: "Sources/AlcoholKinetics/RFactors/Methods")

  /// The files' names without `.swift`.
  static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") }
      .map { String($0.dropLast(".swift".count)) }
      .sorted()
  }

  @Test func everyFileIsRegistered() throws {
    let registered = Set(RFactorMethods.known().map { String(describing: type(of: $0)) })
    for file in try Self.files() {
      #expect(
        registered.contains(file),
        "Methods/\(file).swift has no line in RFactorMethods.known, or its type is not \(file)")
    }
    #expect(try registered.count == Self.files().count)
  }

  @Test func everyFileStatesItsSourceAndTheUnitOfR() throws {
    for file in try Self.files() {
      let text = try String(
        contentsOf: Self.folder.appending(path: "\(file).swift"), encoding: .utf8)
      #expect(text.contains("\n/// Unit of r: "), "Methods/\(file).swift")
      #expect(text.contains("\n/// Source: "), "Methods/\(file).swift")
    }
  }
}
