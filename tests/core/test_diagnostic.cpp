// SPDX-License-Identifier: MIT
#include "engine/core/diagnostic.h"

#include <gtest/gtest.h>

using lathe::Diagnostic;

TEST(Diagnostic, TextLeavesOutWhatIsUnknown) {
    using S = Diagnostic::Severity;
    EXPECT_EQ(to_string(Diagnostic{"a.cu", 12, 5, S::error, "no"}), "a.cu:12:5: error: no");
    EXPECT_EQ(to_string(Diagnostic{"a.cu", 12, 0, S::warning, "no"}), "a.cu:12: warning: no");
    EXPECT_EQ(to_string(Diagnostic{"", 0, 0, S::note, "no"}), "note: no");
}
