# SPDX-License-Identifier: GPL-2.0-only
#
# Writes down the commit that is being built:
#
#   cmake -DSOURCE_DIR=DIR -DRECORDS=FILE,FILE... -P rdma-commit.cmake
#
# Each FILE has one line then: the last commit of the sources in DIR, and "+" if they have been changed
# since. Outside of a git repository there are no such files.

set(sources CMakeLists.txt cmake examples helper model)
string(REPLACE "," ";" RECORDS ${RECORDS})
file(REMOVE ${RECORDS})
find_program(GIT git)
if(NOT GIT)
  return()
endif()

# Output of git in the folder of the sources; "-" if git failed.
function(rdma_git variable)
  execute_process(
    COMMAND ${GIT} --no-optional-locks ${ARGN} WORKING_DIRECTORY ${SOURCE_DIR}
    RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    set(text "-")
  endif()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

rdma_git(commit log -1 --abbrev=10 --format=%h -- ${sources})
rdma_git(changes status --porcelain -- ${sources})
if(commit MATCHES "^[0-9a-f]+$")
  if(changes)
    string(APPEND commit "+")
  endif()
  foreach(record ${RECORDS})
    file(WRITE ${record} "${commit}\n")
  endforeach()
endif()
