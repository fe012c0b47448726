# LATHE_STATIC: a wheel needs nothing but the C and C++ libraries, so LLVM, zlib, zstd, GLFW and fmt
# go into our libraries. Gives lathe::fmt, glfw and lathe_llvm. What includes their headers compiles
# as in any other build, so that a wheel can take a developer's objects (tools/check_wheel).
if(NOT LLVM_FOUND)
    message(FATAL_ERROR "A wheel has the software CUDA device, which needs LLVM 19: "
                        "sudo apt-get install llvm-19-dev zlib1g-dev libzstd-dev")
endif()

# LLVM's archives, of which the linker takes what the software device calls. Its CMake package names
# shared libraries for zlib and zstd, and z3, of which we call nothing.
llvm_map_components_to_libnames(lathe_llvm native orcjit passes debuginfodwarf)
get_target_property(needs LLVMSupport INTERFACE_LINK_LIBRARIES)
list(FILTER needs EXCLUDE REGEX "z3|ZLIB|zstd")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${needs}")
foreach(name z zstd)
    find_library(LATHE_STATIC_${name} lib${name}.a)
    if(NOT LATHE_STATIC_${name})
        message(FATAL_ERROR "lib${name}.a was not found: "
                            "sudo apt-get install zlib1g-dev libzstd-dev")
    endif()
    list(APPEND lathe_llvm ${LATHE_STATIC_${name}})
endforeach()
if(TARGET zstd::libzstd_shared) # the software device's own use of it
    set_target_properties(zstd::libzstd_shared PROPERTIES
        IMPORTED_LOCATION ${LATHE_STATIC_zstd} IMPORTED_LOCATION_RELEASE ${LATHE_STATIC_zstd})
endif()

# fmt: Debian has the shared library only.
get_target_property(fmt_kind fmt::fmt TYPE)
if(fmt_kind STREQUAL "SHARED_LIBRARY")
    add_library(lathe_fmt STATIC ${PROJECT_SOURCE_DIR}/engine/core/fmt_library.cpp)
    add_library(lathe::fmt ALIAS lathe_fmt)
    foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_COMPILE_DEFINITIONS
                     INTERFACE_COMPILE_FEATURES)
        get_target_property(value fmt::fmt ${property})
        if(value)
            set_target_properties(lathe_fmt PROPERTIES ${property} "${value}")
        endif()
    endforeach()
    target_include_directories(lathe_fmt SYSTEM PRIVATE
        $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
else()
    add_library(lathe::fmt ALIAS fmt::fmt)
endif()

# GLFW: from imgui-bundle's sources, for X11, as Debian has it (Wayland's desktops run it by
# Xwayland). It opens the libraries of X11 when a window is opened.
if(NOT EXISTS ${imgui_bundle_dir}/glfw/glfw/CMakeLists.txt)
    message(FATAL_ERROR "The sources of GLFW are not there: they come with Dear ImGui's from "
                        "imgui-bundle. Run tools/bootstrap, or set LATHE_IMGUI_SOURCE=archive.")
endif()
foreach(part DOCS EXAMPLES TESTS WAYLAND)
    set(GLFW_BUILD_${part} OFF CACHE BOOL "" FORCE)
endforeach()
set(GLFW_INSTALL OFF CACHE BOOL "" FORCE)
set(GLFW_LIBRARY_TYPE STATIC CACHE STRING "" FORCE)
add_subdirectory(${imgui_bundle_dir}/glfw/glfw ${PROJECT_BINARY_DIR}/glfw EXCLUDE_FROM_ALL SYSTEM)
target_compile_options(glfw PRIVATE -w)
find_path(LATHE_GLFW_INCLUDE GLFW/glfw3.h)
if(LATHE_GLFW_INCLUDE) # of an older GLFW 3, whose functions the newer one has
    set_target_properties(glfw PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ""
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "")
endif()
set(glfw3_FOUND TRUE)
