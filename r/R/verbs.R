# What can be asked of a study. Every verb runs the command once.

# Runs a command that answers with JSON, and warns of what it found.
ask <- function(command, study, options, drawing = NULL, accept = c(0L, 1L)) {
  models <- with_models(study, options)
  study <- models$study
  options <- models$options
  place <- function(found) placed(found, study)
  line <- line_of(command, study, options)
  answer <- run(c(line[1], "--format=json", line[-1]), accept, place)
  if (command != "check") warn_of(answer$findings)
  draw <- if (!is.null(drawing)) function() drawing(study, options)
  result(answer, draw)
}

report_figures <- function(study, options) {
  options[c("summary", "residuals", "derived", "plot", "details")] <- NULL
  names(options)[names(options) == "r_factor" & lengths(options) > 1L] <- "methods"
  line <- line_of("report", study, c(options, figures = 100000L))
  drawn(c(line[1], "--format=html", "-o", "/dev/null", line[-1]), "--keep-plots", study)
}

#' Show what a study contains and what is wrong with it
#'
#' @param study A study, from \code{\link{pm_read_study}} or \code{\link{pm_study}}.
#' @param ... Further options of the command, with underscores: \code{blood_breath_ratio = 2100} is
#'   \code{--blood-breath-ratio 2100}. NULL leaves an option out, TRUE states one without a value.
#'   \code{promille check --help-all} lists them.
#' @return A \code{\link{pm_result}} with a row for each series; \code{findings} has every finding, errors included.
#' @examples
#' \dontrun{
#' pm_check(pm_read_study("datasets/nacar-2021"))$findings
#' }
#' @export
pm_check <- function(study, ...) ask("check", study, list(...), accept = c(0L, 1L, 65L))

#' Estimate k_a, beta and other parameters of each subject, with intervals
#'
#' @inheritParams pm_check
#' @param estimate Parameters to estimate, such as \code{c("ka", "beta", "r")}; k_a and beta unless given.
#' @param fix Parameters held at a value: \code{c(ka = 18)}.
#' @param error Error model: \code{"additive"}, \code{"proportional"}, \code{"combined"} or \code{"instrument"}.
#' @param prior \code{"fasted"}, \code{"fed"}, \code{"unknown"}, a file, or the result of \code{\link{pm_population}}
#'   or \code{\link{pm_prior}}.
#' @param learn Whose completed series the prior learns from: \code{"others"}, or \code{"before"}, those who were there
#'   earlier.
#' @param learn_from Another study to learn from: a path, or a study.
#' @return A \code{\link{pm_result}} with a row for each series.
#' @examples
#' \dontrun{
#' study <- pm_read_study("datasets/made-up-24")
#' fit <- pm_fit(study, estimate = c("ka", "beta", "r"), blood_breath_ratio = 2100)
#' plot(fit, "parameters")
#' }
#' @export
pm_fit <- function(
    study, estimate = NULL, fix = NULL, error = NULL, prior = NULL, learn = NULL, learn_from = NULL, ...) {
  options <- list(
    estimate = estimate, fix = fix, error = error, prior = prior, learn = learn, learn_from = learn_from, ...
  )
  ask("fit", study, options, report_figures)
}

#' Compare r-factor methods, or predicted and measured times to sobriety
#'
#' @inheritParams pm_check
#' @param r_factor Methods, values of r in kg/kg, and columns of the study that hold the r of each subject, as in
#'   \code{c("watson", "0.65", "column:r_dexa")}. Default: the first five methods.
#' @param parameters Where k_a and beta come from: \code{"given"}, \code{"fitted"} or \code{"left-out"}.
#' @param threshold Concentration in g/kg at or below which a subject counts as sober.
#' @param summary Whether to return a row for each method instead.
#' @param predictions Predictions of your own models by name: \code{list("My app" = frame, "Other" = "other.csv")}. A
#'   table holds either curves (\code{subject}, \code{time_min}, a concentration such as \code{bac_g_per_l}, and
#'   optionally \code{low} and \code{high}, or \code{sd}) or times to sobriety (\code{subject}, \code{sober_min}, and
#'   optionally \code{low_min} and \code{high_min}, \code{threshold_g_per_kg}). If the study has occasions, add
#'   \code{occasion}. Each model gets rows beside the r methods; the column \code{method} has its name.
#' @return A \code{\link{pm_result}}. Errors are predicted minus measured.
#' @examples
#' \dontrun{
#' study <- pm_read_study("datasets/made-up-24", blood_breath_ratio = 2100)
#' pm_sober(study, summary = TRUE)
#' times <- data.frame(subject = "p01", occasion = "1", sober_min = 300, low_min = 260, high_min = 350)
#' pm_sober(study, r_factor = "watson", predictions = list("My app" = times))
#' }
#' @export
pm_compare <- function(
    study, r_factor = NULL, parameters = NULL, threshold = NULL, summary = FALSE, predictions = NULL, ...) {
  options <- list(
    r_factor = r_factor, parameters = parameters, threshold = threshold, summary = summary,
    predictions = predictions, ...
  )
  ask("compare", study, options, report_figures)
}

#' @rdname pm_compare
#' @export
pm_sober <- function(
    study, r_factor = NULL, parameters = NULL, threshold = NULL, summary = FALSE, predictions = NULL, ...) {
  options <- list(
    r_factor = r_factor, parameters = parameters, threshold = threshold, summary = summary,
    predictions = predictions, ...
  )
  ask("sober", study, options, report_figures)
}

#' Plan when to take readings of such people, or how many people to measure
#'
#' @inheritParams pm_fit
#' @param readings Times that are planned, in minutes after the first drink, to compare with.
#' @param count How many readings to place.
#' @param goal What is to be certain (\code{--for}): \code{"all"}, parameters, or a derived quantity.
#' @param people How many people: \code{"rse:10"}; two r methods to tell apart, \code{"watson:widmark"}; or an effect,
#'   \code{"beta=sex:15"}.
#' @param occasions With \code{people}: on how many occasions everybody is measured.
#' @return A \code{\link{pm_result}} with a row for each parameter, or for each number of people.
#' @examples
#' \dontrun{
#' study <- pm_read_study("datasets/made-up-24")
#' pm_design(study, readings = c(15, 60, 180), prior = "fasted")
#' pm_design(study, people = "rse:10", prior = "fasted")
#' }
#' @export
pm_design <- function(
    study, readings = NULL, count = NULL, goal = NULL, people = NULL, occasions = NULL, prior = NULL, ...) {
  options <- list(
    readings = readings, count = count, "for" = goal, people = people, occasions = occasions, prior = prior, ...
  )
  ask("design", study, options)
}

#' Estimate typical values and the spread between subjects
#'
#' @inheritParams pm_check
#' @param random Parameters in which subjects differ: \code{c("ka", "beta", "r")}.
#' @param covariate Covariates of typical values: \code{list(beta = c("sex", "weight_kg"))}.
#' @param r_factor Methods whose prediction is a subject's typical r.
#' @return A \code{\link{pm_result}} with a row for each model.
#' @examples
#' \dontrun{
#' pm_population(pm_read_study("datasets/made-up-24"), blood_breath_ratio = 2100)
#' }
#' @export
pm_population <- function(study, random = NULL, covariate = NULL, r_factor = NULL, ...) {
  options <- list(random = random, covariate = covariate, r_factor = r_factor, ...)
  ask("population", study, options, function(study, options) {
    drawn(line_of("population", study, options), "--plot", study)
  })
}

#' Update a prior with the completed people of a study
#'
#' @inheritParams pm_fit
#' @return A \code{\link{pm_result}} with a row for each parameter, before and after. It can be the \code{prior} of
#'   \code{\link{pm_fit}} and \code{\link{pm_forecast}}.
#' @examples
#' \dontrun{
#' pm_prior(pm_read_study("datasets/made-up-24"), prior = "fasted", blood_breath_ratio = 2100)
#' }
#' @export
pm_prior <- function(study, prior, ...) ask("prior", study, list(prior = prior, ...))

#' Forecast the curve ahead and the time to a threshold
#'
#' @inheritParams pm_fit
#' @param after Which readings are known: \code{"all"}, \code{"first:3"}, or minutes after the first drink.
#' @param threshold Concentration in g/kg.
#' @return A \code{\link{pm_result}}.
#' @examples
#' \dontrun{
#' pm_forecast(pm_read_study("datasets/made-up-24"), prior = "fasted", after = "first:3", threshold = 0.2)
#' }
#' @export
pm_forecast <- function(study, prior, after = NULL, threshold = NULL, learn = NULL, learn_from = NULL, ...) {
  options <- list(
    prior = prior, after = after, threshold = threshold, learn = learn, learn_from = learn_from, ...
  )
  ask("forecast", study, options)
}

#' Predict curves
#'
#' @inheritParams pm_check
#' @param r_factor Methods; the first five unless given.
#' @param ka,beta k_a in 1/h and beta in g/kg/h.
#' @param every Minutes between points; 1 unless given.
#' @param until A time in minutes, or \code{"sober"}.
#' @return A data frame with \code{subject}, \code{occasion}, \code{r_factor}, \code{time_min} and
#'   \code{bac_g_per_kg}.
#' @examples
#' \dontrun{
#' curves <- pm_simulate(pm_read_study("datasets/nacar-2021"), r_factor = "watson")
#' }
#' @export
pm_simulate <- function(
    study, r_factor = NULL, ka = NULL, beta = NULL, every = NULL, until = NULL, ...) {
  options <- list(r_factor = r_factor, ka = ka, beta = beta, every = every, until = until, ...)
  answer <- run(line_of("simulate", study, options), placed = function(found) placed(found, study))
  warn_of(answer$findings)
  curves(answer$output)
}

#' Write a report
#'
#' @inheritParams pm_check
#' @inheritParams pm_compare
#' @param path Where it goes: a file that ends in \code{.html}.
#' @return \code{path}, invisibly.
#' @examples
#' \dontrun{
#' pm_report(pm_read_study("datasets/nacar-2021"), "report.html")
#' }
#' @export
pm_report <- function(study, path, predictions = NULL, ...) {
  models <- with_models(study, list(predictions = predictions, ...))
  study <- models$study
  line <- line_of("report", study, models$options)
  answer <- run(
    c(line[1], paste0("--output=", path.expand(path)), line[-1]),
    placed = function(found) placed(found, study)
  )
  warn_of(answer$findings)
  invisible(path)
}

#' The r factor of people, by several methods
#'
#' @param sex \code{"male"} or \code{"female"}.
#' @param age_y,height_cm,weight_kg Age in years, height in cm, weight in kg. Vectors, or one value for everybody.
#' @param r_factor Methods; the first five unless given.
#' @param ... Further options, such as \code{blood_water = 0.844}.
#' @return A data frame with a row for each subject and a column for each method, in kg/kg; NA where a method has no
#'   formula for the subject.
#' @examples
#' \dontrun{
#' pm_r_factors(c("male", "female"), age_y = 30, height_cm = c(180, 165), weight_kg = c(80, 60))
#' }
#' @export
pm_r_factors <- function(
    sex, age_y = NA_real_, height_cm = NA_real_, weight_kg = NA_real_, r_factor = "all", ...) {
  people <- data.frame(
    subject = seq_len(max(lengths(list(sex, age_y, height_cm, weight_kg)))),
    sex = sex, age_y = age_y, height_cm = height_cm, weight_kg = weight_kg
  )
  # What is drunk has no effect on r, but a study needs it.
  study <- pm_study(people, data.frame(subject = people$subject, time_min = 0, ethanol_g = 1))
  rows <- suppressWarnings(pm_sober(study, r_factor = r_factor, ...))$frame
  methods <- unique(rows$r_factor)
  values <- lapply(methods, function(method) {
    of <- rows[rows$r_factor == method, ]
    of$r[match(people$subject, of$subject)]
  })
  names(values) <- methods
  as.data.frame(values, optional = TRUE)
}

#' The curve of one subject
#'
#' @inheritParams pm_simulate
#' @param drinks Drinks as the command takes them, minutes first: \code{"0:500ml@4.4\%,55:20ml@40\%"}.
#' @param ... Further options of \code{promille simulate}: \code{sex}, \code{age}, \code{height}, \code{weight}.
#' @return A data frame with \code{r_factor}, \code{time_min} and \code{bac_g_per_kg}.
#' @examples
#' \dontrun{
#' curve <- pm_curve("0:20g", sex = "male", age = 30, height = 180, weight = 80)
#' plot(bac_g_per_kg ~ time_min, curve[curve$r_factor == "watson", ], type = "l")
#' }
#' @export
pm_curve <- function(
    drinks, r_factor = NULL, ka = NULL, beta = NULL, every = NULL, until = NULL, ...) {
  options <- list(
    drinks = drinks, r_factor = r_factor, ka = ka, beta = beta, every = every, until = until, ...
  )
  answer <- run(c("simulate", flags(options)))
  warn_of(answer$findings)
  curves(answer$output)
}

curves <- function(output) {
  frame <- utils::read.csv(text = output, encoding = "UTF-8", colClasses = "character")
  numbers <- intersect(c("time_min", "bac_g_per_kg"), names(frame))
  frame[numbers] <- lapply(frame[numbers], as.numeric)
  frame
}
