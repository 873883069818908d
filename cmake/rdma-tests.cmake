# SPDX-License-Identifier: GPL-2.0-only
#
# The module's tests apart from ns-3's own test runner: unit tests (GoogleTest), a program with the
# module's ns-3 suites alone, examples, Python tests, the golden set, and fuzzers. CTest runs them, in
# groups of cases:
#
#   cmake -S . -B build -DRDMA_UNIT_TESTS=ON -DRDMA_TEST_RUNNER=ON
#   cmake --build build && ctest --test-dir build -j 4 --output-on-failure

set(RDMA_TEST_PYTHON "" CACHE FILEPATH "A Python that has what test/python/requirements.txt lists")

# A program of tests. Its speed matters less than the time to compile it.
function(rdma_add_test_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;HEADERS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${librdma} ${ARG_LIBRARIES})
  target_include_directories(${name} PRIVATE ${rdma_folders} ${rdma_test_folders})
  target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  rdma_use_precompiled_headers(${name} ${ARG_HEADERS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RDMA_BINARY_DIR}/test)
endfunction()

# Runs COMMAND as a test, in a folder of its own that temporary files go to, too.
function(rdma_add_test name label)
  cmake_parse_arguments(ARG "" "" "COMMAND;ENVIRONMENT;PROPERTIES" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/Testing/rdma/${name})
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${folder})
  set_tests_properties(
    ${name} PROPERTIES LABELS ${label} ENVIRONMENT
                       "TMPDIR=${folder};TEST_TMPDIR=${folder};${rdma_test_environment};${ARG_ENVIRONMENT}"
                       ${ARG_PROPERTIES})
endfunction()

if(RDMA_UNIT_TESTS OR RDMA_TEST_RUNNER)
  enable_testing()
endif()

if(RDMA_UNIT_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "RDMA_UNIT_TESTS=ON needs GoogleTest (Debian: apt install libgtest-dev)")
  endif()
  rdma_find(rdma_unit_test_sources test/unit/*-test.cc)
  rdma_add_test_program(
    rdma-unit-tests
    SOURCES ${rdma_unit_test_sources}
    LIBRARIES GTest::gtest GTest::gtest_main
    HEADERS <gtest/gtest.h>)
  # A test reads the module's own source.
  target_compile_definitions(rdma-unit-tests
                             PRIVATE RDMA_SOURCE_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}")
  # Every eighth case, so that the long ones are spread.
  foreach(shard RANGE 7)
    rdma_add_test(
      unit-${shard} unit
      COMMAND rdma-unit-tests
      ENVIRONMENT GTEST_TOTAL_SHARDS=8 GTEST_SHARD_INDEX=${shard})
  endforeach()
endif()

if(RDMA_TEST_RUNNER)
  rdma_add_test_program(
    rdma-test-runner
    SOURCES test/suite/rdma-test-runner.cc ${rdma_test_sources}
    LIBRARIES ${rdma_test_libraries}
    HEADERS <ns3/test.h>)
  rdma_use_unity(rdma-test-runner)
  target_compile_definitions(rdma-test-runner PRIVATE NS_TEST_SOURCEDIR="contrib/rdma/test"
                             ${rdma_test_definitions})
  # A file X-test-suite.cc holds the suite X.
  foreach(source ${rdma_test_sources})
    get_filename_component(name ${source} NAME)
    string(REPLACE "-test-suite.cc" "" suite ${name})
    rdma_add_test(${suite} suite COMMAND rdma-test-runner --suite=${suite} --verbose)
  endforeach()
endif()

# Tests that need Python, or all programs. A test that lacks something is skipped.
if(RDMA_UNIT_TESTS AND RDMA_TEST_RUNNER)
  include(${CMAKE_CURRENT_LIST_DIR}/rdma-script-tests.cmake)
endif()

if(RDMA_FUZZ)
  file(GLOB rdma_fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/*.cc)
  foreach(source ${rdma_fuzz_sources})
    get_filename_component(fuzzer ${source} NAME_WE)
    add_executable(${fuzzer} ${source})
    target_link_libraries(${fuzzer} PRIVATE ${librdma})
    target_include_directories(${fuzzer} PRIVATE ${rdma_folders} ${rdma_test_folders})
    target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${fuzzer} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RDMA_BINARY_DIR}/fuzz)
  endforeach()
endif()
