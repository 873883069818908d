# SPDX-License-Identifier: GPL-2.0-only
#
# The module's own build options, with equal effects inside an ns-3 tree and out of it.

option(RDMA_UNIT_TESTS "Build the module's GoogleTest unit tests (rdma-unit-tests)" OFF)
option(RDMA_TEST_RUNNER
       "Build a program with the module's ns-3 test suites alone (rdma-test-runner)" OFF)
option(RDMA_BENCH "Build the module's benchmark programs" OFF)
set(RDMA_UNITY_BATCH 8 CACHE STRING
    "How many of the module's sources are compiled at a time (1: each alone, 0: all as one unit)")
option(RDMA_PRECOMPILE "Precompile headers of ns-3 (out of ns-3's tree and for unit tests)" ON)
option(RDMA_SANITIZE "Build the module with the address and undefined-behaviour sanitizers" OFF)
option(RDMA_SANITIZE_THREADS "Build the module with the thread sanitizer" OFF)
option(RDMA_FUZZ "Build the module's libFuzzer targets (clang only)" OFF)

if(NOT RDMA_UNITY_BATCH MATCHES "^[0-9]+$")
  message(FATAL_ERROR "RDMA_UNITY_BATCH=${RDMA_UNITY_BATCH}; accepted: 0, 1 and above")
endif()

if(RDMA_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "RDMA_FUZZ=ON needs clang (libFuzzer); the compiler is "
                      "${CMAKE_CXX_COMPILER_ID}. Use -DCMAKE_CXX_COMPILER=clang++.")
endif()

# Folder of the programs that are not examples (tests, fuzzers).
if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(RDMA_BINARY_DIR ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/contrib/rdma)
else()
  set(RDMA_BINARY_DIR ${CMAKE_BINARY_DIR}/bin)
endif()

# Some processors have an instruction that computes a product and a sum and rounds once: ARM, and x86
# with -march=native, as in ns-3's optimized builds. Compilers must not use that instruction, so that
# results have equal bits on all processors.
add_compile_options(-ffp-contract=off)

if(RDMA_SANITIZE_THREADS)
  if(RDMA_SANITIZE)
    message(FATAL_ERROR "RDMA_SANITIZE_THREADS=ON with RDMA_SANITIZE=ON; accepted: one of them")
  endif()
  add_compile_options(-fsanitize=thread -g1)
  add_link_options(-fsanitize=thread)
endif()

if(RDMA_SANITIZE)
  set(rdma_sanitizer_flags -fsanitize=address,undefined -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
  add_compile_options(${rdma_sanitizer_flags} -g1)
  add_link_options(${rdma_sanitizer_flags})
endif()

if(RDMA_FUZZ)
  # Coverage feedback for the library; only the fuzz programs themselves link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Compiles the sources of TARGET in units of RDMA_UNITY_BATCH files, which is less work in all. ns-3's
# log macros define g_log in each file; within a unit that name gets a suffix for each file, so that its
# log component stays its own.
function(rdma_use_unity target)
  if(NOT RDMA_UNITY_BATCH EQUAL 1 AND CMAKE_VERSION VERSION_GREATER_EQUAL 3.20)
    set_target_properties(
      ${target}
      PROPERTIES
        UNITY_BUILD ON
        UNITY_BUILD_BATCH_SIZE ${RDMA_UNITY_BATCH}
        UNITY_BUILD_UNIQUE_ID RDMA_FILE_ID
        UNITY_BUILD_CODE_BEFORE_INCLUDE
        "#define RDMA_JOIN2(a, b) a##b\n#define RDMA_JOIN(a, b) RDMA_JOIN2(a, b)\n#define g_log RDMA_JOIN(g_log_, RDMA_FILE_ID)"
        UNITY_BUILD_CODE_AFTER_INCLUDE "#undef g_log\n#undef RDMA_JOIN\n#undef RDMA_JOIN2")
  endif()
endfunction()

# Compiles the headers of ns-3 and of the standard library that most files include once for TARGET,
# and those given after it. Headers of this module are left out: each change of one would recompile all files.
function(rdma_use_precompiled_headers target)
  if(RDMA_PRECOMPILE)
    target_precompile_headers(
      ${target}
      PRIVATE
      <algorithm> <array> <cmath> <fstream> <functional> <limits> <map> <memory> <optional> <ostream>
      <set> <sstream> <stdexcept> <string> <unordered_map> <utility> <vector>
      <ns3/abort.h> <ns3/boolean.h> <ns3/callback.h> <ns3/data-rate.h> <ns3/double.h> <ns3/enum.h>
      <ns3/ipv4-address.h> <ns3/log.h> <ns3/mac48-address.h> <ns3/node-container.h> <ns3/node.h>
      <ns3/nstime.h> <ns3/object-factory.h> <ns3/object.h> <ns3/packet.h> <ns3/pointer.h>
      <ns3/random-variable-stream.h> <ns3/simulator.h> <ns3/string.h> <ns3/trace-source-accessor.h>
      <ns3/traced-callback.h> <ns3/uinteger.h> ${ARGN})
  endif()
endfunction()
