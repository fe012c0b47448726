#include <string>
#include <utility>
#include <vector>
namespace lathe::soft::jit { 
std::vector<std::pair<std::string, void*>> matrix_symbols();
std::vector<std::pair<std::string, void*>> matrix_symbols() { return {}; } }
