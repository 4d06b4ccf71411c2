import Foundation
import TestSupport
import Testing

/// Requests to `promille worker`, among them those of its worst users.
@Suite struct WorkerTests {
  private let folder: TemporaryFolder
  private let study: String
  private static let day = ["SOURCE_DATE_EPOCH": "1700000000"]

  init() throws {
    folder = try TemporaryFolder()
    study = try SmallStudy.withWarning.write(to: folder)
  }

  private static func request(_ arguments: [String], input: String = "") throws -> Data {
    let head: [String: Any] = ["arguments": arguments, "input": input.utf8.count]
    return try JSONSerialization.data(withJSONObject: head) + Data("\n\(input)".utf8)
  }

  /// The answers of a worker to the bytes of requests, and its exit status.
  private func answers(to requests: Data) async throws -> (all: [Outcome], status: Int32) {
    try folder.write(requests, to: "requests")
    let run = try await Command.shell(
      "SOURCE_DATE_EPOCH=1700000000 promille worker <\"$1\" >\"$2\"", folder("requests"),
      folder("answers"))
    var rest = try Data(contentsOf: URL(filePath: folder("answers")))
    var all: [Outcome] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let head = try JSONDecoder().decode([String: Int].self, from: rest[..<end])
      rest = rest[(end + 1)...]
      let (output, errors) = try (#require(head["output"]), #require(head["errors"]))
      let texts = [rest.prefix(output), rest.dropFirst(output).prefix(errors)].map {
        String(decoding: $0, as: UTF8.self)
      }
      rest = rest.dropFirst(output + errors)
      all.append(
        Outcome(status: Int32(try #require(head["status"])), output: texts[0], errors: texts[1]))
    }
    #expect(rest.isEmpty)
    return (all, run.status)
  }

  @Test(arguments: 0..<4) func workerAnswersMatchCommands(part: Int) async throws {
    let person = ["--sex", "male", "--age", "30", "--height", "180", "--weight", "80"]
    let all: [[String]] = [
      [], ["--version"], ["--help"], ["fit", "--help-all"], ["explain", "W_AT_BOUND"],
      ["explain", "X"], ["drinks", "beer"],
      ["check", study], ["check", study, "--format", "json"], ["fit", study],
      ["fit", study, "--format", "json"],
      ["fit", study, "--format", "ndjson", "--jobs", "3"],
      ["fit", study, "--error-format", "json"], ["fit", study, "-q"],
      ["compare", study, "--summary"], ["sober", study, "--format", "table"],
      ["population", study, "--starts", "1"],
      ["forecast", study, "--prior", "fasted", "--draws", "100"],
      ["simulate", study, "--every", "30", "--band"],
      ["simulate", "--drinks", "0:20g"] + person,
      ["report", study, "-o", "-", "--figures", "1", "--derived", "none"],
      ["plot", study, "--subject", "ann", "-o", "-"], ["export", study, "--to", "json"],
      [
        "case", "sober", "--measured", "95", "--unit", "bac_mg_per_100ml", "--measured-at", "23:30",
        "--limit", "50",
      ],
      ["fit", folder("nothing")], ["fit", study, "--nonsense"],
      ["fit", study, "--error-format=xml"], ["sbr"], [""],
      ["fit", study, "-o", folder("no/where.csv")],
      ["plot", study, "--subject", "nobody", "-o", "-"],
      ["check", study, "--upgrade"], ["case", "back"], ["regress", folder("nothing")],
      ["--generate-completion-script", "bash"],
    ]
    let lines = all.indices.filter { $0 % 4 == part }.map { all[$0] }
    // In both orders, so that none leaves anything behind for another.
    let requests = try (lines + lines.reversed()).map { try Self.request($0) }
    let (answers, status) = try await answers(to: Data(requests.joined()))
    #expect(status == 0)
    try #require(answers.count == requests.count)
    for (index, line) in lines.enumerated() {
      let alone = try await Command.alone(line, environment: Self.day)
      #expect(answers[index] == alone, "\(line)")
      #expect(answers[2 * lines.count - 1 - index] == alone, "\(line)")
    }
  }

  @Test func eachRequestHasItsOwnInput() async throws {
    let broken = EventRows.table(of: "cem").replacing("0.39", with: "x")
    let inputs = [
      EventRows.table(of: "ann"), broken, "", EventRows.table(of: "bob", "ann"), "\"",
      EventRows.table(of: "cem"),
    ]
    for path in ["-", "/dev/stdin"] {
      let line = ["fit", path, "--interval", "none"]
      let (answers, _) = try await answers(
        to: Data(inputs.map { try Self.request(line, input: $0) }.joined()))
      for (input, answer) in zip(inputs, answers) {
        try folder.write(input, to: "input")
        let alone = try await Command.shell(
          "promille fit \"$1\" --interval none <\"$2\"", path, folder("input"))
        #expect(answer == alone, "\(path): \(input.prefix(40))")
      }
      #expect(answers.map(\.status) == [0, 1, 65, 0, 65, 0])
    }
  }

  @Test func invalidRequestEndsTheWorkerInOrder() async throws {
    let good = try Self.request(["drinks", "beer"])
    let bad: [String] = [
      "fit study\n", "\n", "{}\n", "null\n", "\u{FEFF}{}\n", #"{"arguments": ["dri"#,
      #"{"arguments": ["drinks"], "input": -1}"# + "\n",
      #"{"arguments": ["drinks"], "input": 1.5}"# + "\n",
      #"{"arguments": ["drinks"], "input": 9223372036854775807}"# + "\n",
      #"{"arguments": ["drinks"], "input": 92233720368547758070}"# + "\n",
      #"{"arguments": "drinks"}"# + "\n",
      #"{"arguments": ["drinks", "\u0000"]}"# + "\n",
      #"{"arguments": ["\ud800"]}"# + "\n",
      String(repeating: "[", count: 200_000) + "\n",
      String(repeating: " ", count: 1 << 25),
    ]
    for bytes in bad.map({ Data($0.utf8) }) + [Data([0xFF, 0xFE, 0x0A])] {
      let (answers, status) = try await answers(to: good + bytes + good)
      #expect(status == 65, "\(String(decoding: bytes.prefix(60), as: UTF8.self))")
      #expect(answers.count == 2 && answers.first?.status == 0)
      let last = try #require(answers.last)
      #expect(last.status == 64 && last.output.isEmpty && last.errors.contains("error E_REQUEST: "))
    }
    #expect(try await answers(to: Data()).status == 0)
  }

  @Test func requestsDoNotEndOrReplaceTheWorker() async throws {
    try folder.write("", to: "gone")
    try folder.makePipe("pipe")
    let lines = [
      ["serve", "study.sqlite"], ["worker"], ["worker", "--help"],
      ["init", folder("new"), "--from", "-"],
      ["fit", study, "--plot", "-o", "/dev/stderr"], ["fit", study, "-o", "/dev/stdin"],
      ["fit", study, "-o", "/proc/self/fd/1"], ["fit", study, "-o", "/dev/full"],
      ["drinks", String(repeating: "a", count: 1 << 20)],
      ["check", study, "--upgrade"], ["drinks", "beer"],
    ]
    let (answers, status) = try await answers(
      to: Data(try lines.map { try Self.request($0) }.joined()))
    #expect(status == 0)
    #expect(answers.count == lines.count)
    #expect(answers[0].status == 64 && answers[0].errors.contains("does not serve"))
    #expect(answers[1].status == 64 && answers[1].errors.contains("is running already"))
    #expect(answers[7].status == 73)
    #expect(answers.last == (try await Command.alone(["drinks", "beer"])))
  }

  @Test func closedPipeEndsOnlyItsRequest() async throws {
    try folder.makePipe("pipe")
    let large = try SmallStudy.large(subjects: 2000, readings: 20, every: 10).write(
      to: folder, as: "large")
    try folder.write(
      try Self.request(["fit", large, "--interval", "none", "-o", folder("pipe")])
        + Self.request(["drinks", "beer"]), to: "requests")
    let run = try await Command.shell(
      "head -c 1 \"$2\" >\"$2.head\" & promille worker <\"$1\"", folder("requests"), folder("pipe"))
    #expect(run.status == 0)
    #expect(run.output.hasPrefix(#"{"status": 73"#))
    #expect(run.output.contains(#"{"status": 0"#))
  }

  /// While a command runs that would not end, and nothing that was begun stays behind.
  @Test func workerEndsWhenItsReaderGoes() async throws {
    let endless = ["simulate", "--cohort", "100000000", "-o", folder("cohort")]
    try folder.write(try Self.request(endless), to: "requests")
    let run = try await Command.shell(
      """
      { cat "$1"; sleep 50; } | { promille worker; echo $? >"$2"; } | sleep 2 &
      sleep 4; for _ in 1 2 3 4 5 6 7 8 9 10; do test -s "$2" && break; sleep 1; done; cat "$2"
      """, folder("requests"), folder("status"))
    #expect(run.output == "\(128 + SIGTERM)\n")
    #expect(try folder.contents.allSatisfy { !$0.contains("cohort") })
  }
}
