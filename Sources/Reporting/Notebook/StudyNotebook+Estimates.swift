extension StudyNotebook {
  static let parameters: [Notebook.Cell] = [
    .markdown(
      "parameters-text",
      """
      ## Parameters

      Estimates with their intervals. A parameter that the readings do not determine has no dot: only \
      the ends that the readings do set are drawn, with an arrow where there is none.
      """),
    .code(
      "parameters",
      #"""
      PARAMETERS = {
          "ka": ("ka_per_h", "$k_a$ / (1/h)", "log"),
          "beta": ("beta_g_per_kg_h", r"$\beta$ / (g/kg/h)", "log"),
          "vmax": ("vmax_g_per_kg_h", "$V_{max}$ / (g/kg/h)", "log"),
          "km": ("km_g_per_kg", "$K_m$ / (g/kg)", "log"),
          "r": ("r", "$r$ / (kg/kg)", "linear"),
          "lag": ("lag_min", "lag / min", "linear"),
          "gain": ("gain", "gain", "log"),
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

      The error of each method's time to sobriety, predicted minus measured: a dot per subject, the \
      mean as a bar. Below zero the method says sober too early. The true time lies up to one reading \
      before the measured one.
      """),
    .code(
      "sobriety-table",
      #"""
      times.pivot_table(index="series", columns="r_factor", values="error_min", sort=False).round(1)
      """#),
    .code(
      "sobriety",
      #"""
      figure, axes = plt.subplots(figsize=(8.6, 3.4))
      axes.axhline(0, color=BLACK, lw=1)
      markers = dict(zip(names, "osD^vP*X" * (len(names) // 8 + 1)))
      for x, r_factor in enumerate(r_factors):
          mine = times[(times["r_factor"] == r_factor) & times["error_min"].notna()]
          spread = np.linspace(-0.18, 0.18, len(mine)) if len(mine) > 1 else [0]
          for offset, (_, row) in zip(spread, mine.iterrows()):
              axes.plot(x + offset, row["error_min"], markers[row["series"]], ms=6, alpha=0.85,
                        color=colour[r_factor], mec="white", mew=0.5)
          axes.plot([x - 0.3, x + 0.3], [mine["error_min"].mean()] * 2, color=BLACK, lw=2)
      axes.set_xticks(range(len(r_factors)), [
          f"{r}\n(n = {times.loc[times['r_factor'] == r, 'error_min'].notna().sum()})" for r in r_factors])
      axes.set_ylabel("predicted minus measured / min")
      axes.grid(axis="x", visible=False)
      if len(names) <= 12:
          handles = [plt.Line2D([], [], marker=markers[n], ls="none", color=GREY, label=n) for n in names]
          figure.legend(handles=handles, loc="outside right center", title="subject")
      plt.show()
      """#),
    .markdown(
      "errors-text",
      """
      ### Errors of the methods in total

      Bias and mean absolute error over subjects, each with its bootstrap interval.
      """),
    .code(
      "errors",
      #"""
      for quantity, mine in methods.groupby("quantity", sort=False):
          unit = mine["unit"].iloc[0]
          unit = f"({unit})" if "/" in unit else unit
          figure, grid = plt.subplots(1, 2, figsize=(8.6, 0.3 * len(mine) + 1.1), sharey=True)
          for axes, measure in zip(grid, ("bias", "mae")):
              for y, (_, row) in enumerate(mine.iterrows()):
                  axes.plot([row[f"{measure}_low"], row[f"{measure}_high"]], [y, y], lw=2,
                            color=colour[row["r_factor"]])
                  axes.plot(row[measure], y, "o", ms=6, color=colour[row["r_factor"]])
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
