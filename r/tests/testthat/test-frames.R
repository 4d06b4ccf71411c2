# What is wrong in a data frame is said with its row and column.
people <- data.frame(subject = "a", sex = "male", age_y = 30, height_cm = 180, weight_kg = 80)
drinks <- data.frame(subject = "a", time_min = 0, ethanol_g = 40)
readings <- data.frame(subject = "a", time_min = c(30, 60, 120, 180), bac_g_per_kg = c(0.5, 0.6, 0.5, 0.35))

refusal <- function(...) tryCatch(pm_study(...), promille_error = function(error) error)

test_that("bad values name row and column", {
  dataset("nacar-2021")
  bad <- readings
  rownames(bad) <- c("w", "x", "y", "z")
  bad$bac_g_per_kg[3] <- -1
  error <- refusal(people, drinks, bad)
  expect_s3_class(error, "E_RANGE")
  expect_equal(error$place, list(source = "readings", row = "y", column = "bac_g_per_kg"))
  expect_true(nzchar(error$remedy))

  bad <- transform(readings, time_min = c(30, NaN, 120, 180))
  expect_equal(refusal(people, drinks, bad)$place, list(source = "readings", row = "2", column = "time_min"))

  error <- refusal(transform(people, sex = "unknown"), drinks, readings)
  expect_equal(error$place$column, "sex")
  expect_equal(error$place$source, "subjects")

  error <- refusal(people, drinks, transform(readings, subject = c("a", "a", "b", "a")))
  expect_equal(error$place$source, "readings")
  expect_equal(error$place$row, "3")

  error <- refusal(people, drinks, transform(readings, time_min = Sys.time() + time_min))
  expect_equal(error$code, "E_FRAME")
  expect_error(pm_study(people[0, ], drinks, readings), class = "E_FRAME")
  expect_error(pm_study(people, list(1), readings), class = "E_FRAME")
})

test_that("a unit names the column of values", {
  dataset("nacar-2021")
  named <- function(column) stats::setNames(readings, c("subject", "time_min", column))
  for (unit in c("g/kg", "bac_g_per_kg", "blood g/kg")) {
    study <- pm_study(people, drinks, named("value"), unit = unit)
    expect_true("bac_g_per_kg" %in% names(study$frames$readings))
  }
  expect_identical(unit_column("mg/100 ml"), "bac_mg_per_100ml")
  expect_identical(unit_column("Breath mg/L"), "brac_mg_per_l")
  expect_identical(unit_column("plasma g/L"), "serum_g_per_l")
  expect_identical(unit_column("breath \u00b5g/100 ml"), "brac_ug_per_100ml")
  expect_error(pm_study(people, drinks, named("value"), unit = "stone"), class = "E_COLUMN_MISSING")
  expect_error(pm_study(people, drinks, readings, unit = "g/kg"), class = "E_COLUMN_AMBIGUOUS")
})

test_that("a data frame in the place of a path is named", {
  expect_error(pm_read_study(people), "pm_study(subjects, drinks, readings)", fixed = TRUE, class = "E_FRAME")
  study <- pm_read_study(dataset("nacar-2021"))
  expect_error(pm_fit(study, prior = people), "prior is a data frame", class = "E_FRAME")
})

test_that("names may be anything that fits on a line", {
  dataset("nacar-2021")
  name <- "O'Brien, \"J\" $(touch x) \u00e4;=SUM(A1)"
  as_name <- function(frame) transform(frame, subject = name)
  study <- pm_study(as_name(people), as_name(drinks), as_name(readings))
  expect_equal(suppressWarnings(pm_fit(study))$frame$subject, name)
})

test_that("findings are warnings, once for each code", {
  study <- pm_read_study(dataset("nacar-2021"))
  codes <- character()
  withCallingHandlers(pm_fit(study), promille_warning = function(found) {
    codes <<- c(codes, found$code)
    invokeRestart("muffleWarning")
  })
  expect_true("W_READING_SCALE" %in% codes)
  expect_false(anyDuplicated(codes) > 0)
})

test_that("errors of one code are told apart by what to do", {
  told <- character()
  found <- function(remedy) finding("error", "E_RANGE", "no", remedy)
  withCallingHandlers(warn_of(list(found("a"), found("b"), found("a"))), promille_warning = function(found) {
    told <<- c(told, conditionMessage(found))
    invokeRestart("muffleWarning")
  })
  expect_equal(told, c("E_RANGE: 2 like this; the first: no; a", "E_RANGE: no; b"))
})

test_that("wrong options and missing commands are errors with a code", {
  study <- pm_read_study(dataset("nacar-2021"))
  expect_error(pm_fit(study, engin = "gsl"), class = "E_OPTION")
  expect_error(pm_fit(study, format = "csv"), class = "E_OPTION")
  expect_error(pm_fit(pm_read_study("nowhere")), class = "promille_error")
  old <- options(promille.command = "/nowhere/promille")
  on.exit(options(old))
  expect_error(pm_fit(study), class = "E_COMMAND_MISSING")
})

test_that("dates with times are hours that passed", {
  dataset("nacar-2021")
  start <- as.POSIXct("2024-10-26 20:00", tz = "UTC")
  moments <- function(frame) {
    frame$datetime <- start + 60 * 4 * frame$time_min
    frame$time_min <- NULL
    frame
  }
  study <- pm_study(people, moments(drinks), moments(readings), time_zone = "Europe/Berlin")
  expect_s3_class(study, "pm_study")
  bad <- moments(readings)
  bad$datetime[3] <- as.POSIXct("2024-10-27 02:30", tz = "UTC")
  expect_s3_class(refusal(people, moments(drinks), bad, time_zone = "Europe/Berlin"), "E_TIME")
})
