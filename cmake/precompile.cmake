# Headers of other projects and of C++ that most files of a target read, compiled once. Every file
# still includes what it uses: a build with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows it, and
# tools/check_wheels where CUDA's are read.
set(lathe_cpp_headers
    <algorithm> <array> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <string_view> <unordered_map> <utility> <vector> <fmt/format.h>)

# lathe_precompile(TARGET HEADERS...): those of C++ and fmt, and HEADERS, for one target.
function(lathe_precompile target)
    target_precompile_headers(${target} PRIVATE ${lathe_cpp_headers} ${ARGN})
endfunction()

# lathe_add_headers(NAME LIBRARIES... HEADERS...): the same for several targets, which say
# lathe_precompile_from(TARGET NAME). GCC takes them in targets that define more; other compilers
# want the very same definitions.
function(lathe_add_headers name)
    cmake_parse_arguments(arg "" "" "LIBRARIES;HEADERS" ${ARGN})
    set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "namespace lathe {}\n")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${name} PRIVATE lathe::options ${arg_LIBRARIES})
    lathe_precompile(${name} ${arg_HEADERS})
    set_target_properties(${name} PROPERTIES LATHE_HEADERS "${arg_HEADERS}")
endfunction()

function(lathe_precompile_from target name)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_precompile_headers(${target} REUSE_FROM ${name})
    else()
        get_target_property(headers ${name} LATHE_HEADERS)
        lathe_precompile(${target} ${headers})
    endif()
endfunction()
