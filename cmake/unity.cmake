# lathe_unity(TARGET [FILES_A_UNIT] [ALONE SOURCES...]): the compiler reads several sources of a
# target as one. What headers cost (three quarters of a compile: templates of C++, fmt, LLVM and
# pybind11) is then paid once a unit, not once a file. A name in an unnamed namespace must therefore
# be the only one of its kind in the unit; sources after ALONE stay by themselves. -DLATHE_UNITY=OFF
# compiles file by file, which shows that each includes what it uses.
option(LATHE_UNITY "Compile several sources as one" ON)
function(lathe_unity target files_a_unit)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ALONE")
    if(NOT LATHE_UNITY)
        return()
    endif()
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_a_unit})
    # A unit is an included file to the compiler, which then warns of unnamed namespaces in its
    # classes.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    if(arg_ALONE)
        set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
endfunction()
