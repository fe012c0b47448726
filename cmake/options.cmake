# Build options and the interface target lathe::options that every own target links PRIVATE.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

# CMake's -O3 makes compiles longer. Targets with hot loops of their own ask for it.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
    set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(LATHE_TESTS "Build the C++ tests" ON)
option(LATHE_PYTHON "Build the Python extension" ON)
option(LATHE_STATIC "Take LLVM, GLFW and fmt into our libraries, as a wheel needs it" OFF)
# Another compiler may warn of more: errors only with the one that CI has.
set(lathe_werror OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    set(lathe_werror ON)
endif()
option(LATHE_WERROR "Treat warnings as errors" ${lathe_werror})
option(LATHE_FUZZ "Build the libFuzzer programs too, with clang (tools/fuzz)" OFF)
set(LATHE_SANITIZE "" CACHE STRING "Sanitizers: empty, address,undefined or thread")

add_library(lathe_options INTERFACE)
add_library(lathe::options ALIAS lathe_options)
target_include_directories(lathe_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(lathe_options INTERFACE
    -fno-semantic-interposition # what LATHE_API exports is in line in its own library, too
    -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    $<$<BOOL:${LATHE_WERROR}>:-Werror>)
# lathe_quick_to_compile(TARGET): its time at run time is that of what it calls: the device, OpenGL,
# Dear ImGui, files.
function(lathe_quick_to_compile target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
# GCC looks for memory it can use again from 128 MB on, over and over: a tenth of a unit's time. It
# may take more where every core has it.
cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR megabytes_a_core "${megabytes} / ${cores}")
if(megabytes_a_core GREATER 2000)
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=600000>)
endif()
# Every target, also the libraries built from other projects' sources: tools/sanitize.
if(LATHE_SANITIZE)
    # Compilers that fortify by themselves call functions for longjmp and the like that sanitizers
    # do not see: a thread that left a signal's handler by a jump stays in it for ThreadSanitizer,
    # which then reports every allocation.
    add_compile_options(-fsanitize=${LATHE_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=undefined -U_FORTIFY_SOURCE
        -Wno-maybe-uninitialized) # GCC 12 sees it in std::regex, once that is instrumented
    if(LATHE_SANITIZE MATCHES "undefined")
        # Callers of the driver API may pass any number as an enumeration.
        add_compile_options(-fno-sanitize=enum)
    endif()
    add_link_options(-fsanitize=${LATHE_SANITIZE})
endif()
if(LATHE_FUZZ) # coverage for libFuzzer, which the programs themselves link
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
