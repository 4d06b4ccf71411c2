extension CodeExplanation {
  static let cases: [CodeExplanation] = [
    CodeExplanation(
      code: "E_CASE_ABSORPTION",
      found: "A back calculation asks for a time at which alcohol may still have been absorbed.",
      why: """
        Adding what was eliminated since is right only once absorption has finished. Before, the \
        concentration may have been rising, and the result would be too high.
        """,
      remedy:
        "Ask forward from the drinks, or about a later time. Set --absorbed-after if you know better."
    ),
    CodeExplanation(
      code: "E_CASE_BELOW_LIMIT",
      found: "The measured concentration is below the lowest from which a case may be calculated.",
      why: "Elimination slows down near zero, so that a constant rate would give too much.",
      remedy: "Check the unit. If it is right, nothing can be calculated from this measurement."),
    CodeExplanation(
      code: "E_CASE_INPUT",
      found: "A value of a case cannot be true, or is written in another unit or form.",
      why: "An answer from it would be wrong.",
      remedy: "Correct the value; the message has the range and the form."),
    CodeExplanation(
      code: "E_CASE_MISSING",
      found: "The question of a case needs something that is not given.",
      why: "Nothing is made up in its place.",
      remedy: "Give what the message names."),
    CodeExplanation(
      code: "E_CASE_SAMPLES",
      found: "Several values of a measurement do not belong to one mean.",
      why: """
        Duplicates that differ by more than the laboratory allows are no measurement, and samples of different times \
        are two.
        """,
      remedy: """
        Have the sample analysed again, or state the laboratory's rule with --duplicate-limit. Ask about samples of \
        different times one by one.
        """),
    CodeExplanation(
      code: "E_CASE_ORDER",
      found: "Times of a case are in the wrong order, or more than 48 h apart.",
      why: "Midnight is never guessed: 01:30 is before 23:40 unless it has its date or +1.",
      remedy: "Write 01:30+1 for the next day, or give all times with their dates."),
    CodeExplanation(
      code: "E_CASE_FILE",
      found: "A file is not a case: no JSON, an unknown key, or a value of another type.",
      why: "A key that nothing reads would be lost silently.",
      remedy: "Write it as schemas/case-file.schema.json has it; the message has line and column."),
    CodeExplanation(
      code: "E_CASE_READINGS",
      found: "The person's own readings could not be used.",
      why: "Without them there is no posterior for this person.",
      remedy: "Follow the message, or leave --study out to use textbook ranges."),
    CodeExplanation(
      code: "W_CASE_BODY",
      found: "The body is unlike those for which methods for r were made.",
      why: "The predicted r may be far off.",
      remedy: "Check units (kg and cm). If they are right, give an r with a wide --r-cv."),
    CodeExplanation(
      code: "W_CASE_DRINKING_END",
      found: "A back calculation does not know when drinking ended.",
      why: "It holds only if absorption had finished at the time asked about.",
      remedy: "State the drinks, or --drinking-ended."),
    CodeExplanation(
      code: "W_CASE_ABSORBING",
      found: "Alcohol may still have been absorbed when the sample was taken.",
      why: "The answer depends on how fast this person absorbs, which is known least.",
      remedy: "Read the message for the direction of the error; state when drinking ended."),
    CodeExplanation(
      code: "W_CASE_FAR",
      found: "A back calculation goes back more than 4 h.",
      why: "On measured people it was checked up to 4 h; see the article of Casework.",
      remedy: "Say so where you use the answer."),
    CodeExplanation(
      code: "W_CASE_CLOCKS",
      found: "Clocks are changed between the times of a case, which has no time zone.",
      why: """
        Hours are counted as if clocks were never changed. Where they are, an hour more or less has passed, and the \
        answer is off by what is eliminated in it.
        """,
      remedy:
        "Give --time-zone, as Europe/Berlin, or write each time with its distance from UTC."),
    CodeExplanation(
      code: "W_CASE_NEAR_ZERO",
      found: "A time is asked at which the concentration is so low that elimination slows down.",
      why: "The true time is later than the answer.",
      remedy: "Use a higher limit, or take the answer as the earliest time."),
    CodeExplanation(
      code: "W_CASE_EMPTY_BETWEEN",
      found: "No more was measured than the drinks after the event may have given alone.",
      why: """
        The blood may have been empty before them, and then the measurement does not tell what was in it at the \
        event. The most likely value is the least that goes with the measurement, the upper end the most.
        """,
      remedy: "Use the whole range, or ask forward from the drinks before the event."),
    CodeExplanation(
      code: "W_CASE_UNEXPLAINED",
      found: "More was measured than the stated drinks give in the whole interval.",
      why: "Either something else was drunk, or a statement is wrong.",
      remedy: "Check amounts, times, body weight and the unit of the measurement."),
    CodeExplanation(
      code: "W_CASE_OVEREXPLAINED",
      found: "Less was measured than the stated drinks give at least.",
      why: "Either less was drunk, or a statement is wrong.",
      remedy: "Check amounts, times, body weight and the unit of the measurement."),
  ]
}
