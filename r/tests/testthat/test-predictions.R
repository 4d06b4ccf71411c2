# Predictions of somebody's own model are compared like the methods.
occasions_of <- function(path) unique(frames_of(path)$readings[c("subject", "occasion")])

curves_for <- function(path) {
  rows <- merge(occasions_of(path), data.frame(time_min = seq(0, 900, 10)))
  rows$bac_g_per_l <- ifelse(rows$time_min == 0, 0, round(pmax(0, 0.8 - 0.0025 * rows$time_min), 4))
  rows
}

times_for <- function(path) {
  rows <- occasions_of(path)
  rows$sober_min <- 300 + seq_len(nrow(rows)) / 4
  transform(rows, low_min = sober_min - 30, high_min = sober_min + 45)
}

test_that("two models give what their files give", {
  path <- dataset("made-up-24")
  study <- pm_read_study(path, blood_breath_ratio = 2100)
  given <- list("My app" = curves_for(path), "Other" = times_for(path))
  files <- vapply(given, function(frame) {
    file <- tempfile(fileext = ".csv")
    utils::write.csv(frame, file, row.names = FALSE, na = "")
    file
  }, "")
  options <- c("--blood-breath-ratio=2100", paste0("--predictions=", names(files), "=", files))
  for (verb in c("sober", "compare")) {
    ask <- if (verb == "sober") pm_sober else pm_compare
    result <- quietly(ask(study, predictions = given))
    rows <- do.call(command_rows, as.list(c(verb, path, options)))
    expect_same_numbers(result$frame, rows)
    expect_identical(result$frame$method, rows$method)
    expect_true(all(c("My app", "Other", "watson") %in% result$frame$method))
    expect_identical(quietly(ask(study, predictions = as.list(files)))$frame, result$frame)
  }
  report <- tempfile(fileext = ".html")
  quietly(pm_report(study, report, predictions = given, figures = 0, derived = "none"))
  expect_true(any(grepl("My app", readLines(report, warn = FALSE), fixed = TRUE)))
})

test_that("a bad row of a model is named", {
  path <- dataset("made-up-24")
  study <- pm_read_study(path, blood_breath_ratio = 2100)
  bad <- curves_for(path)
  bad <- bad[order(bad$subject, bad$occasion, bad$time_min), ]
  rownames(bad) <- paste0("row-", seq_len(nrow(bad)))
  bad$time_min[4] <- bad$time_min[3]
  found <- NULL
  withCallingHandlers(pm_sober(study, predictions = list("App 2.0" = bad)), promille_warning = function(warned) {
    if (warned$code == "E_DUPLICATE") found <<- warned
    invokeRestart("muffleWarning")
  })
  expect_equal(found$place, list(source = "predictions App 2.0", row = "row-4", column = "time_min"))
  expect_match(conditionMessage(found), "predictions App 2.0, row row-4, column time_min: E_DUPLICATE")
})

test_that("predictions need the name of their model", {
  path <- dataset("made-up-24")
  study <- pm_read_study(path)
  times <- times_for(path)
  expect_error(pm_sober(study, predictions = times), "list(\"My app\" = frame)", fixed = TRUE, class = "E_FRAME")
  expect_error(pm_compare(study, predictions = list(times)), class = "E_FRAME")
  expect_error(pm_report(study, tempfile(fileext = ".html"), predictions = times), class = "E_FRAME")
  expect_error(pm_sober(study, predictions = list("a=b" = times)), class = "E_OPTION")
  expect_error(quietly(pm_sober(study, predictions = list("My app" = times[-1]))), class = "E_COLUMN_MISSING")
})

test_that("r may come from a column", {
  frames <- frames_of(dataset("made-up-24"))
  study <- quietly(pm_study(transform(frames$subjects, r_dexa = 0.7), frames$drinks, frames$readings))
  rows <- quietly(pm_sober(study, r_factor = c("watson", "column:r_dexa", 0.65), lod = 0.02))$frame
  expect_setequal(rows$method, c("watson", "column:r_dexa", "0.65"))
  expect_true(all(rows$r[rows$method == "column:r_dexa"] == 0.7))
})
