# Installs into an empty prefix, and builds and runs projects against it that cannot see Lathe's
# tree: cmake -DSOURCE=... -DBUILD=... -P run.cmake
set(work ${BUILD}/consumer)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(run folder)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed
        OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}: ${failed}\n${out}")
    endif()
    set(output "${out}" PARENT_SCOPE)
endfunction()

file(COPY ${SOURCE}/tests/consumer/ DESTINATION ${work}/source)
file(COPY ${SOURCE}/apps/swarm_cpp ${SOURCE}/apps/guest_cpp DESTINATION ${work}/source)
file(GLOB ripple ${SOURCE}/apps/ripple_cpp/*)
file(COPY ${ripple} DESTINATION ${work}/source/ripple)
run(${work} ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component lathe)

function(build folder to)
    run(${work} ${CMAKE_COMMAND} -G Ninja -S ${folder} -B ${to} -DCMAKE_PREFIX_PATH=${prefix}
        -DCMAKE_BUILD_TYPE=Release)
    run(${work} ${CMAKE_COMMAND} --build ${to})
endfunction()

function(run_program folder program)
    run(${work}/${folder} ./${program} --headless --frames 3 --size 160x120 --device software
        --out ${work}/out/${program})
    file(GLOB pictures ${work}/out/${program}/*.png)
    if(NOT pictures)
        message(FATAL_ERROR "${program} left no picture:\n${output}")
    endif()
endfunction()

build(source/ripple ripple) # as docs/cpp.md says it
run_program(ripple ripple)
build(source programs)
run_program(programs swarm_cpp)
run_program(programs guest_cpp)
run(${work}/programs ./installed_places ${prefix})

build(source/gpu_alone gpu_alone)
run(${work} ${CMAKE_COMMAND} -E env LATHE_DEVICE=software gpu_alone/gpu_alone)
run(${work} ldd gpu_alone/gpu_alone)
if(output MATCHES "lathe_gl|libGL|libEGL|glfw")
    message(FATAL_ERROR "gpu_alone needs OpenGL:\n${output}")
endif()

# What a component is not called is said in a sentence.
file(WRITE ${work}/wrong/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(wrong LANGUAGES CXX)
find_package(lathe REQUIRED COMPONENTS gpus)\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${work}/wrong -B ${work}/wrong/build
    -DCMAKE_PREFIX_PATH=${prefix} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE words)
if(NOT failed OR NOT words MATCHES "no component gpus")
    message(FATAL_ERROR "find_package took a component that is not there:\n${words}")
endif()
