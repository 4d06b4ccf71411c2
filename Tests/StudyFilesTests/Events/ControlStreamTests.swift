import Foundation
import StudyFiles
import TestSupport
import Testing

/// Control streams of NONMEM, and what they say.
@Suite struct ControlStreamTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      "ID,TIME,DV,AMT,EVID,WT,FLAG\n1,0,.,100,1,50,0\n1,1,5,.,0,50,0\n1,2,4,.,0,50,1\n",
      to: "data.csv")
  }

  private func stream(_ change: [(String, String)] = []) throws -> ControlStream {
    var text = """
      $PROBLEM one compartment ; $THETA in a comment is none
      $INPUT ID TIME DV AMT EVID WT FLAG=DROP
      $DATA data.csv IGNORE=@
      $SUBS ADVAN2 TRANS2
      $PK
      TVCL = THETA(1)
      MU_2 = LOG(THETA(2))
      CL = TVCL*EXP(ETA(1))
      V = EXP(MU_2 + ETA(2))
      KA = THETA(3)
      S2 = V/1000 ; mg and ug/L
      $ERROR
      IPRED = F
      W = SQRT(THETA(4)**2*IPRED**2)
      Y = IPRED + W*EPS(1)
      $THETA (0, 7) (1, 35, 100) 1.5 FIX (0, 0.1)
      $OMEGA 0.09 0.04 FIX
      $SIGMA 1 FIX
      $EST METHOD=1 INTER MAXEVAL=9999
      """
    for (old, new) in change { text = text.replacingOccurrences(of: old, with: new) }
    try folder.write(text, to: "run1.mod")
    return try ControlStream(text, at: URL(filePath: folder("run1.mod")))
  }

  @Test func parametersAreAskedForAtTheInitialEstimates() throws {
    let stream = try stream()
    #expect(stream.parameters.map(\.name) == ["ka", "cl", "r"])
    #expect(stream.parameters.map(\.isFixed) == [true, false, false])
    #expect(stream.parameters.map(\.variance) == [nil, 0.09, 0.04])
    #expect(stream.parameters.map(\.isVarianceFixed) == [false, false, true])
    // Per kg of 70 kg, since nothing depends on WT.
    for (one, value) in zip(stream.parameters, [1.5, 0.1, 0.5]) {
      #expect(abs(one.value - value) < 1e-12, "\(one)")
    }
    #expect(stream.error == "proportional" && stream.method == "focei" && !stream.isFull)
    #expect(
      stream.table
        == "ID,TIME,DV,AMT,EVID,TABLE_WT,WT\n1,0,.,100000.0,1,50,70.0\n1,1,5,.,0,50,70.0\n1,2,4,.,0,50,70.0\n"
    )
  }

  @Test func weightsOfTheTableCountIfTheModelUsesThem() throws {
    let stream = try stream([
      ("TVCL = THETA(1)", "TVCL = THETA(1)*(WT/70)"),
      ("MU_2 = LOG(THETA(2))", "MU_2 = LOG(THETA(2)*WT/70)"), ("S2 = V/1000", "S2 = V"),
      ("IGNORE=@", "IGNORE=@ IGNORE=(FLAG.EQ.1)"), ("FLAG=DROP", "FLAG"),
    ])
    #expect(abs(stream.parameters[1].value - 0.1) < 1e-12)
    #expect(
      stream.table == "ID,TIME,DV,AMT,EVID,WT,FLAG\n1,0,.,100,1,50,0\n1,1,5,.,0,50,0\n")
  }

  @Test(arguments: [
    ("W*EPS(1)", "EPS(1)", "additive"), ("IPRED + W*EPS(1)", "F*(1+EPS(1))+EPS(2)", "combined"),
    ("THETA(4)**2*IPRED**2", "THETA(4)**2*F**2+0.01", "combined"),
  ])
  func errorsAreKnownByHowTheyGrow(old: String, new: String, error: String) throws {
    #expect(try stream([(old, new)]).error == error)
  }

  @Test(arguments: [
    ("METHOD=1 INTER", "METHOD=0", "fo"), ("INTER", "", "foce"), ("INTER", "LAPLACIAN", "laplace"),
  ])
  func methodsHaveTheirNames(old: String, new: String, method: String) throws {
    #expect(try stream([(old, new)]).method == method)
  }

  @Test(arguments: [
    ("ADVAN2", "ADVAN4", "ADVAN1 or ADVAN2"),
    ("TVCL*EXP(ETA(1))", "TVCL*(1+ETA(1))", "not log-normal in ETA(1)"),
    ("KA = THETA(3)", "KA = THETA(3)*CRCL", "CRCL is not known"),
    ("CL = TVCL*EXP(ETA(1))", "CL = TVCL*THETA(2)*EXP(ETA(1))", "several THETAs"),
    ("TVCL = THETA(1)", "TVCL = THETA(1)*(WT/70)**0.75", "proportional to WT"),
    ("IPRED = F", "IF (F.GT.0) IPRED = F", "without IF"),
    ("data.csv", "other.csv", "cannot be read"),
    ("Y = IPRED", "Y = LOG(IPRED+1)", "logarithms"),
  ])
  func whatCannotBeTakenOverIsRefused(old: String, new: String, reason: String) throws {
    let problem = #expect(throws: ControlStreamProblem.self) { try stream([(old, new)]) }
    #expect(problem?.description.contains(reason) == true, "\(String(describing: problem))")
  }
}
