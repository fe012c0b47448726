// SPDX-License-Identifier: MIT
// OpenGL asked for where there is none; with a context tests/engine/interop and tests/python go on.
#include "gpu/driver/check.h"
#include "gpu/graphics_context.h"
#include "gpu/graphics_resource.h"
#include "tests/gpu/device_test.h"

#include <string>

namespace lathe::gpu {
namespace {

using GraphicsContextTest = DeviceTest;

TEST_F(GraphicsContextTest, WithoutAContextTheMessageSaysSo) {
    EXPECT_FALSE(current_gl_renderer());
    EXPECT_NE(gl_sharing_problem().find("no OpenGL context is current"), std::string::npos);
    for (const bool image : {false, true}) {
        try {
            if (image) (void)GraphicsResource::image(1, 0x0DE1);
            else (void)GraphicsResource::buffer(1);
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
            EXPECT_NE(std::string{error.what()}.find("make it current here"), std::string::npos);
        }
    }
}

} // namespace
} // namespace lathe::gpu
