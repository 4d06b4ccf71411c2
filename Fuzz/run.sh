#!/bin/bash
# Lets libFuzzer try readers with bytes that it makes up, and counts how many it tried.
#
#   Fuzz/run.sh [READER...]           RUNS=20000 for each reader, or for those that are named
#   Fuzz/run.sh --merge [READER...]   put into Fuzz/corpus the few inputs, of all that runs found, that reach 85 % of the
#                                     code together with the examples that lie there
#
# Needs what `Tests/Tools/check.py fuzz` builds, in BUILD (.build/fuzz), and Linux. What is found while it runs is kept in
# BUILD/corpus/READER for the next time. An input that ends a reader, takes longer than 10 s or more than 2 GiB is kept
# in BUILD/findings, and the command that repeats it is printed.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-.build/fuzz}
RUNS=${RUNS:-20000}

# Each reader with its program, its dictionary and the longest input that is tried.
readers="folder StudyDataFuzz csv 2000
events StudyDataFuzz csv 1500
sheet StudyDataFuzz csv 1500
estimates StudyDataFuzz csv 1000
results StudyDataFuzz csv 500
vitals StudyDataFuzz csv 1000
document StudyDataFuzz json 2000
descriptor StudyDataFuzz json 2000
manifest StudyDataFuzz json 2000
catalogue StudyDataFuzz json 1000
arrow StudyDataFuzz arrow 4096
arrow-tables StudyDataFuzz arrow 8192
workbook StudyDataFuzz xml 8192
workbook-parts StudyDataFuzz xml 4096
health-xml HealthDataFuzz xml 3000
health-import HealthDataFuzz xml 3000
case CaseworkFuzz json 2000
population CaseworkFuzz json 2000
entries StudyServerFuzz json 2000
bookings StudyServerFuzz json 1000
forms StudyServerFuzz json 1000
requests StudyServerFuzz http 500"

merges=
if [ "${1:-}" = --merge ]; then
  merges=1
  shift
fi
for name; do
  grep -q "^$name " <<<"$readers" || {
    echo "There is no reader $name. There are: $(cut -d ' ' -f 1 <<<"$readers" | tr '\n' ' ')"
    exit 64
  }
done

scratch=$(TMPDIR=$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}") mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$BUILD/findings"
failed=0
while read -r name program dictionary longest; do
  [[ $# = 0 || " $* " == *" $name "* ]] || continue
  found=$BUILD/corpus/$name
  seeds=Fuzz/corpus/$name
  mkdir -p "$found" "$scratch/$name"
  export PROMILLE_FUZZ_READER=$name SWIFT_BACKTRACE=enable=no
  if [ "$merges" ]; then
    rm -rf "$scratch/merged" "$scratch/control" && mkdir "$scratch/merged"
    TMPDIR=$scratch/$name "$BUILD/release/$program" -set_cover_merge=1 -use_counters=0 -max_len="$longest" \
      -merge_control_file="$scratch/control" "$scratch/merged" "$seeds" "$found" >"$scratch/log" 2>&1 \
      || { tail "$scratch/log"; exit 1; }
    rm -r "$scratch/merged" && mkdir "$scratch/merged"
    Fuzz/choose.py "$scratch/control" 0.85 3 2>"$scratch/reach" | xargs -r -I {} cp {} "$scratch/merged"
    # Examples made by hand have names, and stay.
    find "$seeds" -type f -regextype egrep -regex '.*/[0-9a-f]{40}' -delete
    find "$scratch/merged" -type f -exec cp -t "$seeds" {} +
    printf '%-16s %s\n' "$name" "$(cat "$scratch/reach")"
    continue
  fi
  if TMPDIR=$scratch/$name "$BUILD/release/$program" -runs="$RUNS" -max_len="$longest" \
    -dict="Fuzz/dictionaries/$dictionary.dict" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$BUILD/findings/$name-" "$found" "$seeds" >"$scratch/log" 2>&1; then
    awk -v name="$name" '/number_of_executed_units/ { runs = $2 } /average_exec_per_sec/ { speed = $2 }
      / cov: / { edges = $4 } END { printf "%-16s %9d runs, %6d/s, %5d edges\n", name, runs, speed, edges }' \
      "$scratch/log"
  else
    failed=1
    grep -v '^#' "$scratch/log" | tail -40
    input=$(sed -n 's/.*Test unit written to //p' "$scratch/log")
    echo "$name failed. To repeat it: PROMILLE_FUZZ_READER=$name $BUILD/release/$program $input"
  fi
done <<<"$readers"
exit $failed
