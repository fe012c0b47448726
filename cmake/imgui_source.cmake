# Where the sources of Dear ImGui and its kin come from: imgui_dirs, and imgui_bundle_dir if they
# are imgui-bundle's, which has the bindings for Python (python/imgui) and GLFW
# (cmake/static.cmake). LATHE_IMGUI_SOURCE names the place; "auto" takes the first that is there:
#   root     LATHE_IMGUI_ROOT, a tree with imgui/, implot/ and ImGuiColorTextEdit/, or the folder
#            external/ of imgui-bundle
#   archive  .deps/imgui_bundle-<version>.tar.gz, which tools/bootstrap downloads, or pip from here;
#            it has its hash
#   git      the same versions by FetchContent, without bindings
set(LATHE_IMGUI_SOURCE auto CACHE STRING "auto, root, archive or git")
set_property(CACHE LATHE_IMGUI_SOURCE PROPERTY STRINGS auto root archive git)
set(LATHE_IMGUI_ROOT "" CACHE PATH "Tree of the sources, as in imgui-bundle's folder external/")

set(imgui_bundle imgui_bundle-1.92.900)
set(imgui_bundle_sha256 1476409b76c7f600d0da472aed87e96382444df50695280b3ed9acd5065cb6c2)
set(imgui_archive ${PROJECT_SOURCE_DIR}/.deps/${imgui_bundle}.tar.gz)

# The folders below imgui-bundle's folder external/.
macro(lathe_imgui_from_bundle external)
    set(imgui_bundle_dir ${external})
    set(imgui_dirs ${external}/imgui/imgui ${external}/implot/implot
        ${external}/ImGuiColorTextEdit/ImGuiColorTextEdit)
endmacro()

# A wheel is built where tools/bootstrap was not called, too.
function(lathe_download_imgui)
    if(EXISTS ${imgui_archive} OR NOT Python_FOUND)
        return()
    endif()
    message(STATUS "Dear ImGui: pip downloads the sources")
    execute_process(COMMAND ${Python_EXECUTABLE} -m pip download -q --disable-pip-version-check
        --no-deps --no-binary imgui-bundle --require-hashes
        -r ${PROJECT_SOURCE_DIR}/tools/requirements-imgui.txt -d ${PROJECT_SOURCE_DIR}/.deps
        ERROR_VARIABLE words RESULT_VARIABLE failed)
    if(failed)
        message(STATUS "Dear ImGui: pip could not download the sources: ${words}")
    endif()
endfunction()

# Unpacks the folders we use into the build folder, which imgui_external names.
function(lathe_imgui_from_archive)
    set(target_dir ${PROJECT_BINARY_DIR}/_deps/${imgui_bundle})
    if(NOT EXISTS ${target_dir}/unpacked-with-glfw)
        file(SHA256 ${imgui_archive} found_sha256)
        if(NOT found_sha256 STREQUAL imgui_bundle_sha256)
            message(FATAL_ERROR "${imgui_archive} has SHA-256\n  ${found_sha256}, expected\n  "
                "${imgui_bundle_sha256}\nDelete the file and run tools/bootstrap.")
        endif()
        file(REMOVE_RECURSE ${target_dir})
        file(ARCHIVE_EXTRACT INPUT ${imgui_archive} DESTINATION ${target_dir} PATTERNS
            ${imgui_bundle}/external/imgui/*
            ${imgui_bundle}/external/implot/*
            ${imgui_bundle}/external/ImGuizmo/*
            ${imgui_bundle}/external/ImGuiColorTextEdit/ImGuiColorTextEdit/*
            ${imgui_bundle}/external/glfw/glfw/*
            ${imgui_bundle}/bindings/imgui_bundle/*.pyi)
        file(TOUCH ${target_dir}/unpacked-with-glfw)
    endif()
    set(imgui_external ${target_dir}/${imgui_bundle}/external PARENT_SCOPE)
endfunction()

function(lathe_imgui_from_git)
    include(FetchContent)
    FetchContent_Declare(imgui GIT_REPOSITORY https://github.com/ocornut/imgui.git
        GIT_TAG v1.92.9b-docking GIT_SHALLOW ON SOURCE_SUBDIR none)
    FetchContent_Declare(implot GIT_REPOSITORY https://github.com/epezent/implot.git
        GIT_TAG 1351ab2c46d7a05a60f3533047bfba8a953520a1 SOURCE_SUBDIR none)
    FetchContent_Declare(imguicolortextedit
        GIT_REPOSITORY https://github.com/goossens/ImGuiColorTextEdit.git
        GIT_TAG 6822aa54b2884d716aba76e0d06016cf18808b4f SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(imgui implot imguicolortextedit)
    set(imgui_dirs ${imgui_SOURCE_DIR} ${implot_SOURCE_DIR} ${imguicolortextedit_SOURCE_DIR}
        PARENT_SCOPE)
endfunction()

set(imgui_source ${LATHE_IMGUI_SOURCE})
if(imgui_source STREQUAL auto)
    if(LATHE_IMGUI_ROOT)
        set(imgui_source root)
    else()
        lathe_download_imgui()
        set(imgui_source git)
        if(EXISTS ${imgui_archive})
            set(imgui_source archive)
        endif()
    endif()
endif()

set(imgui_bundle_dir "") # imgui-bundle's folder external/
if(imgui_source STREQUAL root AND EXISTS ${LATHE_IMGUI_ROOT}/imgui/imgui/imgui.h)
    lathe_imgui_from_bundle(${LATHE_IMGUI_ROOT})
elseif(imgui_source STREQUAL root)
    set(imgui_dirs ${LATHE_IMGUI_ROOT}/imgui ${LATHE_IMGUI_ROOT}/implot
        ${LATHE_IMGUI_ROOT}/ImGuiColorTextEdit)
elseif(imgui_source STREQUAL archive)
    lathe_imgui_from_archive()
    lathe_imgui_from_bundle(${imgui_external})
elseif(imgui_source STREQUAL git)
    lathe_imgui_from_git()
else()
    message(FATAL_ERROR "LATHE_IMGUI_SOURCE is '${LATHE_IMGUI_SOURCE}', expected auto, root, "
                        "archive or git")
endif()

