# SPDX-License-Identifier: GPL-2.0-only

# Exposes HEADERS as <include_dir>/<name>, by symbolic link.
#
# ns-3 itself writes a one-line file there that includes the header by its absolute path, and only
# if the name is not taken. With such a file, a header that includes one from another folder of
# this module by its flat name ("qbb-frame.h") compiles only with this module's folders on the
# include path, which the Python bindings lack. Through a link the compiler finds the flat name in the
# folder of the link. A link also follows when a header moves to another folder. Links to headers that
# are gone, or no longer exposed, are removed.
function(rdma_expose_headers include_dir)
  file(MAKE_DIRECTORY ${include_dir})
  set(exposed ${ARGN})
  file(GLOB links ${include_dir}/*.h)
  foreach(link ${links})
    if(IS_SYMLINK ${link})
      file(READ_SYMLINK ${link} target)
      string(FIND "${target}" "${CMAKE_CURRENT_SOURCE_DIR}/" place)
      if(place EQUAL 0)
        file(RELATIVE_PATH header ${CMAKE_CURRENT_SOURCE_DIR} ${target})
        if(NOT header IN_LIST exposed)
          file(REMOVE ${link})
        endif()
      endif()
    endif()
  endforeach()
  foreach(header ${ARGN})
    get_filename_component(name ${header} NAME)
    set(link ${include_dir}/${name})
    set(target ${CMAKE_CURRENT_SOURCE_DIR}/${header})
    if(NOT EXISTS ${target})
      message(FATAL_ERROR "rdma: CMakeLists.txt lists ${header}, which does not exist")
    endif()
    set(current)
    if(IS_SYMLINK ${link})
      file(READ_SYMLINK ${link} current)
    endif()
    if(NOT current STREQUAL target)
      file(REMOVE ${link})
      file(CREATE_LINK ${target} ${link} SYMBOLIC)
    endif()
  endforeach()
endfunction()
