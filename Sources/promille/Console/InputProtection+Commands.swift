// What each command reads and writes, but for folders that must not be there yet.

extension Check: ResultWriting {
  var inputPaths: [String?] { input.paths }
}

extension Fit: ResultWriting {
  var inputPaths: [String?] { input.paths }
  var databasePaths: [(option: String, path: String?)] { [("--store", storing.store)] }
  var outputPaths: [(option: String, path: String?)] {
    [("-o", output.output), ("--residuals", residuals)]
  }
}

extension Compare: ResultWriting {
  var inputPaths: [String?] { input.paths }
  var databasePaths: [(option: String, path: String?)] { [("--store", storing.store)] }
}

extension Sober: ResultWriting {
  var inputPaths: [String?] { input.paths + [predictions] }
  var databasePaths: [(option: String, path: String?)] { [("--store", storing.store)] }
}

extension Simulate: ResultWriting {
  var inputPaths: [String?] { [study] }
}

extension ReportCommand: InputProtecting {
  var inputPaths: [String?] { input.paths }
  var outputPaths: [(option: String, path: String?)] {
    [("-o", output), ("--keep-plots", keepPlots)]
  }
}

extension Plot: InputProtecting {
  var inputPaths: [String?] { input.paths }
  var outputPaths: [(option: String, path: String?)] { [("-o", output)] }
}

extension Import: ResultWriting {
  var inputPaths: [String?] { input.paths }
  var databasePaths: [(option: String, path: String?)] { [("--into", into)] }
}

extension Export: ResultWriting {
  var inputPaths: [String?] { input.paths }
}

extension Runs: ResultWriting {
  var inputPaths: [String?] { [database] }
}

extension Vitals: ResultWriting {
  var inputPaths: [String?] { [database] }
}
