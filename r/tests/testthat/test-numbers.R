# Every number is the command's, to the last bit.
test_that("numbers of a study in files equal the command's", {
  path <- dataset("nacar-2021")
  study <- pm_read_study(path)
  expect_same_numbers(quietly(pm_fit(study))$frame, command_rows("fit", path))
  expect_same_numbers(quietly(pm_sober(study))$frame, command_rows("sober", path))
  expect_same_numbers(quietly(pm_simulate(study, every = 30)), command_rows("simulate", "--every=30", path))
})

test_that("numbers of data frames equal those of the files", {
  # What the descriptor of the folder says of the instrument is not in the frames.
  files <- file.path(dataset("made-up-24"), c("subjects.csv", "drinks.csv", "readings.csv"))
  path <- tempfile("study")
  dir.create(path)
  file.copy(files, path)
  frames <- frames_of(path)
  study <- quietly(pm_study(frames$subjects, frames$drinks, frames$readings))
  options <- list(estimate = c("ka", "beta", "r"), blood_breath_ratio = 2100, exclude_after_drink = 15)
  fit <- quietly(do.call(pm_fit, c(list(study), options)))
  rows <- command_rows(
    "fit", path, "--estimate=ka,beta,r", "--blood-breath-ratio=2100", "--exclude-after-drink=15"
  )
  expect_same_numbers(fit$frame, rows)
})

test_that("a case is the command's", {
  dataset("nacar-2021")
  options <- list(
    measured = 95, unit = "bac_mg_per_100ml", measured_at = "02:30+1", drinking_ended = "22:00",
    at = "00:30+1"
  )
  answer <- quietly(do.call(pm_case_back, options))
  rows <- command_rows(
    "case", "back", "--measured=95", "--unit=bac_mg_per_100ml", "--measured-at=02:30+1",
    "--drinking-ended=22:00", "--at=00:30+1"
  )
  expect_identical(answer$frame$likeliest, as.numeric(rows$likeliest))
  expect_identical(answer$frame$low, as.numeric(rows$low))
})

test_that("a population is the prior of a forecast", {
  study <- pm_read_study(dataset("made-up-24"), blood_breath_ratio = 2100)
  population <- quietly(pm_population(study, random = c("ka", "beta", "r")))
  expect_true("typical_values" %in% names(population$tables) || length(population$tables) > 1)
  ahead <- quietly(pm_forecast(study, population, after = "first:3", threshold = 0.2))
  expect_gt(nrow(ahead$frame), 20)
})

test_that("a prior learns from a study", {
  study <- pm_read_study(dataset("made-up-24"), blood_breath_ratio = 2100)
  learned <- quietly(pm_prior(study, "fasted", draws = 100))
  people <- learned$tables$population$learned_from
  expect_gt(people, 0)
  fit <- quietly(pm_fit(study, prior = "fasted", learn_from = study))
  # Nobody learns from themselves; whoever is not completed learns from all.
  expect_setequal(fit$tables$posterior$learned_from, c(people - 1, people))
  ahead <- quietly(pm_forecast(study, learned, after = "first:3"))
  expect_gt(nrow(ahead$frame), 20)
})

test_that("a plan is the command's", {
  path <- dataset("made-up-24")
  study <- pm_read_study(path)
  plan <- quietly(pm_design(
    study, readings = c(15, 60, 180), count = 5, goal = c("ka", "beta"), prior = "fasted", simulations = 0,
    forbid = c("20:30", "70:90")
  ))
  rows <- command_rows(
    "design", path, "--readings=15,60,180", "--count=5", "--for=ka,beta", "--prior=fasted", "--simulations=0",
    "--forbid=20:30", "--forbid=70:90"
  )
  expect_same_numbers(plan$frame, rows)
  expect_identical(unique(plan$frame$design), c("best", "planned"))
  people <- quietly(pm_design(study, readings = c(60, 120, 180), people = "watson:0.5", occasions = 2, prior = "fasted"))
  rows <- command_rows(
    "design", path, "--readings=60,120,180", "--people=watson:0.5", "--occasions=2", "--prior=fasted"
  )
  expect_identical(as.numeric(people$frame$people), as.numeric(rows$people))
  expect_error(quietly(pm_design(study, count = 0)), class = "promille_error")
})

test_that("r factors and curves are of every subject", {
  dataset("nacar-2021")
  r <- pm_r_factors(c("male", "female"), age_y = c(30, 40), height_cm = c(180, 165), weight_kg = c(80, 60))
  expect_equal(r$widmark, c(0.68, 0.55))
  # Forrest (1986): 1.0178 - 0.012127 w/h^2 and 0.8736 - 0.0124 w/h^2.
  expect_equal(r$forrest, c(1.0178 - 0.012127 * 80 / 1.8^2, 0.8736 - 0.0124 * 60 / 1.65^2))
  expect_true(is.na(r$ulrich[2]))
  curve <- pm_curve("0:20g", sex = "male", age = 30, height = 180, weight = 80, r_factor = "watson")
  expect_gt(max(curve$bac_g_per_kg), 0.2)
})

test_that("figures are drawn from the command's values", {
  study <- pm_read_study(dataset("nacar-2021"))
  fit <- quietly(pm_fit(study))
  file <- tempfile(fileext = ".png")
  grDevices::png(file)
  plot(fit, "1")
  plot(fit)
  plot(fit, "parameters")
  grDevices::dev.off()
  expect_gt(file.size(file), 1000)
  expect_error(plot(fit, "nothing"), class = "E_CHART")
  expect_error(plot(pm_check(study)), class = "E_CHART")
  # What is drawn is what the command draws.
  lines <- system2(pm_command(), c("plot", shQuote(study$path), "-o", "-", "--format", "csv"), stdout = TRUE, stderr = FALSE)
  values <- fit$draw(NULL, fit$frame)
  expect_identical(values, values_of(text = paste(lines, collapse = "\n")))
  expect_equal(unique(values$chart), fit$frame$subject)
  below <- values[!is.na(values$y) & values$y < 0 & nzchar(values$row), ]
  expect_setequal(below$row, c("widmark", "watson", "forrest", "seidl", "ulrich"))
  expect_identical(dashes_of("9 3 2 3"), "9323")
  expect_identical(dashes_of(""), "solid")
})

test_that("results of other verbs are drawn", {
  study <- pm_read_study(dataset("made-up-24"), blood_breath_ratio = 2100)
  grDevices::png(tempfile(fileext = ".png"))
  on.exit(grDevices::dev.off())
  expect_s3_class(plot(quietly(pm_sober(study, r_factor = "watson"))), "pm_result")
  ahead <- quietly(pm_forecast(study, prior = "fasted", after = "first:3", threshold = 0.2, draws = 100))
  expect_s3_class(plot(ahead, "p03/2"), "pm_result")
  expect_error(plot(ahead, "p99"), class = "E_CHART")
  case <- quietly(pm_case_back(
    measured = 95, unit = "bac_mg_per_100ml", measured_at = "02:30+1", drinking_ended = "22:00", at = "00:30+1"
  ))
  expect_s3_class(plot(case), "pm_result")
})

test_that("printed results are what the command says", {
  path <- dataset("nacar-2021")
  fit <- quietly(pm_fit(pm_read_study(path)))
  said <- suppressWarnings(system2(pm_command(), c("fit", shQuote(path), "--format", "table"), stdout = TRUE, stderr = FALSE))
  expect_identical(utils::capture.output(print(fit)), said)
  expect_true(startsWith(said[3], substr(fit$answer, 1, 40)))
  # Parameters that were not estimated have no columns of intervals.
  expect_true(all(c("ka_per_h", "ka_low", "beta_high") %in% names(fit$frame)))
  expect_false(any(c("lag_min", "gain", "vmax_g_per_kg_h", "r_low", "shapiro_p") %in% names(fit$frame)))
  expect_lt(ncol(fit$frame), 40)
  case <- quietly(pm_case_back(
    measured = 95, unit = "bac_mg_per_100ml", measured_at = "02:30+1", drinking_ended = "22:00", at = "00:30+1"
  ))
  expect_match(case$answer, "^At 00:30.* most likely 133 mg/100 ml")
  expect_match(paste(utils::capture.output(print(case)), collapse = " "), "95 .*\\+ 2 h x 19 .* = 133")
})
