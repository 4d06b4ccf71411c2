// What each command reads and writes, but for folders that must not be there yet.

extension Check: InputProtecting {
  var inputPaths: [String?] { input.paths }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}

extension Fit: InputProtecting {
  var inputPaths: [String?] { input.paths + [storing.store] }
  var outputPaths: [(option: String, path: String?)] {
    [("-o", output.output), ("--residuals", residuals)]
  }
  var console: Console { output.console }
}

extension Compare: InputProtecting {
  var inputPaths: [String?] { input.paths + [storing.store] }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}

extension Sober: InputProtecting {
  var inputPaths: [String?] { input.paths + [predictions, storing.store] }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}

extension Simulate: InputProtecting {
  var inputPaths: [String?] { [study] }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}

extension ReportCommand: InputProtecting {
  var inputPaths: [String?] { input.paths }
  var outputPaths: [(option: String, path: String?)] { [("-o", output)] }
}

extension Plot: InputProtecting {
  var inputPaths: [String?] { input.paths }
  var outputPaths: [(option: String, path: String?)] { [("-o", output)] }
}

extension Import: InputProtecting {
  var inputPaths: [String?] { input.paths + [into] }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}

extension Export: InputProtecting {
  var inputPaths: [String?] { input.paths }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}

extension Runs: InputProtecting {
  var inputPaths: [String?] { [database] }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}

extension Vitals: InputProtecting {
  var inputPaths: [String?] { [database] }
  var outputPaths: [(option: String, path: String?)] { [("-o", output.output)] }
  var console: Console { output.console }
}
