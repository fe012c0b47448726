// SPDX-License-Identifier: MIT
// CUDA C++ for the code editor's highlighter: C++ and what CUDA adds to it.
#pragma once

#include <TextEditor.h>

namespace lathe {

const TextEditor::Language* cuda_language();

} // namespace lathe
