// SPDX-License-Identifier: MIT
// References: variables of a module that hold the handles of objects, written before a launch.
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "gpu/texture_reference.h"
#include "tests/gpu/device_test.h"

#include <memory>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr const char* kReferenceSource = R"(
#include <lathe_references.hpp>
LATHE_T<float, 2> image;
LATHE_T<unsigned char, 1> bytes;
LATHE_T<unsigned char, 1, cudaReadModeNormalizedFloat> fractions;
LATHE_S<void, 2> sheet;
extern "C" __global__ void read(float* to) {
    to[0] = tex2D(image, 1.5f, 2.5f);
    to[1] = tex1Dfetch(bytes, 3);
    to[2] = tex1Dfetch(fractions, 3);
    surf2Dwrite(to[0] + 1, sheet, 4, 0);
}
)";

class TextureReferenceTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        module_ = compile_module(kReferenceSource);
    }
    template <class T> std::shared_ptr<T> reference(const char* name) {
        auto made = std::make_shared<T>(name);
        made->add_variable(module_.global(name).address());
        table_.add(made);
        return made;
    }
    std::vector<float> run(StreamView stream) {
        DeviceBuffer to{12};
        table_.update(stream);
        launch(module_.kernel("read"), {{1}, {1}, 0, stream}, to);
        std::vector<float> got(3);
        stream.synchronize();
        copy_to_host(got, to.span<float>());
        return got;
    }
    static std::shared_ptr<CudaArray> image_of(float value) {
        auto array = std::make_shared<CudaArray>(CudaArrayConfig{.width = 4, .height = 4});
        const std::vector<float> values(16, value);
        array->copy_from_host(values.data());
        return array;
    }

    Module module_;
    ReferenceTable table_;
};

TEST_F(TextureReferenceTest, KernelsSeeWhatIsBoundLast) {
    auto image = reference<TextureReference>("image");
    auto bytes = reference<TextureReference>("bytes");
    auto fractions = reference<TextureReference>("fractions");
    auto sheet = reference<SurfaceReference>("sheet");
    const auto written = image_of(0);
    sheet->set_array(written);
    auto memory = std::make_shared<DeviceBuffer>(16);
    fill_units(memory->address(), 51, 1, 16);
    for (const auto& r : {bytes, fractions}) {
        r->set_linear(
            {.address = memory->address(), .width = 16, .format = CU_AD_FORMAT_UNSIGNED_INT8},
            memory);
        r->set_format(CU_AD_FORMAT_UNSIGNED_INT8, 1);
    }
    bytes->set_declared_read_as_integer(true);
    fractions->set_declared_read_as_integer(false);
    const std::weak_ptr<DeviceBuffer> watched{memory};
    memory.reset();
    EXPECT_FALSE(watched.expired());

    const Stream first{StreamConfig{}};
    const Stream second{StreamConfig{}};
    for (int k = 1; k < 9; ++k) { // each array goes when the next one is bound
        image->set_array(image_of(static_cast<float>(k)));
        const std::vector<float> got = run(k % 3 ? first.view() : second.view());
        EXPECT_EQ(got[0], k);
        EXPECT_EQ(got[1], 51);
        EXPECT_FLOAT_EQ(got[2], 0.2f);
    }
    std::vector<float> back(16);
    written->copy_to_host(back.data());
    EXPECT_EQ(back[1], 9);
}

TEST_F(TextureReferenceTest, WhatCannotBeBoundNamesTheReference) {
    auto image = reference<TextureReference>("image");
    auto array = image_of(1);
    image->set_array(array);
    *array = {};
    try {
        table_.update(StreamView::legacy());
        FAIL() << "a freed array was bound";
    } catch (const Error& error) {
        EXPECT_NE(std::string{error.what()}.find("texture image was freed"), std::string::npos);
    }
    image->set_linear({.address = 512, .width = 3, .format = CU_AD_FORMAT_UNSIGNED_INT8}, nullptr);
    image->set_format(CU_AD_FORMAT_FLOAT, 4);
    EXPECT_THROW(table_.update(StreamView::legacy()), Error);
    image->set_array(image_of(2));
    EXPECT_NO_THROW(table_.update(StreamView::legacy()));
}

} // namespace
} // namespace lathe::gpu
