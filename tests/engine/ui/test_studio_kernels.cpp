// SPDX-License-Identifier: MIT
// Several kernels in one studio: each has its own sliders, autosaves and faults.
#include "engine/core/error.h"
#include "engine/ui/studio.h"
#include "gpu/driver/api.h"
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "gpu/nvrtc.h"
#include "gpu/stream.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace lathe;

namespace {

class StudioKernels : public testing::Test {
protected:
    void SetUp() override {
        if (const auto why = gpu::driver_problem(); !why.empty()) GTEST_SKIP() << why;
        if (const auto why = gpu::nvrtc_problem(); !why.empty()) GTEST_SKIP() << why;
    }
    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((folder / name).parent_path());
        std::ofstream{folder / name} << text;
        return (folder / name).string();
    }
    static AppConfig quiet() {
        AppConfig c;
        c.headless = true;
        c.ui = false;
        c.restore = false;
        return c;
    }

    const test::TempFolder folder;
};

void frame(Studio& studio) {
    ASSERT_TRUE(studio.begin_frame());
    studio.end_frame();
}

} // namespace

TEST_F(StudioKernels, FilesOfOneNameHaveTheirOwnSlidersAndKeys) {
    Studio studio{quiet()};
    KernelSlot& a = studio.kernel_slot(
        write("a/step.cu", "__global__ void step(float* x, float alpha) { *x = alpha; }\n"));
    KernelSlot& b = studio.kernel_slot(
        write("b/step.cu", "__global__ void step(float* x, float beta) { *x = beta; }\n"));
    KernelSlot& again = studio.kernel_slot(b.file().string(), "", {"-DN=2"});
    ASSERT_TRUE(a.ready() && b.ready() && again.ready()) << a.log() << b.log() << again.log();
    EXPECT_NE(studio.parameters().find("alpha"), nullptr);
    EXPECT_NE(studio.parameters().find("beta"), nullptr);
    EXPECT_EQ(a.name(), "step.cu");
    EXPECT_EQ(b.name(), "step.cu (b)");
    EXPECT_EQ(again.name(), "step.cu#2");
    EXPECT_EQ((std::set{a.key(), b.key(), again.key()}).size(), 3u);
    EXPECT_TRUE(b.key().ends_with("b/step.cu")) << b.key();
}

TEST_F(StudioKernels, AKeyIsTheSameInTheNextRunWhateverElseIsThere) {
    const std::string a = write("a/step.cu", "__global__ void step(float* x) { *x = 1; }\n");
    const std::string b = write("b/step.cu", "__global__ void step(float* x) { *x = 2; }\n");
    std::string first;
    {
        Studio studio{quiet()};
        studio.kernel_slot(a);
        first = studio.kernel_slot(b).key();
    }
    Studio studio{quiet()};
    EXPECT_EQ(studio.kernel_slot(b).key(), first);
}

TEST_F(StudioKernels, AFaultIsTheKernelsThatMadeIt) {
    if (!gpu::driver().is_software()) GTEST_SKIP() << "a GPU's context does not survive a fault";
    const std::string good = "__global__ void step(float* x) { if (x) *x = 1; }\n";
    const std::string bad = "__global__ void step(float* x) { x[1] = 1; }\n";
    Studio studio{quiet()};
    KernelSlot& a = studio.kernel_slot(write("a/step.cu", good));
    KernelSlot& b = studio.kernel_slot(write("b/step.cu", good));
    KernelSlot& other = studio.kernel_slot(a.file().string(), "", {"-DN=2"});
    frame(studio); // confirms what is there
    for (KernelSlot* blamed : {&a, &b, &other}) {
        blamed->set_source(bad);
        blamed->compile_now();
        blamed->wait();
        ASSERT_TRUE(studio.begin_frame());
        gpu::launch(blamed->kernel(), {{1, 1, 1}, {1, 1, 1}, 0, studio.stream()},
                    static_cast<float*>(nullptr));
        studio.end_frame();
        for (KernelSlot* slot : {&a, &b, &other})
            EXPECT_EQ(slot->state(), slot == blamed ? SlotState::faulted : SlotState::good)
                << slot->name() << " when " << blamed->name() << " faults";
        blamed->set_source(good);
        blamed->compile_now();
        blamed->wait();
        frame(studio);
    }
}
