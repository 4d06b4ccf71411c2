import Testing

@testable import Reporting

@Suite struct NoteTests {
  private func note(_ remark: String, _ subject: String, _ occasion: String? = nil) -> Note {
    Note(about: Sample.series(of: subject, occasion: occasion), remark)
  }

  @Test func notesAreGroupedInOrder() {
    let notes = [note("second", "2"), note("first", "1"), note("second", "3")]
    #expect(Note.grouped(notes) == ["second [2, 3]", "first [1]"])
    #expect(Note.grouped([]).isEmpty)
  }

  @Test func notesNameOccasions() {
    let notes = [note("odd", "ann", "fed"), note("odd", "ann", "fasted"), note("odd", "bob")]
    #expect(Note.grouped(notes) == ["odd [ann/fed, ann/fasted, bob]"])
  }

  @Test func notesNameASeriesOnce() {
    #expect(Note.grouped(["1", "1", "2", "1"].map { note("odd", $0) }) == ["odd [1, 2, 1]"])
  }

  @Test func longNotesCountTheRest() {
    let notes = { count in (1...count).map { note("odd", "\($0)") } }
    let twelve = (1...12).map(String.init).joined(separator: ", ")
    #expect(Note.grouped(notes(12)) == ["odd [\(twelve)]"])
    #expect(Note.grouped(notes(13)) == ["odd [\(twelve) and 1 more]"])
    #expect(Note.grouped(notes(1012)) == ["odd [\(twelve) and 1000 more]"])
  }
}
