#define LANES 4
#include "constants.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define FOLLOW follow_four
#include "saturable_walk.h"
#pragma clang attribute pop
#endif
