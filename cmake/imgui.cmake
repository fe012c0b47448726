# Target lathe::imgui: one shared library of Dear ImGui (docking), its OpenGL 3 backend,
# imgui_stdlib, ImPlot and ImGuiColorTextEdit. It is shared, since Lathe's panels and the Python
# modules lathe.imgui and lathe.implot (python/imgui) must speak to the same context. The sources:
# cmake/imgui_source.cmake.
list(GET imgui_dirs 0 imgui_dir)
list(GET imgui_dirs 1 implot_dir)
list(GET imgui_dirs 2 text_editor_dir)
foreach(needed ${imgui_dir}/imgui.h ${implot_dir}/implot.h ${text_editor_dir}/TextEditor.h)
    if(NOT EXISTS ${needed})
        message(FATAL_ERROR "${needed} is missing (source of Dear ImGui: ${imgui_source})")
    endif()
endforeach()

# The text editor with three mistakes mended:
# - A line that is folded away has its place at the end of the row before it. The editor takes the
#   row behind it, and reads past the last row where the text's last line is folded away.
# - A line break behind a { indents by a tab, and the cursor stands behind one character of it, also
#   where the tab is four spaces.
# - The box of Ctrl+F is wider than a narrow editor, and its left end is cut off.
function(lathe_mend wrong right)
    string(FIND "${source}" "${wrong}" place)
    if(place EQUAL -1)
        message(FATAL_ERROR "TextEditor.cpp is another version: there is no '${wrong}'")
    endif()
    string(REPLACE "${wrong}" "${right}" source "${source}")
    set(source "${source}" PARENT_SCOPE)
endfunction()
function(lathe_mend_text_editor file to)
    file(READ ${file} source)
    lathe_mend("visPos.column = at(line.row).columns;"
        "visPos = VisPos(line.row - 1, at(line.row - 1).columns);")
    lathe_mend("insert += \"\\t\";\n\t\t\tnewCursorIndex++;"
        "std::string tab = \"\\t\";
        if (config.insertSpacesOnTabs)
            tab.assign(config.tabSize - newCursorIndex % config.tabSize, ' ');
        insert += tab;
        newCursorIndex += tab.size();")
    lathe_mend("ImGui::SetNextWindowPos(\n\t\t\tImGui::GetWindowPos() +
\t\t\tImVec2(availableSpace"
        "const auto tooWide = std::clamp(
            windowWidth + style.ItemSpacing.x * 2.0f - availableSpace, 0.0f, fieldWidth * 0.7f);
        fieldWidth -= tooWide;
        windowWidth -= tooWide;
        ImGui::SetNextWindowPos(ImGui::GetWindowPos() + ImVec2(availableSpace")
    file(WRITE ${to}.new "${source}")
    configure_file(${to}.new ${to} COPYONLY)
endfunction()
set(text_editor ${PROJECT_BINARY_DIR}/imgui/TextEditor.cpp)
lathe_mend_text_editor(${text_editor_dir}/TextEditor.cpp ${text_editor})

add_library(lathe_imgui SHARED
    ${imgui_dir}/imgui.cpp
    ${imgui_dir}/imgui_draw.cpp
    ${imgui_dir}/imgui_tables.cpp
    ${imgui_dir}/imgui_widgets.cpp
    ${imgui_dir}/backends/imgui_impl_opengl3.cpp
    ${imgui_dir}/misc/cpp/imgui_stdlib.cpp
    ${implot_dir}/implot.cpp
    ${implot_dir}/implot_items.cpp
    ${text_editor}
    ${PROJECT_SOURCE_DIR}/engine/ui/imgui_config.cpp)
if(EXISTS ${imgui_dir}/imgui_stacklayout.cpp) # the bundle's own extension of Dear ImGui
    target_sources(lathe_imgui PRIVATE ${imgui_dir}/imgui_stacklayout.cpp)
endif()
set(include_dirs ${imgui_dir} ${imgui_dir}/backends ${imgui_dir}/misc/cpp ${implot_dir}
    ${text_editor_dir})
target_include_directories(lathe_imgui SYSTEM
    PUBLIC "$<BUILD_INTERFACE:${include_dirs}>" INTERFACE $<INSTALL_INTERFACE:include/lathe/imgui>)
target_include_directories(lathe_imgui
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> INTERFACE $<INSTALL_INTERFACE:include>)
target_link_libraries(lathe_imgui PRIVATE ${CMAKE_DL_LIBS})
target_compile_definitions(lathe_imgui
    PUBLIC $<BUILD_INTERFACE:IMGUI_USER_CONFIG="engine/ui/imgui_config.h">
    INTERFACE $<INSTALL_INTERFACE:IMGUI_USER_CONFIG="lathe/engine/ui/imgui_config.h">
    PRIVATE IMGUI_DISABLE_DEMO_WINDOWS
    "IMPLOT_CUSTOM_NUMERIC_TYPES=(float)(double)") # of ten: a minute more of compiling
if(imgui_bundle_dir)
    target_compile_definitions(lathe_imgui PUBLIC IMGUI_BUNDLE_PYTHON_API)
endif()
target_link_options(lathe_imgui PRIVATE -Wl,-Bsymbolic-functions)
target_compile_options(lathe_imgui PRIVATE -w -fno-sanitize=undefined)
file(GLOB headers ${imgui_dir}/im*.h ${imgui_dir}/misc/cpp/imgui_stdlib.h ${implot_dir}/implot*.h)
set_target_properties(lathe_imgui PROPERTIES EXPORT_NAME imgui
    LATHE_HEADERS "${headers}" LATHE_BUNDLE "${imgui_bundle_dir}"
    CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF INSTALL_RPATH $ORIGIN
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# Templates inlined into each other: long to compile, minutes where every access is checked.
set(items_options -O1)
if(LATHE_SANITIZE)
    list(APPEND items_options -fno-sanitize=all)
endif()
set_source_files_properties(${implot_dir}/implot_items.cpp PROPERTIES
    COMPILE_OPTIONS "${items_options}")
set_source_files_properties(${implot_dir}/implot.cpp ${implot_dir}/implot_items.cpp PROPERTIES
    COMPILE_DEFINITIONS LATHE_IMPLOT_SOURCE)
message(STATUS "Dear ImGui: ${imgui_dir} (${imgui_source})")
add_library(lathe::imgui ALIAS lathe_imgui)
