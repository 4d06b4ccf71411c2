import Foundation
import TestSupport
import Testing

/// The extension of an output decides its format, and its name may be any bytes.
@Suite struct OutputNameTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
  }

  private static let quick = ["--interval", "none", "--starts", "1", "-q"]

  @Test(arguments: ["xlsx", "parquet", "html", "svg", "feather", "tsv", "sqlite", "pdf"])
  func unsupportedExtensionsAreRefused(_ ending: String) async throws {
    for command in [["fit", study] + Self.quick, ["sober", study, "-q"], ["check", study]] {
      let run = try await Command.promille(command + ["-o", folder("fits.\(ending)")])
      #expect(run.status == 64, "\(run.errors)")
      #expect(run.errors.contains(".csv, .json, .ndjson, .jsonl, .arrow, .arrows"), "\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder("fits.\(ending)")))
    }
  }

  @Test(arguments: ["fits.txt", "fits", "fits.out", ".hidden", "v1.2"])
  func otherExtensionsGiveCSV(_ name: String) async throws {
    let run = try await Command.promille(["fit", study, "-o", folder(name)] + Self.quick)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.read(name).hasPrefix("subject,"))
  }

  /// A file is what readers of files expect, the stream for pipes and `.arrows`; both are read again.
  @Test func arrowFilesAreWritten() async throws {
    let stream = try await Command.shell(
      "promille fit \"$1\" --interval none --starts 1 -q --format arrow > \"$2\"", study,
      folder("piped"))
    #expect(stream.status == 0, "\(stream.errors)")
    for name in ["fits.arrow", "fits.arrows"] {
      let run = try await Command.promille(["fit", study, "-o", folder(name)] + Self.quick)
      #expect(run.status == 0, "\(run.errors)")
    }
    let file = try Data(contentsOf: URL(filePath: folder("fits.arrow")))
    #expect(file.starts(with: Array("ARROW1\0\0".utf8)) && file.suffix(6) == Data("ARROW1".utf8))
    let streamed = try Data(contentsOf: URL(filePath: folder("fits.arrows")))
    #expect(streamed.starts(with: [0xFF, 0xFF, 0xFF, 0xFF]))
    #expect(streamed.suffix(8) == Data([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]))
    // Without its marks and its list of batches it is the stream, but for the name that its provenance has.
    #expect(file.range(of: Data([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])) != nil)
    let footer = file.suffix(10).prefix(4).enumerated().reduce(0) {
      $0 + Int($1.element) << (8 * $1.offset)
    }
    #expect(footer > 0 && footer % 8 == 0 && footer < file.count)
  }

  /// Outputs that cannot be written are reported before any work is done.
  @Test func outputsAreCheckedBeforeTheWork() async throws {
    let database = folder("o.sqlite")
    let imported = try await Command.promille(
      "import", study, "--into", database, "-o", folder.path)
    #expect(imported.status == 73, "\(imported.errors)")
    #expect(!FileManager.default.fileExists(atPath: database))
    try folder.write("ID,TIME,AMT,DV\n1,0,40,.\n1,1,.,0.4\n", to: "a.csv")
    let made = try await Command.promille(
      "init", folder("new"), "--from", folder("a.csv"), "-o", "/proc/promille-none")
    #expect(made.status == 73, "\(made.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder("new")))
    #expect(!(imported.errors + made.errors).contains("NSCocoaErrorDomain"))
  }

  /// A name of bytes that are no UTF-8, and one as long as the system allows.
  @Test func fileNamesMayBeAnyBytes() async throws {
    let odd = try await Command.shell(
      """
      cd "$1" && mkdir "$(printf 'st\\377\\376')" && cp study/*.csv "$(printf 'st\\377\\376')" &&
      promille fit "$(printf 'st\\377\\376')" --interval none --starts 1 -q -o "$(printf 'x\\377.csv')" &&
      ls | od -c | grep -q 'x 377' && head -c 8 "$(printf 'x\\377.csv')"
      """, folder.path)
    #expect(odd.status == 0 && odd.output == "subject,", "\(odd.errors)")
    // A database in such a folder, or called so.
    let database = try await Command.shell(
      """
      cd "$1" && f="$(printf 'st\\377\\376')" && n="$(printf 'n\\377.sqlite')" &&
      for name in "$f/a.sqlite" "$n"; do
        promille import study --into "$name" -q >&2 && promille fit "$name" --interval none --starts 1 -q | head -c 8 ||
          exit
      done; ls -b "$f" .
      """, folder.path)
    #expect(
      database.status == 0 && database.output.hasPrefix("subject,subject,"), "\(database.errors)")
    #expect(
      database.output.contains("\na.sqlite\n") && database.output.contains("\nn\\377.sqlite\n"),
      "\(database.output)")
    let wrong = try await Command.shell(
      "cd \"$1\" && promille fit \"$(printf 'no\\377')\" -q", folder.path)
    #expect(wrong.status == 66 && wrong.errors.contains("no\\xff"), "\(wrong.errors)")
    let long = String(repeating: "x", count: 251) + ".csv"
    let run = try await Command.promille(["fit", study, "-o", folder(long)] + Self.quick)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.read(long).hasPrefix("subject,"))
  }

  /// Threads that the system does not give are done without.
  @Test func missingThreadsDoNotChangeResults() async throws {
    let all = try await Command.promille(["fit", study] + Self.quick)
    let few = try await Command.shell(
      """
      ulimit -v 1000000
      timeout 60 sh -c '"$0" "$@"' "$command" fit "$1" --interval none --starts 1 -q --jobs 500
      """, study)
    #expect(few.status == 0, "\(few.errors)")
    #expect(few.output == all.output)
  }
}
