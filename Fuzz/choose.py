#!/usr/bin/env python3
"""Chooses the few inputs that reach most of the code, from what libFuzzer noted while merging.

    choose.py CONTROL_FILE HOW_MANY    (written by -set_cover_merge=1 -merge_control_file=CONTROL_FILE)
"""

import sys

lines = open(sys.argv[1]).read().splitlines()
count = int(lines[0])
names = lines[2:2 + count]
features = {}
for line in lines[2 + count:]:
    words = line.split()
    if words[0] == "FT":
        features[names[int(words[1])]] = set(words[2:])

reached = set()
for _ in range(int(sys.argv[2])):
    best = max(sorted(features), key=lambda name: len(features[name] - reached))
    if features[best] <= reached:
        break
    reached |= features.pop(best)
    print(best)
    if not features:
        break
