# The licences of what a wheel has inside: texts below lathe/licences, from where the sources are.
list(GET imgui_dirs 0 imgui_dir)
list(GET imgui_dirs 1 implot_dir)
list(GET imgui_dirs 2 text_editor_dir)
set(licences
    glfw|${imgui_bundle_dir}/glfw/glfw/LICENSE.md
    imgui|${imgui_dir}/LICENSE.txt
    implot|${implot_dir}/LICENSE
    imguizmo|${imgui_bundle_dir}/ImGuizmo/ImGuizmo/LICENSE
    ImGuiColorTextEdit|${text_editor_dir}/LICENSE)
foreach(package llvm-19-dev libzstd-dev zlib1g-dev libfmt-dev libstb-dev libglm-dev libxxhash-dev
                libturbojpeg0-dev)
    list(APPEND licences ${package}|/usr/share/doc/${package}/copyright)
endforeach()
foreach(package pybind11 nanobind)
    execute_process(COMMAND ${Python_EXECUTABLE} -c "
from importlib.metadata import files
print(next(str(f.locate()) for f in files('${package}') if f.name == 'LICENSE'))"
        OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND licences ${package}|${file})
endforeach()
foreach(licence IN LISTS licences)
    string(REPLACE "|" ";" licence ${licence})
    list(GET licence 0 name)
    list(GET licence 1 file)
    if(EXISTS "${file}")
        install(FILES ${file} DESTINATION lathe/licences RENAME ${name}.txt COMPONENT python)
    else()
        message(STATUS "Licence of ${name}: not found")
    endif()
endforeach()
