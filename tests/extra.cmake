# Tests that are no unit tests of one room.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_subdirectory(scripts)
if(TARGET stile)
  add_subdirectory(cli)
  add_subdirectory(scenarios)
  add_subdirectory(embedding)
  add_subdirectory(exercises)
endif()
add_subdirectory(bench)
add_subdirectory(fuzz)
