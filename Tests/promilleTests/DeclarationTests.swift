import Testing

@testable import ArgumentParser
@testable import promille

/// The parser's own checks of how options are declared. In debug builds it makes them at each parse, but not in the
/// build of `make test`: see Package.swift.
@Suite struct DeclarationTests {
  private struct Twice: ParsableArguments {
    @Option var name = 1
    @Option(name: .customLong("name")) var other = 2
  }

  private struct Around: ParsableCommand {
    @OptionGroup var twice: Twice
  }

  private static func problems(
    of type: any ParsableArguments.Type
  ) -> [any ParsableArgumentsValidatorError] {
    let validators: [any ParsableArgumentsValidator.Type] = [
      PositionalArgumentsValidator.self, CodingKeyValidator.self, UniqueNamesValidator.self,
      NonsenseFlagsValidator.self, AsyncCompletionsValidator.self,
    ]
    return validators.compactMap { $0.validate(type, parent: nil) }
  }

  /// A command and its groups of options, with theirs.
  private static func withGroups(
    _ type: any ParsableArguments.Type
  ) -> [any ParsableArguments.Type] {
    let groups = Mirror(reflecting: type.init()).children.compactMap { $0.value as? any Group }
    return [type] + groups.flatMap { withGroups($0.type) }
  }

  @Test func optionDeclarationsAreValid() {
    for command in Promille.configuration.subcommands + [Promille.self] {
      for type in Self.withGroups(command) {
        #expect(Self.problems(of: type).isEmpty, "\(type)")
      }
    }
  }

  @Test func duplicateOptionDeclarationIsDetected() {
    #expect(Self.withGroups(Around.self).map { "\($0)" } == ["Around", "Twice"])
    #expect(Self.problems(of: Twice.self).count == 1)
  }
}

private protocol Group {
  var type: any ParsableArguments.Type { get }
}

extension OptionGroup: Group {
  fileprivate var type: any ParsableArguments.Type { Value.self }
}
