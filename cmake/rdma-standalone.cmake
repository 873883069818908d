# SPDX-License-Identifier: GPL-2.0-only
#
# The module as a project of its own, against an ns-3 that exists already:
#
#   cmake -S . -B build                               an installed ns-3: Debian's libns3-dev, or any
#                                                     prefix in CMAKE_PREFIX_PATH (for PyPI's wheel:
#                                                     its folder ns3/)
#   cmake -S . -B build -DRDMA_NS3_BUILD=DIR          the output folder of an ns-3 build that was
#                                                     not installed (it holds include/ and lib/)
#
# This file stands in for the part of ns-3's build system that CMakeLists.txt uses: the variables
# ${lib<module>} and the functions build_lib() and build_lib_example().

set(RDMA_NS3_BUILD "" CACHE PATH "Output folder of an ns-3 build to use in place of an installed ns-3")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Type of build" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Options that ccache needs where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${CCACHE})
endif()

include(GNUInstallDirs)
include(${CMAKE_CURRENT_LIST_DIR}/rdma-find-ns3.cmake)
add_compile_options(-Wall)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Precompiled headers count as system headers, whose paths gcc shortens by following links. Quoted
  # names in the folder of a link (see rdma-headers.cmake) would not be found then.
  add_compile_options(-fno-canonical-system-headers)
endif()

# ns-3's headers and libraries under names that do not depend on where it is installed.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/ns-3)
file(CREATE_LINK ${rdma_include_dir} ${CMAKE_BINARY_DIR}/ns-3/include SYMBOLIC)
file(CREATE_LINK ${rdma_lib_dir} ${CMAKE_BINARY_DIR}/ns-3/lib SYMBOLIC)

# File from which tests and scripts learn where programs and libraries are, and ns-3's release.
set(rdma_test_environment
    "PATH=${RDMA_BINARY_DIR}/examples:${RDMA_BINARY_DIR}/bench:$ENV{PATH}"
    "NS3_BUILD=${CMAKE_BINARY_DIR}:${CMAKE_BINARY_DIR}/ns-3" NS3_VERSION=${RDMA_NS3_VERSION}
    RDMA_ROOT=${CMAKE_CURRENT_SOURCE_DIR})

# The modules that anything here may link: each variable names a target, and is empty where the
# ns-3 at hand lacks the module, so that examples that need it are left out.
foreach(module core network internet internet-apps applications point-to-point csma bridge
               traffic-control stats flow-monitor mpi)
  rdma_import_ns3_module(${module} lib${module})
endforeach()
foreach(module core network internet traffic-control)
  if(NOT lib${module})
    message(FATAL_ERROR "rdma: the ns-3 at hand has no module '${module}'")
  endif()
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/rdma-headers.cmake)

# Each build of the library or of an example begins with the file COMMIT beside the examples, and one
# beside the library, which have the commit of the sources. A build that finds all up to date writes
# the files as well, because the sources may have been committed since the last link. Rows of data
# (tools/rdma_runs/programs.py) and run.json name that commit.
add_custom_target(
  rdma-commit VERBATIM
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
          -DRECORDS=${RDMA_BINARY_DIR}/examples/COMMIT,${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/COMMIT
          -P ${PROJECT_SOURCE_DIR}/cmake/rdma-commit.cmake)

# As ns-3's: the library, its headers as <ns3/...>, <ns3/NAME-module.h>, and install rules.
function(build_lib)
  cmake_parse_arguments(
    ARG "IGNORE_PCH" "LIBNAME"
    "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK;TEST_SOURCES" ${ARGN})
  add_library(${ARG_LIBNAME} SHARED ${ARG_SOURCE_FILES})
  add_library(ns3::${ARG_LIBNAME} ALIAS ${ARG_LIBNAME})
  set_target_properties(${ARG_LIBNAME} PROPERTIES OUTPUT_NAME ${RDMA_NS3_LIB_PREFIX}-${ARG_LIBNAME}${RDMA_NS3_LIB_SUFFIX})
  target_link_libraries(${ARG_LIBNAME} PUBLIC ${ARG_LIBRARIES_TO_LINK})
  add_dependencies(${ARG_LIBNAME} rdma-commit)
  rdma_use_precompiled_headers(${ARG_LIBNAME})
  target_include_directories(${ARG_LIBNAME} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
                                                   $<INSTALL_INTERFACE:include>)

  set(module_header ${CMAKE_BINARY_DIR}/include/ns3/${ARG_LIBNAME}-module.h)
  string(TOUPPER "NS3_MODULE_${ARG_LIBNAME}" guard)
  set(text "#ifndef ${guard}\n#define ${guard}\n")
  foreach(header ${ARG_HEADER_FILES})
    get_filename_component(name ${header} NAME)
    string(APPEND text "#include <ns3/${name}>\n")
  endforeach()
  string(APPEND text "#endif\n")
  file(CONFIGURE OUTPUT ${module_header} CONTENT "${text}" @ONLY)

  install(FILES ${ARG_HEADER_FILES} ${module_header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3)
  install(TARGETS ${ARG_LIBNAME} DESTINATION ${CMAKE_INSTALL_LIBDIR})

  # All programs include these two headers, which take most of the time to compile a program.
  if(RDMA_PRECOMPILE)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/program-headers.cc CONTENT "// Has no code.\n")
    add_library(rdma-program-headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/program-headers.cc)
    target_link_libraries(rdma-program-headers PRIVATE ${ARG_LIBNAME})
    target_precompile_headers(rdma-program-headers PRIVATE <ns3/core-module.h> <ns3/rdma-module.h>)
    # Programs and libraries differ in the first option, but the headers are for programs. Without
    # ccache: ccache preprocesses the headers with the precompiled ones of the build before, which hide
    # the headers that have changed. ccache may then take old precompiled headers for the new ones.
    set_target_properties(rdma-program-headers PROPERTIES POSITION_INDEPENDENT_CODE OFF
                                                          CXX_COMPILER_LAUNCHER "")
  endif()

  set(lib${ARG_LIBNAME} ${ARG_LIBNAME})
  set(BLIB_LIBNAME ${ARG_LIBNAME})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/CMakeLists.txt)
    add_subdirectory(examples)
  endif()
endfunction()

# As ns-3's: an example, left out where a library that it names does not exist.
function(build_lib_example)
  cmake_parse_arguments(ARG "IGNORE_PCH" "NAME" "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SOURCE_FILES})
  target_link_libraries(${ARG_NAME} PRIVATE ${lib${BLIB_LIBNAME}} ${ARG_LIBRARIES_TO_LINK})
  if(RDMA_PRECOMPILE)
    target_precompile_headers(${ARG_NAME} REUSE_FROM rdma-program-headers)
  endif()
  set_target_properties(${ARG_NAME} PROPERTIES POSITION_INDEPENDENT_CODE OFF
                                               RUNTIME_OUTPUT_DIRECTORY ${RDMA_BINARY_DIR}/examples)
  add_dependencies(${ARG_NAME} rdma-commit)
endfunction()
