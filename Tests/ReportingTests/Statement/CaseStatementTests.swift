import AlcoholKinetics
import Casework
import Foundation
import StudyData
import StudyFiles
import TestSupport
import Testing

@testable import Reporting

@Suite struct CaseStatementTests {
  private static let unit = ConcentrationUnit.bloodMilligramsPer100Millilitres

  private func one(_ question: CaseQuestion, name: String? = nil) throws -> Case {
    let drinks = [CaseDrink(start: 18, duration: 1, ethanol: 60)]
    let later = [CaseDrink(start: 25.5, ethanol: 10, isLater: true)]
    var one = Case(
      question, name: name, clock: try CaseClock(date: "2024-03-30", timeZone: "Europe/Berlin"),
      at: question == .drinks || question == .sober ? nil : 25, person: Sample.man,
      drinks: question == .forward ? drinks : question == .later ? later : [], drinkingBegan: 18,
      drinkingEnded: 20,
      measurement: question == .forward
        ? nil : CaseMeasurement(time: 27, values: [95, 97], sd: 2, unit: Self.unit),
      unit: Self.unit, limits: question == .drinks ? [] : [50])
    one.number = "2024/17"
    one.author = "N. N."
    return one
  }

  private func statement(
    of one: Case, _ mode: CaseOptions.Mode = .guideline, arguments: [String] = ["promille", "case"]
  ) throws -> Page {
    var provenance = Sample.provenance
    provenance.run = Provenance.Run(at: Date(timeIntervalSince1970: 0), arguments)
    let answer = try CaseAnswer(one, options: CaseOptions(mode: mode, draws: 500))
    return .statement(on: answer, provenance: provenance)
  }

  /// Both forms have the parts that a reader needs to understand and repeat the calculation, in words and units in
  /// common use.
  @Test(arguments: CaseQuestion.allCases, CaseOptions.Mode.allCases)
  func statementHasAllRequiredParts(_ question: CaseQuestion, _ mode: CaseOptions.Mode) throws {
    let statement = try statement(of: one(question), mode)
    for text in [statement.html, statement.markdown(picturesIn: "p")] {
      for part in [
        "2024/17", "N. N.", "Place and date", "Signature", "SHA-256", "promille 1.2.3",
        "promille case",
        "mg/100 ml", "local time of Europe/Berlin", "What this does not say",
        "1970-01-01 00:00 UTC",
      ] {
        #expect(text.contains(part), "\(part)")
      }
      #expect(text.contains("Elapsed time: ") == (question != .sober))
      #expect(!text.contains("bac_mg") && !text.contains("SE of"))
    }
  }

  /// A statement of a refuted account begins with the refutation and states no concentration.
  @Test(arguments: CaseOptions.Mode.allCases)
  func refutedAccountIsTheAnswer(_ mode: CaseOptions.Mode) throws {
    var one = try one(.later)
    one.drinks = [CaseDrink(start: 25.5, ethanol: 300, isLater: true)]
    let answer = try CaseAnswer(one, options: CaseOptions(mode: mode, draws: 500))
    let first = try #require(CaseWords(answer).introduction.first)
    #expect(first.hasPrefix("The account of drinking after the event is refuted"))
    #expect(first.hasSuffix(" was measured.") && first.contains("and only 96"))
    let text = try statement(of: one, mode).html
    #expect(text.contains("is refuted") && !text.contains("no uncertain input changes it"))
  }

  /// 96 is the mean of 95 and 97; 01:00 to 04:00 are two hours in the night in which clocks are set forward.
  @Test func statementShowsTheCalculation() throws {
    var one = try one(.back)
    one.measurement?.sd = 0
    let text = try statement(of: one).html
    for line in [
      "Elapsed time: 2 h 0 min from 2024-03-31 01:00+01:00 to 2024-03-31 04:00+02:00, local time of Europe/Berlin.",
      "Most likely: 96 + 2 h x 19 mg/100 ml/h = 134 mg/100 ml",
      "Lower end: 96 + 2 h x 9 mg/100 ml/h = 114 mg/100 ml",
      "Upper end: 96 + 2 h x 29 mg/100 ml/h = 154 mg/100 ml",
      "95, 97 mg/100 ml in blood, mean 96.00; they differ by 2.1 % of it (5 % allowed)",
      "range 9 to 29, most likely 19",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(text.ranges(of: "59 measured pairs").count == 1)
  }

  @Test func statementNamesTheGuideline() throws {
    var one = try one(.back)
    one.measurement?.sd = 0
    one.assumptions.guideline = .germanMost
    one.assumptions.absorbedAfter = 0
    let text = try statement(of: one).html
    #expect(
      text.contains(
        "was at most 159 mg/100 ml, by the rule of German courts for criminal responsibility."))
    #expect(text.contains("By the rule: 96 + 2 h x 21.1 mg/100 ml/h + 21.1 (once)"))
  }

  /// The rule has one number: one line, and its verdict on the limit beside the answer; each conversion is written out.
  @Test func writesConversionsOut() throws {
    var one = try one(.back)
    one.measurement = CaseMeasurement(time: 27, value: 1.52, unit: .serumGramsPerLitre)
    (one.unit, one.limits) = (.bloodGramsPerKilogram, [1.1])
    one.assumptions.guideline = .germanLeast
    let text = try statement(of: one).html
    for line in [
      "Conversion: 1.52 g/L in serum / 1.16 (serum:blood ratio) / 1.055 kg/L (density of blood) = 1.24203 g/kg in blood",
      "By the rule: 1.242 + 2 h x 0.1 g/kg/h = 1.44 g/kg",
      "for fitness to drive. That is above 1.1 g/kg.</p>",
      "German courts divide by 1.2 to 1.236",
    ] {
      #expect(text.contains(line), "\(line)")
    }
    #expect(!text.contains("Upper end") && !text.contains("whole range"))
  }

  /// 19 mg/100 ml/h in blood are 9.048 ug/100 ml/h in breath.
  @Test func writesTheRateInTheUnitOfBreath() throws {
    var one = try one(.back)
    let unit = ConcentrationUnit.breathMicrogramsPer100Millilitres
    one.measurement = CaseMeasurement(time: 27, value: 43, unit: unit)
    (one.unit, one.limits) = (unit, [35])
    let text = try statement(of: one).html
    #expect(
      text.contains(
        "Conversion: 19 (9 to 29) mg/100 ml/h in blood / 2100 (blood:breath ratio) x 1000 = 9.048 (4.286 to 13.81) "
          + "ug/100 ml/h in breath"))
    #expect(text.contains("The whole range is above 35 ug/100 ml.</p>"))
  }

  /// A statement for a court has no option, code or file name outside of the part that repeats the calculation.
  @Test(arguments: CaseQuestion.allCases, CaseOptions.Mode.allCases)
  func statementHasNoOptionsOrCodes(_ question: CaseQuestion, _ mode: CaseOptions.Mode) throws {
    var one = try one(question)
    one.clock = try CaseClock(date: "2024-03-30")
    one.measurement?.unit = .breathMicrogramsPer100Millilitres
    one.measurement?.values = [43, 44]
    one.unit = .breathMicrogramsPer100Millilitres
    one.limits = question == .drinks ? [] : [35]
    let text = try statement(of: one, mode).markdown(picturesIn: "p")
    let read = text[..<(text.range(of: "## To repeat it")?.lowerBound ?? text.endIndex)]
    for mark in [" --", "(--", "W_", "W\\_", "E_", "Tests/", ".py", "scs-beta60", "german-"] {
      #expect(!read.contains(mark), "\(mark)")
    }
  }

  /// If the blood is empty between drinks, the formula states which hours count.
  @Test func printedFormulaGivesTheResult() throws {
    var one = try one(.forward)
    one.drinks = [CaseDrink(start: 12, ethanol: 5), CaseDrink(start: 18, ethanol: 80)]
    one.drinkingBegan = nil
    one.assumptions.absorption = .finished
    one.assumptions.beta = .exactly(0.15)
    let apart = try statement(of: one).html
    #expect(apart.contains("beta h, h: the hours with alcohol in the blood"))
    #expect(!apart.contains("beta (t - t0)"))
    one.drinks[0] = CaseDrink(start: 17.9, ethanol: 40)
    #expect(try statement(of: one).html.contains("c(t) = A / (r W) - beta (t - t0)"))
  }

  /// Typed texts do not become markup, and the printed command repeats them.
  @Test func hostileTextsAreEscaped() throws {
    for name in HostileNames.all {
      var one = try one(.back, name: name)
      (one.author, one.number) = (name, name)
      let statement = try statement(of: one, arguments: ["promille", "case", name])
      for text in [statement.html, statement.markdown(picturesIn: "p")] {
        #expect(HostileNames.isHarmless(text))
      }
      // In Markdown the command is a block of code, in which nothing is a mark.
      let html = statement.html
      #expect(!html.contains("<script>") && !html.contains("</title><b>"))
    }
  }

  /// A shell returns each argument of the printed command unchanged.
  @Test func printedCommandReproducesTheStatement() async throws {
    let names = HostileNames.all.filter { !$0.contains("\u{0}") && $0.count < 1000 }
    let line = Provenance.Run(at: Date(), ["printf", "%s\\036"] + names).commandLine
    #expect(HostileNames.isHarmless(line) && !line.contains("\n"))
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", line]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = try #require(try pipe.fileHandleForReading.readToEnd())
    process.waitUntilExit()
    let given = String(decoding: data, as: UTF8.self).split(
      separator: "\u{1E}", omittingEmptySubsequences: false)
    #expect(given.dropLast().map(String.init) == names)
  }

  /// The digest is that of what decides the result, and changes with it.
  @Test func digestCoversTheProvenance() {
    let provenance = Sample.provenance
    let json = Array(provenance.json.line.utf8)
    #expect(provenance.digest == json.withUnsafeBytes { SHA256.hexDigest(of: $0) })
    var other = provenance
    other.version = "1.2.4"
    #expect(other.digest != provenance.digest)
  }
}
