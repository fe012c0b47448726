# lathe_add_test(NAME SOURCES... LIBS... LABELS...): one GoogleTest program.
# Label "gpu" registers the test once per device (LATHE_DEVICE=software and =hardware); a test
# skips itself where its device is absent.
include(GoogleTest)

# lathe_own_cache(TEST [PROGRAM]): nothing that the user ran is found in its cache folder, and what
# another test left only where both are of the program. The keys say what code was made of, and by
# which build. Tests that share a folder do not run at the same time: some damage files on purpose.
function(lathe_own_cache test)
    set(folder ${test})
    if(ARGC GREATER 1)
        set(folder ${ARGV1})
    endif()
    set_property(TEST ${test} APPEND PROPERTY
        ENVIRONMENT_MODIFICATION "LATHE_CACHE_DIR=set:${PROJECT_BINARY_DIR}/cache/${folder}")
    set_property(TEST ${test} APPEND PROPERTY RESOURCE_LOCK cache/${folder})
endfunction()

# lathe_precompile_test(NAME): GoogleTest and the C++ library, compiled once for all tests. GCC
# takes it in programs that define more; other compilers want the very same definitions.
function(lathe_precompile_test name)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        return()
    endif()
    set(shared lathe_test_headers)
    if(NOT TARGET ${shared})
        file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${shared}.cpp CONTENT "int main() {}\n")
        add_executable(${shared} ${CMAKE_CURRENT_BINARY_DIR}/${shared}.cpp)
        target_link_libraries(${shared} PRIVATE lathe::options GTest::gtest)
        target_compile_options(${shared} PRIVATE $<$<CONFIG:Release>:-O1>)
        target_precompile_headers(${shared} PRIVATE
            <algorithm> <array> <chrono> <cstdint> <cstring> <filesystem> <fstream> <functional>
            <map> <memory> <mutex> <optional> <random> <span> <string> <string_view> <thread>
            <unordered_map> <utility> <vector> <gtest/gtest.h>)
    endif()
    target_precompile_headers(${name} REUSE_FROM ${shared})
endfunction()

function(lathe_add_test name)
    cmake_parse_arguments(arg "" "" "SOURCES;LIBS;LABELS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LIBS} lathe::options GTest::gtest GTest::gtest_main)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>) # quick to compile
    lathe_unity(${name} 6)
    lathe_precompile_test(${name})
    if("gpu" IN_LIST arg_LABELS)
        foreach(device software hardware)
            add_test(NAME ${name}.${device} COMMAND ${name})
            set_tests_properties(${name}.${device} PROPERTIES
                LABELS "${arg_LABELS};${device}" TIMEOUT 600
                ENVIRONMENT "LATHE_DEVICE=${device}"
                RESOURCE_LOCK ${device}_device
                SKIP_REGULAR_EXPRESSION "\\[  PASSED  \\] 0 tests\\.\n\\[  SKIPPED \\] ")
            lathe_own_cache(${name}.${device})
        endforeach()
    else()
        add_test(NAME ${name} COMMAND ${name})
        set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600)
        lathe_own_cache(${name})
    endif()
endfunction()
