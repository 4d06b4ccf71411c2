extension NISTProblem {
  /// Biochemical oxygen demand against incubation time (Box, Hunter and Hunter, 1978).
  static let boxBOD = NISTProblem(
    name: "BoxBOD",
    difficulty: .higher,
    formula: "y = b1*(1-exp[-b2*x]) + e",
    model: .saturation,
    starts: [
      [1, 1],
      [100, 0.75],
    ],
    parameters: [213.80940889, 0.54723748542],
    standardDeviations: [12.354515176, 0.10455993237],
    rss: 1168.0088766,
    residualSD: 17.088072423,
    degreesOfFreedom: 4,
    data: """
      109 1
      149 2
      149 3
      191 5
      213 7
      224 10
      """)
}
