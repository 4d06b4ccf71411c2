#!/usr/bin/env python3
"""Chooses the few inputs that reach most code beyond the examples made by hand, from what libFuzzer noted while merging.

    choose.py CONTROL_FILE SHARE HOW_MANY    until examples and chosen inputs reach SHARE of all, at most HOW_MANY

A control file is written by -set_cover_merge=1 -merge_control_file=CONTROL_FILE. Examples have names, other inputs the
40 digits of their SHA-1.
"""

import os
import re
import sys

path, share, limit = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
lines = open(path).read().splitlines()
count = int(lines[0])
names = lines[2:2 + count]
features = {}
for line in lines[2 + count:]:
    words = line.split()
    if words[0] == "FT":
        features[names[int(words[1])]] = set(words[2:])

all_features = set().union(*features.values())
examples = [name for name in features if not re.fullmatch("[0-9a-f]{40}", os.path.basename(name))]
reached = set().union(*(features.pop(name) for name in examples))
chosen = 0
while features and chosen < limit and len(reached) < share * len(all_features):
    best = max(sorted(features), key=lambda name: len(features[name] - reached))
    reached |= features.pop(best)
    chosen += 1
    print(best)
print(f"{len(examples)} examples and {chosen} inputs reach {100 * len(reached) / len(all_features):.0f} %", file=sys.stderr)
