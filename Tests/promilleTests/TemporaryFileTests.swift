import Foundation
import TestSupport
import Testing

/// Temporary files hold people's data: they have no name, so that they go with the command however it ends.
@Suite struct TemporaryFileTests {
  private let folder: TemporaryFolder
  private let study: String

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy().write(to: folder)
    try folder.makeFolder("temporary")
    try folder.makeFolder("bin")
  }

  /// Puts a program in the place of the converter of pictures, and tells the command of it and of the folder.
  private func converter(_ script: String) throws -> [String: String] {
    try folder.write("#!/bin/sh\n" + script, to: "bin/rsvg-convert")
    guard chmod(folder("bin/rsvg-convert"), 0o755) == 0 else { throw CocoaError(.fileWriteUnknown) }
    return ["PATH": folder("bin") + ":/usr/bin:/bin", "TMPDIR": folder("temporary")]
  }

  private var temporaryFiles: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder("temporary")) }
  }

  private static let fast = ["--starts", "1", "--interval", "none"]

  @Test(arguments: [SIGTERM, SIGKILL])
  func signalLeavesNoTemporaryFiles(signal: Int32) async throws {
    let environment = try converter(
      "echo $$ >\(folder("pid.part")); mv \(folder("pid.part")) "
        + "\(folder("pid")); exec sleep 3000")
    let process = try Command.starting(
      "plot", study, "--subject", "ann", "-o", folder("x.png"), "--starts", "1", "--interval",
      "none",
      environment: environment)
    var program: pid_t?
    for _ in 0..<3000 where program == nil {
      try await Task.sleep(for: .milliseconds(10))
      program = (try? folder.read("pid")).flatMap { pid_t($0.dropLast()) }
    }
    let started = try #require(program)
    #expect(try temporaryFiles == [])
    process.kill(signal)
    // The program goes on with files that nobody else has. It holds what tells that the command has ended.
    try await Task.sleep(for: .milliseconds(200))
    #expect(kill(started, SIGKILL) == 0)
    #expect(await process.status() == 128 + signal)
    #expect(try temporaryFiles == [])
    #expect(try folder.contents == ["bin", "pid", "study", "temporary"])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func temporaryFilesArePrivate() async throws {
    let environment = try converter("stat -L -c %a /proc/self/fd/0 >\(folder("modes")); exit 3")
    let run = try await Command.promille(
      ["plot", study, "--subject", "ann", "-o", folder("x.pdf")] + Self.fast,
      environment: environment)
    #expect(run.status == 73)
    #expect(run.errors.contains("E_CONVERTER_FAILED"))
    #expect(try folder.read("modes") == "600\n")
    #expect(try temporaryFiles == [])
  }

  /// The figure is what the converter reads, and its picture what it prints.
  @Test func converterReadsFigureAndPrintsPicture() async throws {
    let run = try await Command.promille(
      ["plot", study, "--subject", "ann", "-o", folder("x.png")] + Self.fast,
      environment: try converter("cat; echo lost >&2"))
    #expect(run.status == 0, "\(run.errors)")
    let picture = try folder.read("x.png")
    #expect(picture.contains("<svg xmlns") && picture.contains("</svg>"))
    #expect(!run.errors.contains("lost"))
  }

  @Test func converterMessagesAreReported() async throws {
    let environment = try converter("echo first >&2; echo 'the last words' >&2; exit 3")
    let run = try await Command.promille(
      ["plot", study, "--subject", "ann", "-o", folder("x.png")] + Self.fast,
      environment: environment)
    #expect(run.status == 73)
    #expect(
      run.errors.contains(
        "E_CONVERTER_FAILED: rsvg-convert could not convert the figure: the last words"))
    #expect(try temporaryFiles == [])
  }

  @Test func unusableTemporaryFolderIsAnError() async throws {
    // Root may make folders anywhere, but not in a file.
    let nowhere = ["TMPDIR": study + "/subjects.csv"]
    for command in [
      ["plot", study, "--subject", "ann", "-o", folder("x.png")], ["regress", "datasets"],
    ] {
      let run = try await Command.promille(command, environment: nowhere)
      #expect(run.status == 73, "\(command)")
      #expect(run.output.isEmpty)
      #expect(run.complaints.count == 1)
      #expect(run.errors.hasPrefix("promille: error E_TEMPORARY: "))
      #expect(run.errors.contains("set TMPDIR"))
    }
    let missing = try await Command.promille(
      "regress", "datasets", environment: ["TMPDIR": folder("missing")])
    #expect(missing.status == 73)
    #expect(try folder.contents == ["bin", "study", "temporary"])
  }

  /// A file that may not grow stands for a disk that is full.
  @Test func fullDiskLeavesNoPartialFolders() async throws {
    let script = """
      ulimit -f 8
      promille export "$1" --notebook -o "$2/a/b" --starts 1 --interval none
      """
    let run = try await Command.shell(script, study, folder.path)
    #expect(run.status == 73)
    #expect(run.errors.contains("E_OUTPUT"))
    #expect(try folder.contents == ["bin", "study", "temporary"])
  }

  /// A command that runs out of file descriptors ends with an error that has a code.
  @Test(arguments: [4, 5, 6, 8, 10, 13])
  func missingFileDescriptorsAreAnError(count: Int) async throws {
    let script = """
      count=$1
      folder=$3
      # The shell itself needs more of them.
      run() {
        (exec >/dev/null 2>"$folder/errors"; ulimit -n "$count"; exec "$command" "$@")
        echo "$? $1 $(grep -c . "$folder/errors")"
      }
      run check "$2"
      run fit "$2" --starts 1 --interval none --format csv
      run sober "$2" --format csv
      run compare "$2" --format csv
      run simulate "$2"
      run report "$2" --starts 1 --interval none -o "$3/r.html"
      run plot "$2" --subject ann --starts 1 --interval none -o "$3/x.svg"
      run export "$2" --to csv -o "$3/out"
      run import "$2" --into "$3/d.sqlite"
      run regress "$2"
      """
    let run = try await Command.shell(script, "\(count)", study, folder.path)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 10)
    for line in lines {
      let parts = line.split(separator: " ")
      let status = try #require(Int(parts[0]))
      #expect([0, 1, 65, 66, 73, 74].contains(status), "\(line)")
      #expect(status == 0 || parts[2] != "0" || parts[1] == "check", "\(line)")
    }
  }
}
