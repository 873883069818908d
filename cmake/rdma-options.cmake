# SPDX-License-Identifier: GPL-2.0-only
#
# The module's own build options, the same inside an ns-3 tree and out of it.

option(RDMA_UNIT_TESTS "Build the module's GoogleTest unit tests (rdma-unit-tests)" OFF)
option(RDMA_TEST_RUNNER
       "Build a program with the module's ns-3 test suites alone (rdma-test-runner)" OFF)
option(RDMA_BENCH "Build the module's benchmark programs" OFF)
option(RDMA_SANITIZE "Build the module with the address and undefined-behaviour sanitizers" OFF)
option(RDMA_FUZZ "Build the module's libFuzzer targets (clang only)" OFF)

if(RDMA_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "RDMA_FUZZ=ON needs clang (libFuzzer); the compiler is "
                      "${CMAKE_CXX_COMPILER_ID}. Use -DCMAKE_CXX_COMPILER=clang++.")
endif()

# Programs beside the library (tests, fuzzers) go here.
if(CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(RDMA_BINARY_DIR ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/contrib/rdma)
else()
  set(RDMA_BINARY_DIR ${CMAKE_BINARY_DIR}/bin)
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
