# Every find_package of the project. What is missing is named with the command that brings it.
if(LATHE_PYTHON)
    if(NOT Python_EXECUTABLE AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python)
        set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
    endif()
    set(PYBIND11_FINDPYTHON ON)
    find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module)
    if(Python_FOUND)
        # `-m pybind11 --cmakedir` quotes a path with a blank.
        execute_process(COMMAND ${Python_EXECUTABLE} -c
            "import pybind11; print(pybind11.get_cmake_dir())"
            OUTPUT_VARIABLE pybind11_hint OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        find_package(pybind11 2.10 CONFIG QUIET HINTS ${pybind11_hint})
    endif()
    if(NOT pybind11_FOUND)
        set(missing "Python's headers or pybind11 were not found (tools/bootstrap brings both)")
        if(EXISTS ${PROJECT_SOURCE_DIR}/.venv)
            message(FATAL_ERROR "Python module: ${missing}. -DLATHE_PYTHON=OFF builds without it.")
        endif()
        message(STATUS "Python module: not built, ${missing}")
        set(LATHE_PYTHON OFF)
    endif()
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

# cuda.h and nvrtc.h: the toolkit where found, else the pip wheels (nvidia/cu13) of .venv or of the
# interpreter that builds a wheel. Nothing is linked.
file(GLOB wheel_includes ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu1?/include)
if(Python_FOUND)
    execute_process(COMMAND ${Python_EXECUTABLE} -c
        "import nvidia; print(*(f'{path}/cu13/include' for path in nvidia.__path__), sep=';')"
        OUTPUT_VARIABLE own_includes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND wheel_includes ${own_includes})
endif()
if(NOT "$ENV{LATHE_CUDA_TOOLKIT}" STREQUAL "none")
    set(toolkit_includes $ENV{LATHE_CUDA_TOOLKIT}/include ${CUDAToolkit_ROOT}/include
        $ENV{CUDA_HOME}/include $ENV{CUDA_PATH}/include /usr/local/cuda/include)
endif()
find_path(LATHE_CUDA_INCLUDE cuda.h PATHS ${toolkit_includes} ${wheel_includes} NO_DEFAULT_PATH)
if(NOT LATHE_CUDA_INCLUDE)
    message(FATAL_ERROR "cuda.h was not found. Run tools/bootstrap, or install the wheels "
                        "'cuda-toolkit[nvrtc,cudart,crt,cccl]==13.*' into .venv.")
endif()
add_library(lathe_cuda_headers INTERFACE)
add_library(lathe::cuda_headers ALIAS lathe_cuda_headers)
target_include_directories(lathe_cuda_headers SYSTEM INTERFACE ${LATHE_CUDA_INCLUDE})

# LLVM 19 makes the software device; without it only hardware is built, and CMake says so.
find_package(LLVM 19.1 CONFIG QUIET HINTS /usr/lib/llvm-19)
if(LLVM_FOUND)
    message(STATUS "Software CUDA device: LLVM ${LLVM_PACKAGE_VERSION}")
else()
    message(STATUS "Software CUDA device: not built, LLVM 19 was not found (Debian: llvm-19-dev)")
endif()

if(LATHE_TESTS)
    find_package(GTest QUIET)
    if(NOT GTest_FOUND)
        message(STATUS "C++ tests: not built, GoogleTest was not found (Debian: libgtest-dev)")
        set(LATHE_TESTS OFF)
    endif()
    enable_testing()
endif()

include(imgui_source)

# Windows (GLFW), vectors and matrices (GLM), PNG files (stb), content hashes (xxHash), the last
# three by their headers alone; JPEG files (libjpeg-turbo).
if(LATHE_STATIC)
    include(static)
else()
    add_library(lathe::fmt ALIAS fmt::fmt)
    set(lathe_llvm LLVM)
    find_package(glfw3 3.3 QUIET)
endif()
find_package(glm QUIET)
find_package(OpenGL QUIET COMPONENTS OpenGL) # of the experiment guest_cpp only
find_path(LATHE_STB_INCLUDE stb_image_write.h PATH_SUFFIXES stb)
find_path(LATHE_XXHASH_INCLUDE xxhash.h)
find_path(LATHE_TURBOJPEG_INCLUDE turbojpeg.h)
find_library(LATHE_TURBOJPEG_LIBRARY NAMES turbojpeg)
foreach(need "glfw3_FOUND;GLFW 3.3;libglfw3-dev" "glm_FOUND;GLM;libglm-dev"
             "LATHE_STB_INCLUDE;stb;libstb-dev" "LATHE_XXHASH_INCLUDE;xxHash;libxxhash-dev"
             "LATHE_TURBOJPEG_INCLUDE;libjpeg-turbo;libturbojpeg0-dev"
             "LATHE_TURBOJPEG_LIBRARY;libjpeg-turbo;libturbojpeg0-dev")
    list(GET need 0 found)
    list(GET need 1 library)
    list(GET need 2 package)
    if(NOT ${found})
        message(FATAL_ERROR "${library} was not found. Run tools/bootstrap, "
                            "or: sudo apt-get install ${package}")
    endif()
endforeach()
add_library(lathe_stb INTERFACE)
target_include_directories(lathe_stb SYSTEM INTERFACE ${LATHE_STB_INCLUDE})
add_library(lathe_turbojpeg INTERFACE)
target_include_directories(lathe_turbojpeg SYSTEM INTERFACE ${LATHE_TURBOJPEG_INCLUDE})
target_link_libraries(lathe_turbojpeg INTERFACE ${LATHE_TURBOJPEG_LIBRARY})

include(glad)
