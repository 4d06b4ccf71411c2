import AlcoholKinetics

extension StudyNotebook {
  /// Column, label and scale of every parameter, as lines of a Python dictionary.
  private static let table = FitParameter.forPeople.map { parameter in
    let unit = parameter.reportedUnit
    let divided = unit.contains("/") ? "(\(unit))" : unit
    let label = mathSymbol(of: parameter) + (unit.isEmpty ? "" : " / \(divided)")
    let scale = parameter == .r || parameter.traits.canBeZero ? "linear" : "log"
    return
      #"    "\#(parameter.rawValue)": ("\#(parameter.columnName)", r"\#(label)", "\#(scale)"),"#
  }.joined(separator: "\n")

  /// The symbol as TeX sets it; lag and gain are words.
  private static func mathSymbol(of parameter: FitParameter) -> String {
    guard parameter != .gain else { return "calibration factor" }
    guard !parameter.traits.isUsuallyNeutral else { return parameter.symbol }
    guard parameter != .beta else { return #"$\beta$"# }
    let parts = parameter.symbol.split(separator: "_")
    let subscripts = parts.dropFirst().map { $0.count == 1 ? "_\($0)" : "_{\($0)}" }
    return "$\(parts[0])\(subscripts.joined())$"
  }

  static let parameters: [Notebook.Cell] = [
    .markdown(
      "parameters-text",
      """
      ## Parameters

      Estimates with their intervals. A parameter that the readings do not determine has no dot. Only \
      the limits that the readings support are drawn; an arrow means no limit on that side.
      """),
    .code(
      "parameters",
      #"""
      PARAMETERS = {
      \#(table)
      }
      ENDS = ["se", "low", "high"]
      estimated = [p for p in PARAMETERS
                   if fits[[f"{p}_{end}" for end in ENDS]].notna().any(axis=None)]
      rows = fits.set_index("series")
      rows[["status", "n"] + [c for p in estimated
           for c in (PARAMETERS[p][0], f"{p}_low", f"{p}_high", f"{p}_identifiable")]
           + ["residual_sd"]].round(4)
      """#),
    .code(
      "forest",
      #"""
      def limits(values, scale):
          """Room around what is drawn."""
          low, high = values.min(), values.max()
          if scale == "log":
              return low / 1.5, high * 1.5
          room = 0.12 * (high - low) or 0.1 * abs(high) or 1
          return (low - room if low < 0 else max(0, low - room)), high + room


      def draw_forest(axes, parameter):
          """The estimates of one parameter, a line per series."""
          column, label, scale = PARAMETERS[parameter]
          known = rows[f"{parameter}_identifiable"] != "no"
          low, high = rows[f"{parameter}_low"], rows[f"{parameter}_high"]
          drawn = pd.concat([low, high, rows.loc[known, column]]).dropna()
          left, right = limits(drawn, scale)
          axes.set_xscale(scale)
          if scale == "log":
              axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
              axes.xaxis.set_major_formatter("{x:g}")
              axes.xaxis.set_minor_formatter(NullFormatter())
          axes.set_xlim(left, right)
          for y, name in enumerate(rows.index):
              tone = BLUE if known[name] else GREY
              if pd.notna(low[name]) or pd.notna(high[name]):
                  start = left if pd.isna(low[name]) else low[name]
                  end = right if pd.isna(high[name]) else high[name]
                  axes.plot([start, end], [y, y], color=tone, lw=2, solid_capstyle="butt")
                  if pd.isna(low[name]):
                      axes.plot(left, y, "<", color=tone, ms=7, clip_on=False)
                  if pd.isna(high[name]):
                      axes.plot(right, y, ">", color=tone, ms=7, clip_on=False)
              if known[name] and pd.notna(rows[column][name]):
                  axes.plot(rows[column][name], y, "o", color=tone, ms=6)
          axes.set_xlabel(label, parse_math=True)
          axes.set_yticks(range(len(rows)), rows.index)
          axes.set_ylim(len(rows) - 0.5, -0.5)
          axes.grid(axis="y", visible=False)


      if estimated:
          figure, grid = plt.subplots(
              1, len(estimated), figsize=(2.9 * len(estimated), 0.28 * len(rows) + 1.4),
              sharey=True, squeeze=False)
          for axes, parameter in zip(grid.flat, estimated):
              draw_forest(axes, parameter)
          grid[0, 0].set_ylabel("subject")
          plt.show()
      """#),
  ]

  static let methods: [Notebook.Cell] = [
    .markdown(
      "sobriety-text",
      """
      ## Time to sobriety

      Error of each method's time to sobriety, predicted minus measured. The true time lies between two \
      readings, or after the last one if it is still above the threshold, so an error has limits. Each \
      bar spans the limits of one series; an arrow means no limit. The black bar spans the limits of the \
      mean. Below zero, the method predicts sobriety too early.
      """),
    .code(
      "sobriety-table",
      #"""
      def limits(row):
          """The limits of an error, in words."""
          least, most = row["error_min_least"], row["error_min_most"]
          if pd.isna(least) and pd.isna(most):
              return ""
          if pd.isna(least):
              return f"< {most:.0f}"
          if pd.isna(most):
              return f"> {least:.0f}"
          return f"{least:.0f} to {most:.0f}"


      shown = times.assign(error=[limits(row) for _, row in times.iterrows()])
      shown.pivot_table(index="series", columns="r_factor", values="error", aggfunc="first", sort=False)
      """#),
    .code(
      "sobriety",
      #"""
      def draw_limits(axes, x, least, most, edges, **look):
          """A bar between two limits, or an arrow to the edge where there is none."""
          start = edges[0] if pd.isna(least) else least
          end = edges[1] if pd.isna(most) else most
          axes.plot([x, x], [start, end], solid_capstyle="butt", **look)
          for missing, edge, marker in ((least, edges[0], "v"), (most, edges[1], "^")):
              if pd.isna(missing):
                  axes.plot(x, edge, marker, color=look["color"], ms=5, clip_on=False)


      figure, axes = plt.subplots(figsize=(8.6, 3.4))
      axes.axhline(0, color=BLACK, lw=1)
      ends = pd.concat([times["error_min_least"], times["error_min_most"], pd.Series([0.0])]).dropna()
      room = 0.15 * (ends.max() - ends.min()) or 1
      edges = (ends.min() - room, ends.max() + room)
      known = times[times[["error_min_least", "error_min_most"]].notna().any(axis=1)]
      total = methods[methods["quantity"] == "sobriety"].set_index("r_factor")
      for x, r_factor in enumerate(r_factors):
          mine = known[known["r_factor"] == r_factor]
          spread = np.linspace(-0.18, 0.3, len(mine)) if len(mine) > 1 else [0]
          for offset, (_, row) in zip(spread, mine.iterrows()):
              draw_limits(axes, x + offset, row["error_min_least"], row["error_min_most"], edges, lw=2,
                          color=colour[r_factor])
          if r_factor in total.index:
              mean = total.loc[r_factor]
              draw_limits(axes, x - 0.3, mean["bias_least"], mean["bias_most"], edges, lw=4, color=BLACK)
      axes.set_xticks(range(len(r_factors)), [
          f"{r}\n(n = {(known['r_factor'] == r).sum()})" for r in r_factors])
      axes.set_ylabel("predicted minus measured / min")
      axes.grid(axis="x", visible=False)
      plt.show()
      """#),
    .markdown(
      "errors-text",
      """
      ### Errors of the methods in total

      Bias and mean absolute error over subjects, each with its bootstrap interval. For the time to \
      sobriety, the thick part of a bar spans the limits; an arrow means no limit.
      """),
    .code(
      "errors",
      #"""
      for quantity, mine in methods.groupby("quantity", sort=False):
          unit = mine["unit"].iloc[0]
          unit = f"({unit})" if "/" in unit else unit
          figure, grid = plt.subplots(1, 2, figsize=(8.6, 0.3 * len(mine) + 1.1), sharey=True)
          for axes, measure in zip(grid, ("bias", "mae")):
              columns = [measure] + [f"{measure}_{end}" for end in ("low", "high", "least", "most")]
              ends = mine[columns].stack()
              room = 0.15 * (ends.max() - ends.min()) or 1
              for y, (_, row) in enumerate(mine.iterrows()):
                  value, low, high, least, most = row[columns]
                  look = {"color": colour[row["r_factor"]], "solid_capstyle": "butt"}
                  axes.plot([low, high], [y, y], lw=2, **look)
                  if pd.notna(value):
                      axes.plot(value, y, "o", ms=6, color=look["color"])
                      continue
                  start = ends.min() - room if pd.isna(least) else least
                  end = ends.max() + room if pd.isna(most) else most
                  axes.plot([start, end], [y, y], lw=5, **look)
                  for missing, edge, marker in ((least, start, "<"), (most, end, ">")):
                      if pd.isna(missing):
                          axes.plot(edge, y, marker, ms=7, color=look["color"], clip_on=False)
              axes.set_yticks(range(len(mine)), mine["r_factor"])
              axes.set_xlabel(f"{'bias' if measure == 'bias' else 'MAE'} of {quantity} / {unit}")
              axes.grid(axis="y", visible=False)
          grid[0].axvline(0, color=BLACK, lw=1)
          grid[1].set_xlim(left=0)
          grid[0].set_ylim(len(mine) - 0.5, -0.5)
          plt.show()
      """#),
  ]
}
