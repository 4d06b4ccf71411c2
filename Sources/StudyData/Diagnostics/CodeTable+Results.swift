extension CodeExplanation {
  /// Codes of what is computed: fits, comparisons, forecasts and cases.
  static let results = #"""
    ## Why a series has no result
    E_MEASURE_MISSING
      An r-factor method needs a body measure that is not known for the subject.
      The method gives no r, and no other method is used in its place.
      Add the measure to the study, or choose another method.
    N_R_NOT_DEFINED
      An r-factor method has no formula for the subject's sex. Ulrich's formula, for example, was derived for men only.
      The method gives no r, and no other method is used in its place.
      Nothing, or choose another method for this subject.
    E_R_NOT_POSITIVE
      An r formula gives a value that is not a positive number for this body.
      The formula does not apply to this height and weight.
      Check height and weight.
    E_PARAMETER_RANGE
      A model parameter is outside its valid range.
      The curve cannot be computed.
      Give a value in the range stated.
    E_WEIGHT_MISSING
      The dose is in grams and the body weight is not known.
      A dose becomes a concentration only through the weight.
      Add weight_kg to subjects.csv, or give the dose as ethanol_g_per_kg.
    E_TOO_FEW_READINGS
      A series has fewer usable readings than parameters to estimate.
      Infinitely many curves would fit.
      Estimate fewer parameters, or measure more often.
    E_POPULATION_OPTIONS
      A population model asks for something impossible.
      There is no likelihood to compute.
      Follow the message: it names the parameter, covariate or column.
    E_PRIOR_MISSING
      A forecast was asked for without a prior.
      Readings so far do not say what comes next; what is known of other people does.
      Give a population's JSON with --prior FILE, or one that ships: --prior fasted or --prior fed.
    E_FORECAST_CHANGED
      A registered forecast was changed, cut off or damaged.
      A forecast that was changed after it was written down proves nothing.
      Score the file as promille forecast --register wrote it.
    E_POPULATION_FILE
      A file of population values or a prior lacks something, or has something that is not understood.
      A parameter that is misspelt, or a variance that is none, would make a parameter known exactly, as if nobody differed.
      Correct what stands at the line and column that the message names.
    E_POPULATION_NOT_EVALUATED
      Somebody's curve could not be followed at the values of a population.
      The likelihood of the study is the product of everybody's.
      Check doses and units, or begin with other typical values.
    E_TOO_FEW_PEOPLE
      A population has fewer people with usable readings than parameters that vary.
      A spread between people cannot be estimated from so few.
      See what was left out and why, or let fewer parameters vary.
    E_READING_ORDER
      A series made in a program has readings out of order.
      Files are sorted when they are read; series made in memory are not.
      Put the series in order with Series.inOrderOfTime.
    E_NOTHING_MEASURED
      Every reading of a series is zero.
      There is no curve to fit.
      Check the unit and the instrument, or leave the series out.
    E_NOTHING_PREDICTED
      The model predicts no alcohol at any reading.
      Nothing can be learnt from such a fit.
      Check the dose, r and the unit of the times, and that readings follow the first drink.
    E_NOT_CONVERGED
      The search could not begin: the model could not be evaluated at any start.
      There is no estimate.
      Try more starts or fewer parameters, and check doses and times.
    E_CANCELLED
      The fit was cancelled before it ended.
      A program that runs fits in the background stopped it, and there is no estimate.
      Run it again.
    E_NO_OTHER_FIT
      No other subject could be fitted.
      --parameters left-out predicts each subject from the fits of the others.
      Use given parameters, or add subjects.
    E_ESTIMATE_MISSING
      The observed r of a subject needs columns of estimates.csv that are empty.
      There is no observed r to compare with.
      Fill in the columns named, or leave the subject out.
    E_CURVE_MISSING
      The predictions given have no values for this series.
      It cannot be scored.
      Add the values, or leave the series out.
    E_NEVER_SOBER
      A predicted concentration never reaches the threshold.
      Only curves of Widmark's model fall to 0.
      Choose a threshold above 0.
    E_CURVE_TOO_LONG
      A curve would have too many points.
      It would fill memory or disk.
      Use longer steps, an earlier end or a larger beta.
    E_LIMB_TOO_SHORT
      The elimination limb has too few readings at different times for a line.
      beta60 and C0 cannot be estimated by the classical method.
      Measure longer, or let the limb begin earlier or end lower.
    E_LIMB_NOT_FALLING
      The readings of the elimination limb do not fall.
      An elimination rate cannot be negative.
      Check times, drinks and unit.
    E_INSTRUMENT_ERROR_MISSING
      The error model "instrument" was chosen, and the study states neither resolution nor relative accuracy.
      The standard deviation of a reading is unknown.
      Add them to datapackage.json, or choose another error model.
    E_SOLVER
      The least-squares solver could not be run.
      There is no estimate. This is rare, and usually means that memory is short.
      Report the message together with the data if it happens again.
    E_FIT_OPTIONS
      The options ask for something that cannot be done.
      Nothing was fitted.
      Read the message and change the option it names.

    ## Warnings about a fit
    W_ABOVE_DOSE
      Some readings are above the highest concentration that the dose can give, dose / (r x weight).
      No blood concentration can be that high, so the dose, the unit, r or the instrument is wrong.
      Check dose and unit, mouth alcohol, and whether the instrument can be trusted.
    W_NOTHING_ABSORBED
      All doses of a series are intravenous.
      Nothing is absorbed from the gut, so k_a and lag cannot be estimated and were not.
      Nothing; leave ka and lag out of --estimate to avoid the message.
    W_KA_RANGE
      k_a is outside 0.5-30 /h.
      People rarely lie outside this range. The absorption phase may not have been sampled.
      Look at the readings before the peak. Do not quote the value without its interval.
    W_KA_FAR
      Predictions take a k_a that is more than twice, or less than half, the median of the study's own fits.
      Predicted peaks come too early and too high, or too late and too low.
      Give a `--ka` that fits these people, choose `--food`, or use `--parameters left-out`.
    W_FOOD_OVERRIDDEN
      --food or --preset overrides what the study says that a subject had eaten.
      What was eaten decides the typical k_a, beta and lag. Food slows absorption, so that predictions for another state come too early or too late.
      Leave the option out to follow the study, or keep it if the study is wrong.
    W_BREATH_RATIO_ASSUMED
      Breath readings are converted with a blood:breath ratio of 2100 that nobody stated.
      The ratio differs between people and instruments. Volunteers had 2349 (SD 176), which makes concentrations in blood, and r, 12 % different.
      State the ratio of the instrument with `--blood-breath-ratio`.
    W_SOBER_REAPPEARS
      After everything was drunk, a reading is above the threshold again after one that was not.
      The measured time to sobriety rests on this one reading.
      Check the reading; mark it in the column `exclude` if it is wrong.
    W_SOBER_GAP
      The last reading above the threshold and the next one are more than 30 min, and more than twice the usual distance, apart.
      The time to sobriety lies anywhere between them.
      Look at the error's limits instead of its value. Measure more often near sobriety.
    W_SOBER_BELOW_RESOLUTION
      The threshold is below the smallest step that the instrument shows.
      The measured time depends on how the instrument rounds, not on the person.
      Use a `--threshold` of at least the resolution, which is the default.
    W_BETA_RANGE
      beta is outside 0.085-0.275 g/kg/h (0.09-0.29 g/L/h), the range of 95 % of people (Jones & Andersson 1996).
      The elimination limb may be too short, or the dose or unit wrong.
      Check dose, unit and the length of the elimination limb.
    W_R_RANGE
      r (rho, the Widmark factor) is outside 0.4-0.9.
      Such a distribution factor is not plausible for a body; it hides a wrong dose, weight or unit.
      Check dose, weight and the unit of the readings.
    W_R_PUBLISHED_RANGE
      r is outside the range that the method's authors published.
      The formula may not hold for this body.
      Compare with another method.
    W_NOT_CONVERGED
      The best start did not converge to a minimum.
      The estimate may be improved by a longer search.
      Try more starts, fewer parameters or tighter bounds.
    W_VARIANCE_AT_ZERO
      A variance between people, occasions or studies fell to the smallest that the search of a population fit has, or what is left of it beside the others with --covariance full.
      The readings show no such difference. There may be one all the same: the upper end of the variance's interval, by likelihood ratio, says how large.
      Leave the parameter out of --random (--occasional, --study-level), or measure more people, or more often.
    W_SHRINKAGE
      The random effects of a parameter shrank by more than 99 %: everybody has nearly the same.
      The readings do not say how people differ in it, and its variance is not determined.
      Leave the parameter out of --random, or fix it.
    W_NO_STANDARD_ERRORS
      The likelihood of a population fit has no curvature at its maximum.
      There are no standard errors, and some combination of parameters is not determined.
      Estimate fewer parameters, or let fewer of them vary.
    W_AT_BOUND
      A parameter hit its search limit.
      Treat it as undetermined. The other intervals are conditional on it.
      Fix the parameter at a value from the literature, or measure the phase that determines it.
    W_PRIOR_OUTSIDE
      Somebody is older, drank more, had eaten otherwise or is of unknown sex, beyond the people of the prior.
      A prior holds for people like those that it was made from. Beyond them nobody has checked it.
      Use the prior of the right food state, add the sex, or make a prior of your own people.
    W_PRIOR_DOMINATED
      The prior says more of a parameter than the person's readings do.
      The readings gave less than half of the precision 1 / SD^2 of the posterior. The estimate is mostly what was believed before.
      Measure the phase that determines the parameter, or say that the value is the prior's.
    W_ZEROS_AS_READ
      Several readings are 0, and no limit of detection is known (Michaelis-Menten only).
      The tail of the curve is never quite zero, and an instrument shows no negative values: readings of 0 hide their error. Of simulated people with two such readings or more, 95 % intervals held the true parameters in 90 %; with a limit of detection stated in 96 %.
      State the limit with --lod, or in the study; lower readings are then censored.
    W_ZERO_INTERVAL
      The time to zero has an interval, and the size of errors next to zero was estimated.
      With --error combined the interval rests on how small errors next to zero are, and few readings tell. Of 1,000 simulated people, 95 % intervals held the true time to zero in 91 %.
      State both parts of the error if they are known (--error combined:SD,CV), or take the interval as one of about 91 %.
    W_NOT_IDENTIFIABLE
      The readings do not determine a parameter on at least one side; of a population, the interval of a typical value spans more than a factor of 100.
      Only the limits shown are supported; a point estimate would claim more than is known.
      Measure the phase that determines the parameter: early readings for k_a, late ones for beta.
    W_SINGLE_START
      Only one start found the best minimum. A population fit is then undetermined, as it is with --starts 1.
      There may be a better one that no start reached.
      Try more starts.
    W_NO_DEGREES_OF_FREEDOM
      There are as many parameters as readings.
      The curve can pass through every reading, so the error is unknown and there are no intervals.
      Estimate fewer parameters, or measure more often.
    W_LIMB_SHORT
      Fewer than three readings follow the highest reading and the last drink.
      These few readings determine beta only weakly.
      Measure longer.
    W_NOT_SETTLED
      The standard deviations and the predictions did not settle together.
      The reported point is one of several that fit about equally well.
      Try another error model.
    W_BEFORE_DRINKING
      A reading is clearly above zero before any alcohol could have reached the blood. It was left out.
      A drink is missing, or a clock or the instrument is wrong.
      Add what was drunk earlier, or check clock and instrument.
    W_CURVE_AT_ZERO
      A reading is clearly above zero where the fitted curve is zero.
      A drink may be missing or a time wrong. The curve's time to sobriety cannot be trusted.
      Check the drinks and the times.
    W_OUTLYING_READING
      A reading is more than 3 standard errors off the curve.
      One such reading can move all estimates.
      Check it, and compare with a robust loss (--loss huber).
    W_RESIDUALS_NOT_RANDOM
      Residuals come in runs, or are far from normal (p < 0.001).
      The model does not describe the readings, and the intervals are too narrow.
      Look at the residuals, and try a lag or another elimination model.
    W_STUDY_CORRELATED
      Over all series of the study, residuals of neighbouring readings are correlated more strongly than independent errors would allow.
      Intervals that take errors as independent are too narrow: with a correlation of 0.6, 95 % intervals held the truth about 75 % of the time in simulation.
      Check the model first. Then use --correlation exponential, or --standard-errors robust with --interval wald.
    W_STUDY_TREND_TIME
      Over all series, residuals follow a trend or a curve over time.
      The model has the wrong shape at the same times in most people. Intervals are too narrow.
      Look at the pooled residuals, and try a lag or another elimination model.
    W_STUDY_TREND_CONCENTRATION
      Over all series, residuals follow a trend or a curve over concentration.
      Elimination may depend on the concentration, or the instrument may not be linear. Intervals are too narrow.
      Look at the pooled residuals, and try Michaelis-Menten elimination or another error model.
    W_STUDY_ERRORS_DIFFER
      The errors of some people of the study are larger than those of others, by more than chance would allow (Bartlett's test).
      All series share one error model. Intervals of people with larger errors are too narrow, those of people with smaller errors too wide.
      Look for people whom the curve misses: one whose drinks are wrong is enough. Correct or leave them out. Look for what the others have in common: an instrument, a day, a site. Then fit with --error-from subject, or each part of the study alone.
    W_STUDY_MODEL
      Over all series, a model with one parameter more fits much better than chance would allow.
      Single series are too short to show this; together they do. Estimates of the smaller model are biased.
      Fit the model that the message names, and compare estimates and intervals.
    W_BIAS_OVER_TIME
      Over all subjects, the errors of a method's predictions follow a trend or a curve over time.
      One bias and its limits of agreement do not describe the method: its predictions are too high in one part of the curve and less so, or too low, in another.
      State the error by time (pooled_errors in JSON), and check the kinetic parameters: a wrong elimination makes errors grow with time, a wrong k_a those of the first hours.
    W_BIAS_OVER_CONCENTRATION
      Over all subjects, the errors of a method's predictions follow a trend or a curve over the predicted concentration.
      One bias and its limits of agreement do not describe the method: they are too large for some concentrations and too small for others.
      State the error by concentration (pooled_errors in JSON), and check r, the doses and the calibration of the instrument: each can make errors grow with the concentration.
    W_ERRORS_CORRELATED
      Over all subjects, errors of neighbouring readings are correlated: what a prediction is wrong by at one reading, it is nearly wrong by at the next.
      Readings of one subject are not independent. Intervals that count readings are too narrow; those of Promille are over subjects.
      Judge by intervals over subjects (compare --summary), and measure more people.
    W_LIMB_FEW_READINGS
      The elimination line rests on fewer than 5 readings.
      Its intervals are wide, and curvature would hardly show.
      Measure longer or more often.
    W_BETA_UNCERTAIN
      The interval of beta reaches zero.
      The readings do not show that the concentration falls.
      Measure longer, or more precisely.
    W_EARLIER_DRINKS
      A reading shows that the blood was free of alcohol between two drinks.
      C0 and r refer to the drinks after that reading.
      Nothing, or split the series into two occasions.
    W_EMPTY_BETWEEN_DRINKS
      According to this line, the first drinks were eliminated before a later drink.
      C0 is too high and r too small.
      Split the series into two occasions.

    ## A case
    E_CASE_ABSORPTION
      A back calculation asks for a time at which alcohol may still have been absorbed.
      Adding what was eliminated since is right only once absorption has finished. Before, the concentration may have been rising, and the result would be too high.
      Ask forward from the drinks, or about a later time. Set --absorbed-after if you know better.
    E_CASE_BELOW_LIMIT
      The measured concentration is below the lowest from which a case may be calculated.
      Elimination slows down near zero, so that a constant rate would give too much.
      Check the unit. If it is right, nothing can be calculated from this measurement.
    E_CASE_INPUT
      A value of a case cannot be true, or is written in another unit or form.
      An answer from it would be wrong.
      Correct the value; the message has the range and the form.
    E_CASE_MISSING
      The question of a case needs something that is not given.
      Nothing is made up in its place.
      Give what the message names.
    E_CASE_SAMPLES
      Several values of a measurement do not belong to one mean.
      Duplicates that differ by more than the laboratory allows are no measurement, and samples of different times are two.
      Have the sample analysed again, or state the laboratory's rule with --duplicate-limit. Ask about samples of different times one by one.
    E_CASE_ORDER
      Times of a case are in the wrong order, or more than 48 h apart.
      Midnight is never guessed: 01:30 is before 23:40 unless it has its date or +1.
      Write 01:30+1 for the next day, or give all times with their dates.
    E_CASE_FILE
      A file is not a case: no JSON, an unknown key, or a value of another type.
      A key that nothing reads would be lost silently.
      Write it as schemas/case-file.schema.json has it; the message has line and column.
    E_CASE_READINGS
      The person's own readings could not be used.
      Without them there is no posterior for this person.
      Follow the message, or leave --study out to use textbook ranges.
    W_CASE_BODY
      The body is unlike those for which methods for r were made.
      The predicted r may be far off.
      Check units (kg and cm). If they are right, give an r with a wide --r-cv.
    W_CASE_DRINKING_END
      A back calculation does not know when drinking ended.
      It holds only if absorption had finished at the time asked about.
      State the drinks, or --drinking-ended.
    W_CASE_ABSORBING
      Alcohol may still have been absorbed when the sample was taken.
      The answer depends on how fast this person absorbs, which is known least.
      Read the message for the direction of the error; state when drinking ended.
    W_CASE_FAR
      A back calculation goes back more than 4 h.
      On measured people it was checked up to 4 h; see the article of Casework.
      Say so where you use the answer.
    W_CASE_CLOCKS
      Clocks are changed between the times of a case, which has no time zone.
      Hours are counted as if clocks were never changed. Where they are, an hour more or less has passed, and the answer is off by what is eliminated in it.
      Give --time-zone, as Europe/Berlin, or write each time with its distance from UTC.
    W_CASE_NEAR_ZERO
      A time is asked at which the concentration is so low that elimination slows down.
      The true time is later than the answer.
      Use a higher limit, or take the answer as the earliest time.
    W_CASE_EMPTY_BETWEEN
      No more was measured than the drinks after the event may have given alone.
      The blood may have been empty before them, and then the measurement does not tell what was in it at the event. The most likely value is the least that goes with the measurement, the upper end the most.
      Use the whole range, or ask forward from the drinks before the event.
    W_CASE_UNEXPLAINED
      More was measured than the stated drinks give in the whole interval.
      Either something else was drunk, or a statement is wrong.
      Check amounts, times, body weight and the unit of the measurement.
    W_CASE_OVEREXPLAINED
      Less was measured than the stated drinks give at least.
      Either less was drunk, or a statement is wrong.
      Check amounts, times, body weight and the unit of the measurement.
    """#
}
