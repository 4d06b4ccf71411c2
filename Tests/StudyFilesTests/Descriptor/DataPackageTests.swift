import AlcoholKinetics
import StudySupport
import Testing

@testable import StudyData
@testable import StudyFiles

@Suite struct DataPackageTests {
  @Test func readsTitleAndInstrument() throws {
    let study = try StudySample(
      descriptor: """
        {
          "name": "x", "licenses": [{"name": "CC0-1.0"}],
          "title": "Evening at the pub",
          "promille": {
            "instrument": {
              "name": "Tester 5", "resolution": 0.01, "relative_accuracy": 0.1,
              "limit_of_detection": 0.02, "mouth_alcohol_window_min": 15
            }
          }
        }
        """
    ).read()
    let instrument = Instrument(
      name: "Tester 5", resolution: 0.01, relativeAccuracy: 0.1, limitOfDetection: 0.02,
      mouthAlcoholWindow: 0.25)
    #expect(study.title == "Evening at the pub")
    #expect(study.instrument == instrument)
    #expect(study.allDiagnostics.isEmpty)
  }

  @Test(arguments: ["{}", "{\"promille\": {}}", "\u{FEFF}{\"sources\": []}"])
  func everyMemberIsOptional(_ descriptor: String) throws {
    let study = try StudySample(descriptor: descriptor).read()
    #expect(study.title == nil)
    #expect(study.instrument == nil)
  }

  @Test func instrumentMayBePartial() throws {
    let study = try StudySample(
      descriptor: "{\"promille\": {\"instrument\": {\"resolution\": 0.5}}}"
    ).read()
    #expect(study.instrument == Instrument(resolution: 0.5))
  }

  @Test func invalidDescriptorIsRefused() {
    let sample = StudySample(descriptor: "{\"title\": \"T\", \"promille\": []}")
    #expect(throws: StudyError.self) { try sample.read() }
  }
}
