# SPDX-License-Identifier: GPL-2.0-only
#
# The module's tests apart from ns-3's own test runner: unit tests (GoogleTest), a program with
# the module's ns-3 suites alone, and fuzzers.

if(RDMA_UNIT_TESTS)
  find_package(GTest QUIET)
  file(GLOB rdma_unit_test_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/unit/*-test.cc)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "RDMA_UNIT_TESTS=ON needs GoogleTest (Debian: apt install libgtest-dev)")
  endif()
  if(rdma_unit_test_sources)
    add_executable(rdma-unit-tests ${rdma_unit_test_sources})
    target_link_libraries(rdma-unit-tests PRIVATE ${librdma} GTest::gtest GTest::gtest_main)
    target_include_directories(rdma-unit-tests PRIVATE ${rdma_folders} ${CMAKE_CURRENT_SOURCE_DIR}/test/unit)
    set_target_properties(rdma-unit-tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RDMA_BINARY_DIR}/test)
  endif()
endif()

if(RDMA_TEST_RUNNER AND rdma_test_sources)
  add_executable(rdma-test-runner test/rdma-test-runner.cc ${rdma_test_sources})
  target_link_libraries(rdma-test-runner PRIVATE ${librdma} ${rdma_test_libraries})
  target_include_directories(rdma-test-runner PRIVATE ${rdma_folders})
  target_compile_definitions(rdma-test-runner PRIVATE NS_TEST_SOURCEDIR="contrib/rdma/test")
  set_target_properties(rdma-test-runner PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RDMA_BINARY_DIR}/test)
endif()

if(RDMA_FUZZ)
  file(GLOB rdma_fuzz_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/*.cc)
  foreach(source ${rdma_fuzz_sources})
    get_filename_component(fuzzer ${source} NAME_WE)
    add_executable(${fuzzer} ${source})
    target_link_libraries(${fuzzer} PRIVATE ${librdma})
    target_include_directories(${fuzzer} PRIVATE ${rdma_folders})
    target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${fuzzer} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${RDMA_BINARY_DIR}/fuzz)
  endforeach()
endif()
