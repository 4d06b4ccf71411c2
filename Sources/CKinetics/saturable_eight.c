#define LANES 8
#include "constants.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#define FOLLOW follow_eight
#include "saturable_walk.h"
#pragma clang attribute pop
#endif
