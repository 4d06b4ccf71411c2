import RealModule

extension NISTProblem {
  /// Breakdown strength of insulation against weeks and temperature (Nelson, 1981).
  static let nelson = NISTProblem(
    name: "Nelson",
    difficulty: .average,
    formula: "log[y] = b1 - b2*x1 * exp[-b3*x2] + e",
    model: NISTModel(
      isOfLogarithm: true,
      residuals: { b, observations, residuals in
        observations.write(residuals) { weeks, temperature in
          b[0] - b[1] * weeks * Double.exp(-b[2] * temperature)
        }
      },
      jacobian: { b, observations, jacobian in
        observations.write(jacobian, columns: 3) { weeks, temperature, row in
          let decay = Double.exp(-b[2] * temperature)
          row[0] = 1
          row[1] = -weeks * decay
          row[2] = b[1] * weeks * temperature * decay
        }
      }),
    starts: [
      [2, 0.0001, -0.01],
      [2.5, 5e-09, -0.05],
    ],
    parameters: [2.5906836021, 5.6177717026e-09, -0.057701013174],
    standardDeviations: [0.019149996413, 6.112409654e-09, 0.0039572366543],
    rss: 3.7976833176,
    residualSD: 0.1743028013,
    degreesOfFreedom: 125,
    data: """
      15.00E0 1E0 180E0
      17.00E0 1E0 180E0
      15.50E0 1E0 180E0
      16.50E0 1E0 180E0
      15.50E0 1E0 225E0
      15.00E0 1E0 225E0
      16.00E0 1E0 225E0
      14.50E0 1E0 225E0
      15.00E0 1E0 250E0
      14.50E0 1E0 250E0
      12.50E0 1E0 250E0
      11.00E0 1E0 250E0
      14.00E0 1E0 275E0
      13.00E0 1E0 275E0
      14.00E0 1E0 275E0
      11.50E0 1E0 275E0
      14.00E0 2E0 180E0
      16.00E0 2E0 180E0
      13.00E0 2E0 180E0
      13.50E0 2E0 180E0
      13.00E0 2E0 225E0
      13.50E0 2E0 225E0
      12.50E0 2E0 225E0
      12.50E0 2E0 225E0
      12.50E0 2E0 250E0
      12.00E0 2E0 250E0
      11.50E0 2E0 250E0
      12.00E0 2E0 250E0
      13.00E0 2E0 275E0
      11.50E0 2E0 275E0
      13.00E0 2E0 275E0
      12.50E0 2E0 275E0
      13.50E0 4E0 180E0
      17.50E0 4E0 180E0
      17.50E0 4E0 180E0
      13.50E0 4E0 180E0
      12.50E0 4E0 225E0
      12.50E0 4E0 225E0
      15.00E0 4E0 225E0
      13.00E0 4E0 225E0
      12.00E0 4E0 250E0
      13.00E0 4E0 250E0
      12.00E0 4E0 250E0
      13.50E0 4E0 250E0
      10.00E0 4E0 275E0
      11.50E0 4E0 275E0
      11.00E0 4E0 275E0
      9.50E0 4E0 275E0
      15.00E0 8E0 180E0
      15.00E0 8E0 180E0
      15.50E0 8E0 180E0
      16.00E0 8E0 180E0
      13.00E0 8E0 225E0
      10.50E0 8E0 225E0
      13.50E0 8E0 225E0
      14.00E0 8E0 225E0
      12.50E0 8E0 250E0
      12.00E0 8E0 250E0
      11.50E0 8E0 250E0
      11.50E0 8E0 250E0
      6.50E0 8E0 275E0
      5.50E0 8E0 275E0
      6.00E0 8E0 275E0
      6.00E0 8E0 275E0
      18.50E0 16E0 180E0
      17.00E0 16E0 180E0
      15.30E0 16E0 180E0
      16.00E0 16E0 180E0
      13.00E0 16E0 225E0
      14.00E0 16E0 225E0
      12.50E0 16E0 225E0
      11.00E0 16E0 225E0
      12.00E0 16E0 250E0
      12.00E0 16E0 250E0
      11.50E0 16E0 250E0
      12.00E0 16E0 250E0
      6.00E0 16E0 275E0
      6.00E0 16E0 275E0
      5.00E0 16E0 275E0
      5.50E0 16E0 275E0
      12.50E0 32E0 180E0
      13.00E0 32E0 180E0
      16.00E0 32E0 180E0
      12.00E0 32E0 180E0
      11.00E0 32E0 225E0
      9.50E0 32E0 225E0
      11.00E0 32E0 225E0
      11.00E0 32E0 225E0
      11.00E0 32E0 250E0
      10.00E0 32E0 250E0
      10.50E0 32E0 250E0
      10.50E0 32E0 250E0
      2.70E0 32E0 275E0
      2.70E0 32E0 275E0
      2.50E0 32E0 275E0
      2.40E0 32E0 275E0
      13.00E0 48E0 180E0
      13.50E0 48E0 180E0
      16.50E0 48E0 180E0
      13.60E0 48E0 180E0
      11.50E0 48E0 225E0
      10.50E0 48E0 225E0
      13.50E0 48E0 225E0
      12.00E0 48E0 225E0
      7.00E0 48E0 250E0
      6.90E0 48E0 250E0
      8.80E0 48E0 250E0
      7.90E0 48E0 250E0
      1.20E0 48E0 275E0
      1.50E0 48E0 275E0
      1.00E0 48E0 275E0
      1.50E0 48E0 275E0
      13.00E0 64E0 180E0
      12.50E0 64E0 180E0
      16.50E0 64E0 180E0
      16.00E0 64E0 180E0
      11.00E0 64E0 225E0
      11.50E0 64E0 225E0
      10.50E0 64E0 225E0
      10.00E0 64E0 225E0
      7.27E0 64E0 250E0
      7.50E0 64E0 250E0
      6.70E0 64E0 250E0
      7.60E0 64E0 250E0
      1.50E0 64E0 275E0
      1.00E0 64E0 275E0
      1.20E0 64E0 275E0
      1.20E0 64E0 275E0
      """)
}
