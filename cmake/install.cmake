# What `cmake --install` gives to C++ programs: a shared library a component, headers below
# include/lathe, shaders and assets below share/lathe, and a package for find_package(lathe).
# The shared libraries are made of the same object files as the static ones that tests and the
# Python module link, so nothing is compiled twice. They export what LATHE_API marks.
include(CMakePackageConfigHelpers)

# lathe_shared(COMPONENT OF targets... NEEDS components... LINKS libraries...
#              INTERFACE libraries...)
function(lathe_shared component)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OF;NEEDS;LINKS;INTERFACE")
    set(target lathe_shared_${component})
    add_library(${target} SHARED)
    foreach(part IN LISTS arg_OF)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
    endforeach()
    list(TRANSFORM arg_NEEDS PREPEND lathe_shared_)
    target_link_libraries(${target} PUBLIC ${arg_NEEDS} PRIVATE ${arg_LINKS}
        INTERFACE ${arg_INTERFACE})
    target_link_options(${target} PRIVATE
        -Wl,--no-undefined -Wl,-Bsymbolic-functions -Wl,--exclude-libs,ALL)
    target_compile_features(${target} INTERFACE cxx_std_20)
    target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME lathe_${component}
        EXPORT_NAME ${component} VERSION ${PROJECT_VERSION}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH $ORIGIN)
    install(TARGETS ${target} EXPORT lathe LIBRARY DESTINATION lib COMPONENT lathe)
    set(lathe_shared_parts ${lathe_shared_parts} ${arg_OF} PARENT_SCOPE)
endfunction()

lathe_shared(core OF lathe_core lathe_installed_places LINKS fmt::fmt Threads::Threads
    ${CMAKE_DL_LIBS} INTERFACE fmt::fmt)
lathe_shared(gpu OF lathe_ptx lathe_gpu NEEDS core LINKS fmt::fmt Threads::Threads ${CMAKE_DL_LIBS}
    INTERFACE $<INSTALL_INTERFACE:lathe::cuda>)
lathe_shared(gl OF lathe_glad lathe_gl lathe_render NEEDS core
    LINKS fmt::fmt Threads::Threads ${CMAKE_DL_LIBS} INTERFACE glm::glm)
lathe_shared(app OF lathe_interop lathe_live lathe_scene lathe_plots lathe_app
    NEEDS gpu gl LINKS fmt::fmt glfw Threads::Threads)
lathe_shared(studio OF lathe_ui NEEDS app LINKS fmt::fmt glfw Threads::Threads
    INTERFACE lathe_imgui)
target_link_libraries(lathe_shared_studio PRIVATE lathe_imgui)
install(TARGETS lathe_imgui EXPORT lathe LIBRARY DESTINATION lib COMPONENT lathe)
install(FILES $<TARGET_PROPERTY:lathe_imgui,LATHE_HEADERS> DESTINATION include/lathe/imgui
    COMPONENT lathe)

# The headers that the parts name, and what those include.
set(headers "")
foreach(part IN LISTS lathe_shared_parts)
    get_target_property(set ${part} HEADER_SET)
    if(set)
        list(APPEND headers ${set})
    endif()
endforeach()
file(GLOB for_programs ${PROJECT_SOURCE_DIR}/engine/include/lathe/*.h)
set(installed_headers ${PROJECT_BINARY_DIR}/installed_headers)
install(CODE "set(root \"${PROJECT_SOURCE_DIR}\")
set(headers \"${headers}\")
set(for_programs \"${for_programs}\")
set(out \"${installed_headers}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/copy_headers.cmake\")" COMPONENT lathe)
install(DIRECTORY ${installed_headers}/ DESTINATION include COMPONENT lathe)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders ${PROJECT_SOURCE_DIR}/assets
    DESTINATION share/lathe COMPONENT lathe)
if(TARGET lathe_soft)
    install(TARGETS lathe_soft LIBRARY DESTINATION lib COMPONENT lathe NAMELINK_SKIP)
endif()

install(EXPORT lathe NAMESPACE lathe:: FILE lathe-targets.cmake DESTINATION lib/cmake/lathe
    COMPONENT lathe)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lathe-config.cmake.in
    ${PROJECT_BINARY_DIR}/lathe-config.cmake INSTALL_DESTINATION lib/cmake/lathe
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lathe-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lathe-config.cmake
    ${PROJECT_BINARY_DIR}/lathe-config-version.cmake
    DESTINATION lib/cmake/lathe COMPONENT lathe)
