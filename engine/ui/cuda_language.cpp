// SPDX-License-Identifier: MIT
#include "engine/ui/cuda_language.h"

#include "engine/ui/cuda_words.h"

namespace lathe {

namespace {

TextEditor::Language make_language() {
    TextEditor::Language cuda = *TextEditor::Language::Cpp();
    cuda.name = "CUDA C++";
    for (const CudaWord& word : cuda_words()) {
        using enum CudaWord::Kind;
        if (word.kind == keyword) continue; // C++ has them, each in its colour
        (word.kind == qualifier ? cuda.keywords
         : word.kind == type    ? cuda.declarations
                                : cuda.identifiers)
            .insert(word.name);
    }
    return cuda;
}

} // namespace

const TextEditor::Language* cuda_language() {
    static const TextEditor::Language cuda = make_language();
    return &cuda;
}

} // namespace lathe
