# SPDX-License-Identifier: GPL-2.0-only
#
# CTest's entries for the examples and for the tests that Python runs.

# The examples, with the options of test/examples-to-run.py.
set(rdma_example_runs ${CMAKE_CURRENT_SOURCE_DIR}/test/examples-to-run.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rdma_example_runs})
file(STRINGS ${rdma_example_runs} rdma_lines REGEX "^    \\(\"[^\"]+\", \"True\"")
foreach(line ${rdma_lines})
  string(REGEX REPLACE "^    \\(\"([^\"]+)\".*" "\\1" words ${line})
  separate_arguments(words UNIX_COMMAND ${words})
  list(POP_FRONT words program)
  if(TARGET ${program})
    rdma_add_test(example-${program} example COMMAND ${program} ${words})
  endif()
endforeach()

set(rdma_python ${RDMA_TEST_PYTHON})
if(NOT rdma_python)
  find_package(Python3 3.8 COMPONENTS Interpreter QUIET)
  set(rdma_python ${Python3_EXECUTABLE})
endif()
if(NOT rdma_python)
  message(STATUS "rdma: no Python was found; the tests that it runs are left out")
  return()
endif()

# A unit test writes a capture with each kind of frame, and tshark and scapy judge it.
set(rdma_captures ${CMAKE_CURRENT_BINARY_DIR}/Testing/rdma/captures-write)
rdma_add_test(
  captures-write setup
  COMMAND rdma-unit-tests --gtest_filter=QbbFrameCapture.*
  ENVIRONMENT RDMA_CAPTURE_DIR=${rdma_captures}
  PROPERTIES FIXTURES_SETUP captures)
foreach(test check-capture irn-dissector)
  rdma_add_test(
    captures-${test} python
    COMMAND ${rdma_python} ${CMAKE_CURRENT_SOURCE_DIR}/test/${test}-test.py
            ${rdma_captures}/rdma-frame-kinds.pcap -v
    PROPERTIES FIXTURES_REQUIRED captures)
endforeach()

file(GLOB rdma_python_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/python/test_*.py)
foreach(path ${rdma_python_tests})
  get_filename_component(name ${path} NAME)
  get_filename_component(short ${path} NAME_WE)
  string(REGEX REPLACE "^test_" "python-" short ${short})
  rdma_add_test(
    ${short} python COMMAND ${rdma_python} -m unittest discover -v -s
                            ${CMAKE_CURRENT_SOURCE_DIR}/test/python -p ${name})
endforeach()

rdma_add_test(golden golden COMMAND ${rdma_python} ${CMAKE_CURRENT_SOURCE_DIR}/tools/golden check)
rdma_add_test(
  golden-threads golden COMMAND ${rdma_python} ${CMAKE_CURRENT_SOURCE_DIR}/tools/golden check
                                --set=threads=3)
