#define LANES 8
#include "lanes.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#define OF_WIDTH(name) name##_eight
#include "all.h"
#pragma clang attribute pop
#endif
