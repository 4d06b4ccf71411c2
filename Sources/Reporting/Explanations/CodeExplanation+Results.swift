extension CodeExplanation {
  static let failures: [CodeExplanation] = [
    CodeExplanation(
      code: "E_MEASURE_MISSING",
      found: "An r-factor method needs a body measure that is not known for the subject.",
      why: "The method gives no r, and no other method is used in its place.",
      remedy: "Add the measure to the study, or choose another method."),
    CodeExplanation(
      code: "N_R_NOT_DEFINED",
      found: """
        An r-factor method has no formula for the subject's sex. Ulrich's formula, for example, \
        was derived for men only.
        """,
      why: "The method gives no r, and no other method is used in its place.",
      remedy: "Nothing, or choose another method for this subject."),
    CodeExplanation(
      code: "E_R_NOT_POSITIVE",
      found: "An r formula gives a value that is not a positive number for this body.",
      why: "The formula does not apply to this height and weight.",
      remedy: "Check height and weight."),
    CodeExplanation(
      code: "E_PARAMETER_RANGE",
      found: "A model parameter is outside its valid range.",
      why: "The curve cannot be computed.",
      remedy: "Give a value in the range stated."),
    CodeExplanation(
      code: "E_WEIGHT_MISSING",
      found: "The dose is in grams and the body weight is not known.",
      why: "A dose becomes a concentration only through the weight.",
      remedy: "Add weight_kg to subjects.csv, or give the dose as ethanol_g_per_kg."),
    CodeExplanation(
      code: "E_TOO_FEW_READINGS",
      found: "A series has fewer usable readings than parameters to estimate.",
      why: "Infinitely many curves would fit.",
      remedy: "Estimate fewer parameters, or measure more often."),
    CodeExplanation(
      code: "E_POPULATION_OPTIONS",
      found: "A population model asks for something impossible.",
      why: "There is no likelihood to compute.",
      remedy: "Follow the message: it names the parameter, covariate or column."),
    CodeExplanation(
      code: "E_PRIOR_MISSING",
      found: "A forecast was asked for without a prior.",
      why: "Readings so far do not say what comes next; what is known of other people does.",
      remedy: """
        Give a population's JSON with --prior FILE, or one that ships: --prior fasted or --prior \
        fed.
        """),
    CodeExplanation(
      code: "E_FORECAST_CHANGED",
      found: "A registered forecast was changed, cut off or damaged.",
      why: "A forecast that was changed after it was written down proves nothing.",
      remedy: "Score the file as promille forecast --register wrote it."),
    CodeExplanation(
      code: "E_POPULATION_FILE",
      found: "A file of population values or a prior lacks something, or has something that is not understood.",
      why: """
        A parameter that is misspelt, or a variance that is none, would make a parameter known exactly, as if nobody \
        differed.
        """,
      remedy: "Correct what stands at the line and column that the message names."),
    CodeExplanation(
      code: "E_POPULATION_NOT_EVALUATED",
      found: "Somebody's curve could not be followed at the values of a population.",
      why: "The likelihood of the study is the product of everybody's.",
      remedy: "Check doses and units, or begin with other typical values."),
    CodeExplanation(
      code: "E_TOO_FEW_PEOPLE",
      found: "A population has fewer people with usable readings than parameters that vary.",
      why: "A spread between people cannot be estimated from so few.",
      remedy: "See what was left out and why, or let fewer parameters vary."),
    CodeExplanation(
      code: "E_READING_ORDER",
      found: "A series made in a program has readings out of order.",
      why: "Files are sorted when they are read; series made in memory are not.",
      remedy: "Put the series in order with Series.inOrderOfTime."),
    CodeExplanation(
      code: "E_NOTHING_MEASURED",
      found: "Every reading of a series is zero.",
      why: "There is no curve to fit.",
      remedy: "Check the unit and the instrument, or leave the series out."),
    CodeExplanation(
      code: "E_NOTHING_PREDICTED",
      found: "The model predicts no alcohol at any reading.",
      why: "Nothing can be learnt from such a fit.",
      remedy: """
        Check the dose, r and the unit of the times, and that readings follow the first drink.
        """),
    CodeExplanation(
      code: "E_NOT_CONVERGED",
      found: "The search could not begin: the model could not be evaluated at any start.",
      why: "There is no estimate.",
      remedy: "Try more starts or fewer parameters, and check doses and times."),
    CodeExplanation(
      code: "E_CANCELLED",
      found: "The fit was cancelled before it ended.",
      why: "A program that runs fits in the background stopped it, and there is no estimate.",
      remedy: "Run it again."),
    CodeExplanation(
      code: "E_NO_OTHER_FIT",
      found: "No other subject could be fitted.",
      why: "--parameters left-out predicts each subject from the fits of the others.",
      remedy: "Use given parameters, or add subjects."),
    CodeExplanation(
      code: "E_ESTIMATE_MISSING",
      found: "The observed r of a subject needs columns of estimates.csv that are empty.",
      why: "There is no observed r to compare with.",
      remedy: "Fill in the columns named, or leave the subject out."),
    CodeExplanation(
      code: "E_CURVE_MISSING",
      found: "The predictions given have no values for this series.",
      why: "It cannot be scored.",
      remedy: "Add the values, or leave the series out."),
    CodeExplanation(
      code: "E_NEVER_SOBER",
      found: "A predicted concentration never reaches the threshold.",
      why: "Only curves of Widmark's model fall to 0.",
      remedy: "Choose a threshold above 0."),
    CodeExplanation(
      code: "E_CURVE_TOO_LONG",
      found: "A curve would have too many points.",
      why: "It would fill memory or disk.",
      remedy: "Use longer steps, an earlier end or a larger beta."),
    CodeExplanation(
      code: "E_LIMB_TOO_SHORT",
      found: "The elimination limb has too few readings at different times for a line.",
      why: "beta60 and C0 cannot be estimated by the classical method.",
      remedy: "Measure longer, or let the limb begin earlier or end lower."),
    CodeExplanation(
      code: "E_LIMB_NOT_FALLING",
      found: "The readings of the elimination limb do not fall.",
      why: "An elimination rate cannot be negative.",
      remedy: "Check times, drinks and unit."),
    CodeExplanation(
      code: "E_INSTRUMENT_ERROR_MISSING",
      found: """
        The error model "instrument" was chosen, and the study states neither resolution nor \
        relative accuracy.
        """,
      why: "The standard deviation of a reading is unknown.",
      remedy: "Add them to datapackage.json, or choose another error model."),
    CodeExplanation(
      code: "E_SOLVER",
      found: "The least-squares solver could not be run.",
      why: "There is no estimate. This is rare, and usually means that memory is short.",
      remedy: "Report the message together with the data if it happens again."),
    CodeExplanation(
      code: "E_FIT_OPTIONS",
      found: "The options ask for something that cannot be done.",
      why: "Nothing was fitted.",
      remedy: "Read the message and change the option it names."),
  ]

  static let warnings: [CodeExplanation] = [
    CodeExplanation(
      code: "W_ABOVE_DOSE",
      found: """
        Some readings are above the highest concentration that the dose can give, dose / (r x \
        weight).
        """,
      why: """
        No blood concentration can be that high, so the dose, the unit, r or the instrument is \
        wrong.
        """,
      remedy: "Check dose and unit, mouth alcohol, and whether the instrument can be trusted."),
    CodeExplanation(
      code: "W_NOTHING_ABSORBED",
      found: "All doses of a series are intravenous.",
      why: "Nothing is absorbed from the gut, so k_a and lag cannot be estimated and were not.",
      remedy: "Nothing; leave ka and lag out of --estimate to avoid the message."),
    CodeExplanation(
      code: "W_KA_RANGE",
      found: "k_a is outside 0.5-30 /h.",
      why: "People rarely lie outside this range. The absorption phase may not have been sampled.",
      remedy: "Look at the readings before the peak. Do not quote the value without its interval."),
    CodeExplanation(
      code: "W_KA_FAR",
      found:
        "Predictions take a k_a that is more than twice, or less than half, the median of the study's own fits.",
      why: "Predicted peaks come too early and too high, or too late and too low.",
      remedy:
        "Give a `--ka` that fits these people, choose `--food`, or use `--parameters left-out`."),
    CodeExplanation(
      code: "W_FOOD_OVERRIDDEN",
      found: "--food or --preset overrides what the study says that a subject had eaten.",
      why: """
        What was eaten decides the typical k_a, beta and lag. Food slows absorption, so that predictions for another \
        state come too early or too late.
        """,
      remedy: "Leave the option out to follow the study, or keep it if the study is wrong."),
    CodeExplanation(
      code: "W_BREATH_RATIO_ASSUMED",
      found: "Breath readings are converted with a blood:breath ratio of 2100 that nobody stated.",
      why: """
        The ratio differs between people and instruments. Volunteers had 2349 (SD 176), which makes concentrations in \
        blood, and r, 12 % different.
        """,
      remedy: "State the ratio of the instrument with `--blood-breath-ratio`."),
    CodeExplanation(
      code: "W_SOBER_REAPPEARS",
      found:
        "After everything was drunk, a reading is above the threshold again after one that was not.",
      why: "The measured time to sobriety rests on this one reading.",
      remedy: "Check the reading; mark it in the column `exclude` if it is wrong."),
    CodeExplanation(
      code: "W_SOBER_GAP",
      found: """
        The last reading above the threshold and the next one are more than 30 min, and more than twice the usual \
        distance, apart.
        """,
      why: "The time to sobriety lies anywhere between them.",
      remedy: "Look at the error's limits instead of its value. Measure more often near sobriety."),
    CodeExplanation(
      code: "W_SOBER_BELOW_RESOLUTION",
      found: "The threshold is below the smallest step that the instrument shows.",
      why: "The measured time depends on how the instrument rounds, not on the person.",
      remedy: "Use a `--threshold` of at least the resolution, which is the default."),
    CodeExplanation(
      code: "W_BETA_RANGE",
      found: """
        beta is outside 0.085-0.275 g/kg/h (0.09-0.29 g/L/h), the range of 95 % of people (Jones \
        & Andersson 1996).
        """,
      why: "The elimination limb may be too short, or the dose or unit wrong.",
      remedy: "Check dose, unit and the length of the elimination limb."),
    CodeExplanation(
      code: "W_R_RANGE",
      found: "r (rho, the Widmark factor) is outside 0.4-0.9.",
      why: """
        Such a distribution factor is not plausible for a body; it hides a wrong dose, weight or \
        unit.
        """,
      remedy: "Check dose, weight and the unit of the readings."),
    CodeExplanation(
      code: "W_R_PUBLISHED_RANGE",
      found: "r is outside the range that the method's authors published.",
      why: "The formula may not hold for this body.",
      remedy: "Compare with another method."),
    CodeExplanation(
      code: "W_NOT_CONVERGED",
      found: "The best start did not converge to a minimum.",
      why: "The estimate may be improved by a longer search.",
      remedy: "Try more starts, fewer parameters or tighter bounds."),
    CodeExplanation(
      code: "W_VARIANCE_AT_ZERO",
      found: """
        A variance between people, occasions or studies fell to the smallest that the search of a \
        population fit has, or what is left of it beside the others with --covariance full.
        """,
      why: """
        The readings show no such difference. There may be one all the same: the upper end of the \
        variance's interval, by likelihood ratio, says how large.
        """,
      remedy: """
        Leave the parameter out of --random (--occasional, --study-level), or measure more people, \
        or more often.
        """),
    CodeExplanation(
      code: "W_SHRINKAGE",
      found: """
        The random effects of a parameter shrank by more than 99 %: everybody has nearly the same.
        """,
      why: "The readings do not say how people differ in it, and its variance is not determined.",
      remedy: "Leave the parameter out of --random, or fix it."),
    CodeExplanation(
      code: "W_NO_STANDARD_ERRORS",
      found: "The likelihood of a population fit has no curvature at its maximum.",
      why: "There are no standard errors, and some combination of parameters is not determined.",
      remedy: "Estimate fewer parameters, or let fewer of them vary."),
    CodeExplanation(
      code: "W_AT_BOUND",
      found: "A parameter hit its search limit.",
      why: "Treat it as undetermined. The other intervals are conditional on it.",
      remedy: """
        Fix the parameter at a value from the literature, or measure the phase that determines \
        it.
        """),
    CodeExplanation(
      code: "W_PRIOR_OUTSIDE",
      found: """
        Somebody is older, drank more, had eaten otherwise or is of unknown sex, beyond the people \
        of the prior.
        """,
      why: """
        A prior holds for people like those that it was made from. Beyond them nobody has checked \
        it.
        """,
      remedy: """
        Use the prior of the right food state, add the sex, or make a prior of your own people.
        """),
    CodeExplanation(
      code: "W_PRIOR_DOMINATED",
      found: "The prior says more of a parameter than the person's readings do.",
      why: """
        The readings gave less than half of the precision 1 / SD^2 of the posterior. The estimate is mostly what \
        was believed before.
        """,
      remedy:
        "Measure the phase that determines the parameter, or say that the value is the prior's."),
    CodeExplanation(
      code: "W_ZEROS_AS_READ",
      found: "Several readings are 0, and no limit of detection is known (Michaelis-Menten only).",
      why: """
        The tail of the curve is never quite zero, and an instrument shows no negative values: readings of 0 hide \
        their error. Of simulated people with two such readings or more, 95 % intervals held the true parameters \
        in 90 %; with a limit of detection stated in 96 %.
        """,
      remedy: "State the limit with --lod, or in the study; lower readings are then censored."),
    CodeExplanation(
      code: "W_ZERO_INTERVAL",
      found: "The time to zero has an interval, and the size of errors next to zero was estimated.",
      why: """
        With --error combined the interval rests on how small errors next to zero are, and few readings tell. Of \
        1,000 simulated people, 95 % intervals held the true time to zero in 91 %.
        """,
      remedy: """
        State both parts of the error if they are known (--error combined:SD,CV), or take the interval as one \
        of about 91 %.
        """),
    CodeExplanation(
      code: "W_NOT_IDENTIFIABLE",
      found: """
        The readings do not determine a parameter on at least one side; of a population, the interval of a typical \
        value spans more than a factor of 100.
        """,
      why: """
        Only the limits shown are supported; a point estimate would claim more than is known.
        """,
      remedy: """
        Measure the phase that determines the parameter: early readings for k_a, late ones for \
        beta.
        """),
    CodeExplanation(
      code: "W_SINGLE_START",
      found: """
        Only one start found the best minimum. A population fit is then undetermined, as it is with --starts 1.
        """,
      why: "There may be a better one that no start reached.",
      remedy: "Try more starts."),
    CodeExplanation(
      code: "W_NO_DEGREES_OF_FREEDOM",
      found: "There are as many parameters as readings.",
      why: """
        The curve can pass through every reading, so the error is unknown and there are no \
        intervals.
        """,
      remedy: "Estimate fewer parameters, or measure more often."),
    CodeExplanation(
      code: "W_LIMB_SHORT",
      found: "Fewer than three readings follow the highest reading and the last drink.",
      why: "These few readings determine beta only weakly.",
      remedy: "Measure longer."),
    CodeExplanation(
      code: "W_NOT_SETTLED",
      found: "The standard deviations and the predictions did not settle together.",
      why: "The reported point is one of several that fit about equally well.",
      remedy: "Try another error model."),
    CodeExplanation(
      code: "W_BEFORE_DRINKING",
      found: """
        A reading is clearly above zero before any alcohol could have reached the blood. It was \
        left out.
        """,
      why: "A drink is missing, or a clock or the instrument is wrong.",
      remedy: "Add what was drunk earlier, or check clock and instrument."),
    CodeExplanation(
      code: "W_CURVE_AT_ZERO",
      found: "A reading is clearly above zero where the fitted curve is zero.",
      why: """
        A drink may be missing or a time wrong. The curve's time to sobriety cannot be trusted.
        """,
      remedy: "Check the drinks and the times."),
    CodeExplanation(
      code: "W_OUTLYING_READING",
      found: "A reading is more than 3 standard errors off the curve.",
      why: "One such reading can move all estimates.",
      remedy: "Check it, and compare with a robust loss (--loss huber)."),
    CodeExplanation(
      code: "W_RESIDUALS_NOT_RANDOM",
      found: "Residuals come in runs, or are far from normal (p < 0.001).",
      why: "The model does not describe the readings, and the intervals are too narrow.",
      remedy: "Look at the residuals, and try a lag or another elimination model."),
    CodeExplanation(
      code: "W_STUDY_CORRELATED",
      found: """
        Over all series of the study, residuals of neighbouring readings are correlated more \
        strongly than independent errors would allow.
        """,
      why: """
        Intervals that take errors as independent are too narrow: with a correlation of 0.6, 95 % \
        intervals held the truth about 75 % of the time in simulation.
        """,
      remedy: """
        Check the model first. Then use --correlation exponential, or --standard-errors robust \
        with --interval wald.
        """),
    CodeExplanation(
      code: "W_STUDY_TREND_TIME",
      found: "Over all series, residuals follow a trend or a curve over time.",
      why: """
        The model has the wrong shape at the same times in most people. Intervals are too \
        narrow.
        """,
      remedy: "Look at the pooled residuals, and try a lag or another elimination model."),
    CodeExplanation(
      code: "W_STUDY_TREND_CONCENTRATION",
      found: "Over all series, residuals follow a trend or a curve over concentration.",
      why: """
        Elimination may depend on the concentration, or the instrument may not be linear. \
        Intervals are too narrow.
        """,
      remedy: """
        Look at the pooled residuals, and try Michaelis-Menten elimination or another error model.
        """),
    CodeExplanation(
      code: "W_STUDY_ERRORS_DIFFER",
      found: """
        The errors of some people of the study are larger than those of others, by more than chance would \
        allow (Bartlett's test).
        """,
      why: """
        All series share one error model. Intervals of people with larger errors are too narrow, those of \
        people with smaller errors too wide.
        """,
      remedy: """
        Look for people whom the curve misses: one whose drinks are wrong is enough. Correct or leave them out. \
        Look for what the others have in common: an instrument, a day, a site. Then fit with \
        --error-from subject, or each part of the study alone.
        """),
    CodeExplanation(
      code: "W_STUDY_MODEL",
      found: """
        Over all series, a model with one parameter more fits much better than chance would \
        allow.
        """,
      why: """
        Single series are too short to show this; together they do. Estimates of the smaller \
        model are biased.
        """,
      remedy: "Fit the model that the message names, and compare estimates and intervals."),
    CodeExplanation(
      code: "W_BIAS_OVER_TIME",
      found: """
        Over all subjects, the errors of a method's predictions follow a trend or a curve over time.
        """,
      why: """
        One bias and its limits of agreement do not describe the method: its predictions are too \
        high in one part of the curve and less so, or too low, in another.
        """,
      remedy: """
        State the error by time (pooled_errors in JSON), and check the kinetic parameters: a wrong \
        elimination makes errors grow with time, a wrong k_a those of the first hours.
        """),
    CodeExplanation(
      code: "W_BIAS_OVER_CONCENTRATION",
      found: """
        Over all subjects, the errors of a method's predictions follow a trend or a curve over the \
        predicted concentration.
        """,
      why: """
        One bias and its limits of agreement do not describe the method: they are too large for \
        some concentrations and too small for others.
        """,
      remedy: """
        State the error by concentration (pooled_errors in JSON), and check r, the doses and the \
        calibration of the instrument: each can make errors grow with the concentration.
        """),
    CodeExplanation(
      code: "W_ERRORS_CORRELATED",
      found: """
        Over all subjects, errors of neighbouring readings are correlated: what a prediction is \
        wrong by at one reading, it is nearly wrong by at the next.
        """,
      why: """
        Readings of one subject are not independent. Intervals that count readings are too narrow; \
        those of Promille are over subjects.
        """,
      remedy: "Judge by intervals over subjects (compare --summary), and measure more people."),
    CodeExplanation(
      code: "W_LIMB_FEW_READINGS",
      found: "The elimination line rests on fewer than 5 readings.",
      why: "Its intervals are wide, and curvature would hardly show.",
      remedy: "Measure longer or more often."),
    CodeExplanation(
      code: "W_BETA_UNCERTAIN",
      found: "The interval of beta reaches zero.",
      why: "The readings do not show that the concentration falls.",
      remedy: "Measure longer, or more precisely."),
    CodeExplanation(
      code: "W_EARLIER_DRINKS",
      found: "A reading shows that the blood was free of alcohol between two drinks.",
      why: "C0 and r refer to the drinks after that reading.",
      remedy: "Nothing, or split the series into two occasions."),
    CodeExplanation(
      code: "W_EMPTY_BETWEEN_DRINKS",
      found: "According to this line, the first drinks were eliminated before a later drink.",
      why: "C0 is too high and r too small.",
      remedy: "Split the series into two occasions."),
  ]
}
