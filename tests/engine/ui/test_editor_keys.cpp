// SPDX-License-Identifier: MIT
// Keys that come faster than frames.
#include "editing.h"

using namespace lathe;

namespace {

class EditorKeys : public Editing {
protected:
    /// Down and up, before the next frame.
    void press(Key key, unsigned modifiers = 0) {
        bench->window.inject(KeyEvent{key, true, false, modifiers});
        bench->window.inject(KeyEvent{key, false, false, modifiers});
    }
};

TEST_F(EditorKeys, SeveralOfOneFrameAreAllDone) {
    begin("abcd\nefgh\n", 2);
    press(Key::home, kControl);
    press(Key::end);
    press(Key::backspace);
    bench->run(8);
    EXPECT_EQ(line(1), "abc");
    EXPECT_EQ(line(2), "    efgh");
}

TEST_F(EditorKeys, OnesOfFramesInARowAreAllDone) {
    begin("abcd\nefgh\n", 2);
    for (const Key key : {Key::up, Key::end, Key::backspace, Key::home, Key::del}) {
        press(key);
        bench->run(1);
    }
    bench->run(10);
    EXPECT_EQ(line(1), "bc");
    EXPECT_EQ(line(2), "    efgh");
}

} // namespace
