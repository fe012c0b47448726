// SPDX-License-Identifier: MIT
// The colours of CUDA C++ in the code editor, for the look that is shown.
#pragma once

#include <TextEditor.h>

namespace lathe {

TextEditor::Palette code_palette(bool is_clear);

} // namespace lathe
