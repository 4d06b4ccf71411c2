# The studies that ship lie beside the package in the project; without the command or them, tests are skipped.
dataset <- function(name) {
  path <- Sys.getenv("PROMILLE_DATASETS", testthat::test_path("..", "..", "..", "datasets"))
  path <- file.path(path, name)
  skip_if_not(dir.exists(path), "the studies of the project are not here")
  skip_if(inherits(try(pm_command(), silent = TRUE), "try-error"), "the command is not installed")
  normalizePath(path)
}

frames_of <- function(path) {
  read <- function(name) {
    utils::read.csv(file.path(path, name), colClasses = c(subject = "character"), encoding = "UTF-8")
  }
  list(subjects = read("subjects.csv"), drinks = read("drinks.csv"), readings = read("readings.csv"))
}

# What the command itself writes into a pipe, which is CSV. Its numbers are read as those of JSON are: R's own reader
# may miss the last bit.
command_rows <- function(...) {
  lines <- suppressWarnings(system2(pm_command(), shQuote(c(...)), stdout = TRUE, stderr = FALSE))
  rows <- utils::read.csv(text = lines, encoding = "UTF-8", colClasses = "character", na.strings = "")
  rows[] <- lapply(rows, function(values) {
    is_number <- grepl("^-?[0-9.]+(e[-+]?[0-9]+)?$", values)
    if (!any(is_number) || any(!is_number & !is.na(values))) return(values)
    jsonlite::fromJSON(paste0("[", paste(ifelse(is.na(values), "null", values), collapse = ","), "]"))
  })
  rows
}

# Holds every number of a data frame to the command's, to the last bit.
expect_same_numbers <- function(frame, rows) {
  expect_equal(nrow(frame), nrow(rows))
  numbers <- names(rows)[vapply(rows, is.numeric, NA)]
  expect_gt(length(numbers), 2)
  for (column in intersect(numbers, names(frame))) {
    expect_identical(as.numeric(frame[[column]]), as.numeric(rows[[column]]), info = column)
  }
}

quietly <- function(value) suppressWarnings(value)
