# SPDX-License-Identifier: GPL-2.0-only
#
# Finds the ns-3 that a standalone build uses and imports its modules.
#
# The targets that an ns-3 package exports carry paths of the machine it was built on (gsl,
# libxml2, gtk, Python headers), which need not exist here. Only the folders of libraries and headers
# and the compile definitions are taken from these targets.
#
# Sets RDMA_NS3_VERSION, RDMA_NS3_LIB_PREFIX and RDMA_NS3_LIB_SUFFIX (of "<prefix>-core<suffix>",
# the name of the core library), CMAKE_CXX_STANDARD, and defines rdma_import_ns3_module().

set(rdma_definitions)
if(RDMA_NS3_BUILD)
  set(rdma_lib_dir ${RDMA_NS3_BUILD}/lib)
  set(rdma_include_dir ${RDMA_NS3_BUILD}/include)
else()
  # The package is looked at before it is loaded: that of Debian's libns3-dev names programs of
  # another Debian package, and stops CMake where that one is not installed.
  set(rdma_suffixes lib/cmake/ns3 lib64/cmake/ns3 lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/ns3)
  find_path(RDMA_NS3_CMAKE_DIR ns3Config.cmake HINTS ${ns3_DIR} PATH_SUFFIXES ${rdma_suffixes})
  if(NOT RDMA_NS3_CMAKE_DIR)
    message(FATAL_ERROR
              "rdma: no installed ns-3 was found. Install one (Debian: apt install libns3-dev), give "
              "its prefix in CMAKE_PREFIX_PATH, or give a build of ns-3 with -DRDMA_NS3_BUILD=DIR. "
              "To have an ns-3 fetched and built, use tools/with-ns3.")
  endif()
  get_filename_component(rdma_lib_dir ${RDMA_NS3_CMAKE_DIR}/../.. ABSOLUTE)
  string(REGEX REPLACE "/lib(64|/${CMAKE_LIBRARY_ARCHITECTURE})?$" "" rdma_prefix ${rdma_lib_dir})
  set(rdma_include_dir ${rdma_prefix}/include)

  set(rdma_missing)
  file(GLOB rdma_files ${RDMA_NS3_CMAKE_DIR}/ns3Targets-*.cmake)
  foreach(file ${rdma_files})
    file(STRINGS ${file} rdma_lines REGEX "IMPORTED_LOCATION")
    foreach(line ${rdma_lines})
      string(REGEX REPLACE ".*\"\\$\\{_IMPORT_PREFIX\\}(.*)\".*" "${rdma_prefix}\\1" path "${line}")
      if(NOT EXISTS ${path})
        list(APPEND rdma_missing ${path})
      endif()
    endforeach()
  endforeach()

  if(rdma_missing)
    message(STATUS "rdma: ns-3's CMake package in ${RDMA_NS3_CMAKE_DIR} names files that are not "
                   "installed (${rdma_missing}); using its libraries without it")
    set(rdma_definitions __LINUX__ NS3_BUILD_PROFILE_RELEASE NS3_LOG_ENABLE)
  else()
    find_package(ns3 REQUIRED CONFIG PATHS ${RDMA_NS3_CMAKE_DIR} NO_DEFAULT_PATH)
    # Targets are ns3::libcore up to 3.42 and ns3::core from 3.43.
    set(rdma_core ns3::core)
    if(TARGET ns3::libcore)
      set(rdma_core ns3::libcore)
    endif()
    get_target_property(rdma_definitions ${rdma_core} INTERFACE_COMPILE_DEFINITIONS)
    if(rdma_definitions)
      list(FILTER rdma_definitions EXCLUDE REGEX "^(PROJECT_SOURCE_PATH|HAVE_)")
    else()
      set(rdma_definitions __LINUX__ NS3_BUILD_PROFILE_RELEASE NS3_LOG_ENABLE)
    endif()
  endif()
endif()

file(GLOB rdma_core_file ${rdma_lib_dir}/libns3*-core.so ${rdma_lib_dir}/libns3*-core-*.so)
list(FILTER rdma_core_file EXCLUDE REGEX "-core-test")
list(LENGTH rdma_core_file rdma_count)
if(NOT rdma_count EQUAL 1)
  message(FATAL_ERROR "rdma: expected one libns3*-core*.so in ${rdma_lib_dir}, found: [${rdma_core_file}]")
endif()
if(NOT EXISTS ${rdma_include_dir}/ns3/core-module.h)
  message(FATAL_ERROR "rdma: ${rdma_include_dir} holds no ns3/core-module.h")
endif()
get_filename_component(rdma_core_name ${rdma_core_file} NAME)
string(REGEX MATCH "^lib(ns3.*)-core(-[a-z]+)?\\.so$" rdma_core_name ${rdma_core_name})
set(RDMA_NS3_LIB_PREFIX ${CMAKE_MATCH_1})
set(RDMA_NS3_LIB_SUFFIX ${CMAKE_MATCH_2})

# The version is in the library's name (libns3.37-core.so), or (Debian) in its soname; the name
# in a development tree has none (libns3-dev-core.so); such a tree is newer than all releases.
get_filename_component(rdma_core_real ${rdma_core_file} REALPATH)
if(RDMA_NS3_LIB_PREFIX MATCHES "^ns3\\.([0-9]+)")
  set(RDMA_NS3_VERSION 3.${CMAKE_MATCH_1})
elseif(rdma_core_real MATCHES "\\.so\\.([0-9]+)$")
  set(RDMA_NS3_VERSION 3.${CMAKE_MATCH_1})
else()
  set(RDMA_NS3_VERSION 3.99)
endif()
if(RDMA_NS3_VERSION VERSION_LESS 3.37)
  message(FATAL_ERROR "rdma needs ns-3 3.37 or newer; ${rdma_core_file} is ${RDMA_NS3_VERSION}")
endif()

if(RDMA_NS3_BUILD)
  # Definitions of ns-3 for everything that it builds with this profile.
  set(rdma_definitions __LINUX__)
  if(RDMA_NS3_LIB_SUFFIX MATCHES "^-(default|debug|relwithdebinfo)$")
    list(APPEND rdma_definitions NS3_BUILD_PROFILE_DEBUG NS3_ASSERT_ENABLE NS3_LOG_ENABLE)
  elseif(RDMA_NS3_LIB_SUFFIX STREQUAL "-optimized")
    list(APPEND rdma_definitions NS3_BUILD_PROFILE_OPTIMIZED)
  else()
    list(APPEND rdma_definitions NS3_BUILD_PROFILE_RELEASE)
  endif()
endif()

if(NOT CMAKE_CXX_STANDARD)
  set(CMAKE_CXX_STANDARD 17)
  if(RDMA_NS3_VERSION VERSION_GREATER_EQUAL 3.46)
    set(CMAKE_CXX_STANDARD 23)
  elseif(RDMA_NS3_VERSION VERSION_GREATER_EQUAL 3.41)
    set(CMAKE_CXX_STANDARD 20)
  endif()
endif()
message(STATUS "rdma: ns-3 ${RDMA_NS3_VERSION} in ${rdma_lib_dir}, C++${CMAKE_CXX_STANDARD}")

# Imports ns-3's MODULE as a target and sets VARIABLE to its name, or to "" if ns-3 lacks it.
function(rdma_import_ns3_module module variable)
  set(file ${rdma_lib_dir}/lib${RDMA_NS3_LIB_PREFIX}-${module}${RDMA_NS3_LIB_SUFFIX}.so)
  if(NOT EXISTS ${file})
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  set(target rdma-ns3-${module})
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(
    ${target}
    PROPERTIES IMPORTED_LOCATION ${file}
               INTERFACE_INCLUDE_DIRECTORIES ${rdma_include_dir}
               INTERFACE_COMPILE_DEFINITIONS "${rdma_definitions}")
  set(${variable} ${target} PARENT_SCOPE)
endfunction()
