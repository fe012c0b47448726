// SPDX-License-Identifier: MIT
#include "engine/ui/code_palette.h"

#include "engine/ui/theme.h"

#include <cstddef>

namespace lathe {

TextEditor::Palette code_palette(bool is_clear) {
    using enum TextEditor::Color;
    TextEditor::Palette p = TextEditor::GetDarkPalette();
    const auto set = [&p](TextEditor::Color which, unsigned rgb, float alpha = 1) {
        p[std::size_t(which)] = theme::packed(rgb, alpha);
    };
    set(text, 0xd9dee7);
    set(keyword, 0xc792ea);
    set(declaration, 0x6fb8e8);
    set(number, 0xf2a97e);
    set(string, 0xa5d489);
    set(punctuation, 0xa9b3c3);
    set(preprocessor, 0xd9a3c0);
    set(identifier, 0xd9dee7);
    set(knownIdentifier, 0x6fd0c0);
    set(comment, 0x7f8b9c);
    set(background, 0x15181d, is_clear ? 0 : 1);
    set(cursor, 0xffffff);
    set(selection, theme::kAccent, 0.30f);
    set(whitespace, 0x3a4250);
    set(matchingBracketBackground, theme::kAccent, 0.22f);
    set(matchingBracketActive, 0xffffff);
    set(matchingBracketLevel1, 0xa9b3c3);
    set(matchingBracketLevel2, 0xa9b3c3);
    set(matchingBracketLevel3, 0xa9b3c3);
    set(matchingBracketError, theme::kError);
    const float beside = is_clear ? 0 : 1; // the arrows of folds, too
    set(lineNumber, 0x8a94a6, beside);     // also legible on a marker
    set(currentLineNumber, 0xe4e8ef, beside);
    return p;
}

} // namespace lathe
