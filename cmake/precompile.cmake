# lathe_precompile(TARGET HEADERS...): headers of other projects and of C++ that most files of a
# target read, compiled once. Every file still includes what it uses: a build with
# CMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows it, and tools/check_wheels where CUDA's are read.
function(lathe_precompile target)
    target_precompile_headers(${target} PRIVATE
        <algorithm> <array> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <mutex>
        <optional> <span> <string> <string_view> <unordered_map> <utility> <vector>
        <fmt/format.h> ${ARGN})
endfunction()
