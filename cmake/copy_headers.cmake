# Copies `headers` and all that they include from `root` to `out`/lathe, and `for_programs` there,
# too. Where ours say "gpu/device.h" the copies say <lathe/gpu/device.h>, so that a program may have
# a folder of the same name.
file(REMOVE_RECURSE ${out})
set(ours "(engine|gpu|gl)/[^\"\n]+")

function(copy_header file to)
    file(READ ${file} text)
    string(REGEX MATCHALL "#include \"${ours}\"" includes "${text}")
    string(REGEX REPLACE "#include \"(${ours})\"" "#include <lathe/\\1>" text "${text}")
    file(WRITE ${out}/lathe/${to} "${text}")
    foreach(include IN LISTS includes)
        string(REGEX REPLACE "#include \"(.*)\"" "\\1" name "${include}")
        if(NOT EXISTS ${out}/lathe/${name})
            copy_header(${root}/${name} ${name})
        endif()
    endforeach()
endfunction()

foreach(header IN LISTS headers)
    file(RELATIVE_PATH name ${root} ${header})
    copy_header(${header} ${name})
endforeach()
foreach(header IN LISTS for_programs)
    get_filename_component(name ${header} NAME)
    copy_header(${header} ${name})
endforeach()
