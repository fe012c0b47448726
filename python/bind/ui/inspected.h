// SPDX-License-Identifier: MIT
// What a studio's inspector knows, for lathe/inspected.
#pragma once

#include <pybind11/pybind11.h>

namespace lathe {
class App;
}

namespace lathe::bind {

/// A dict for each slot that is known: its name, text, lines and findings, in lines of that text.
pybind11::list inspected(App& app);

} // namespace lathe::bind
