# lathe_embed(<output> <folder> <file>...): text files as an initialiser list of
# {"file", "its text"}, to be included where a list of pairs of strings is wanted. Configures again
# when one changes.
function(lathe_embed output folder)
    set(text "")
    foreach(file IN LISTS ARGN)
        set(path ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
        file(READ ${path} content)
        string(APPEND text "{\"${file}\", R\"lathe_embed(${content})lathe_embed\"},\n")
    endforeach()
    file(CONFIGURE OUTPUT ${output} CONTENT "@text@" @ONLY)
endfunction()
