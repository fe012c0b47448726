// SPDX-License-Identifier: MIT
// Windows, headless and under a display. Without a display of its own the windowed tests start a
// virtual one (Xvfb), as a user of `xvfb-run` would.
#include "engine/app/window.h"

#include "engine/core/error.h"
#include "engine/core/native_gl_context.h"
#include "engine/core/process.h"
#include "engine/render/screenshot.h"
#include "gl/error.h"
#include "gl/headless_context.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <gmock/gmock.h>

#include <dlfcn.h>

#include <cstdlib>
#include <type_traits>

namespace {

using namespace lathe;

static_assert(!std::is_copy_constructible_v<Window>);
static_assert(std::is_nothrow_move_constructible_v<Window>);

Window headless(int width = 64, int height = 48) {
    return Window::open({.title = "test", .width = width, .height = height, .headless = true});
}

/// Gradients, a slanted edge and blending: what could differ between two ways to a context.
ImageData scene(Window& window) {
    const gl::ShaderSource sources[] = {
        {gl::Stage::vertex, "scene.vert",
         "out vec3 tone; void main() {\n"
         "vec2 p[3] = vec2[](vec2(-0.9, -0.8), vec2(0.95, -0.3), vec2(-0.2, 0.9));\n"
         "tone = vec3(gl_VertexID == 0, gl_VertexID == 1, gl_VertexID == 2);\n"
         "gl_Position = vec4(p[gl_VertexID], 0, 1); }\n"},
        {gl::Stage::fragment, "scene.frag",
         "in vec3 tone; out vec4 color; void main() { color = vec4(sqrt(tone), 0.75); }\n"}};
    const gl::Program program = gl::Program::from_sources(sources);
    const gl::VertexArray empty;
    window.screen().bind();
    window.screen().clear({0.06f, 0.065f, 0.08f, 1});
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    program.use();
    empty.bind();
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_BLEND);
    gl::check("drawing the scene");
    window.present();
    return read_image(window.screen());
}

TEST(Window, HeadlessHasAContextASizeAndABlackScreen) {
    Window window = headless();
    EXPECT_TRUE(window.headless());
    EXPECT_EQ(window.native(), nullptr);
    EXPECT_EQ(gl::Context::current(), &window.context());
    EXPECT_EQ(window.width(), 64);
    EXPECT_EQ(window.height(), 48);
    EXPECT_EQ(window.pixel_ratio(), 1);
    EXPECT_THAT(window.description(), testing::StartsWith("headless, EGL "));
    const ImageData image = read_image(window.screen(), 3);
    EXPECT_THAT(image.bytes, testing::Each(std::byte{0}));
    window.present();
}

TEST(Window, InjectedEventsArriveAtTheNextPoll) {
    Window window = headless();
    window.inject(MoveEvent{{12, 34}});
    window.inject(ButtonEvent{MouseButton::left, true, 0});
    window.inject(KeyEvent{Key::r, true, false, kControl});
    window.inject(TextEvent{U'r'});
    EXPECT_FALSE(window.input().pressed(Key::r));
    window.poll_events();
    EXPECT_TRUE(window.input().pressed(Key::r));
    EXPECT_TRUE(window.input().pressed(MouseButton::left));
    EXPECT_EQ(window.input().mouse(), (glm::vec2{12, 34}));
    EXPECT_EQ(window.input().text(), "r");
    EXPECT_EQ(window.input().events().size(), 4u);
    window.poll_events();
    EXPECT_FALSE(window.input().pressed(Key::r));
    EXPECT_TRUE(window.input().is_down(Key::r));
}

TEST(Window, ResizeIsSeenAfterThePoll) {
    Window window = headless();
    window.resize(100, 30);
    EXPECT_EQ(window.width(), 64);
    window.poll_events();
    EXPECT_EQ(window.width(), 100);
    EXPECT_EQ(window.screen().height(), 30);
    EXPECT_THROW(window.resize(0, 30), lathe::Error);
}

TEST(Window, ImpossibleSizesAreNamed) {
    for (auto [w, h] : {std::pair{0, 720}, {1280, -5}, {100000, 720}}) {
        try {
            headless(w, h);
            FAIL() << w << " x " << h << " was opened";
        } catch (const lathe::Error& e) {
            EXPECT_THAT(e.what(), testing::HasSubstr("window size " + std::to_string(w) + " x " +
                                                     std::to_string(h) + " is impossible"));
        }
    }
}

TEST(Window, WithoutADisplayItIsHeadlessByItself) {
    const char* display = std::getenv("DISPLAY");
    const std::string before = display ? display : "";
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    EXPECT_FALSE(display_is_available());
    EXPECT_TRUE(Window::open({.width = 16, .height = 16}).headless());
    if (display) setenv("DISPLAY", before.c_str(), 1);
}

TEST(Window, TwoHeadlessWindowsTakeTurns) {
    Window a = headless(16, 16);
    const ImageData of_a = scene(a);
    Window b = headless(16, 16);
    EXPECT_EQ(scene(b), of_a);
    a.context().make_current();
    EXPECT_EQ(scene(a), of_a);
}

TEST(Window, AFurtherOneHasTheFirstOnesContextAndItsOwnSizeAndInput) {
    Window first = headless(16, 16);
    Window second = Window::open_beside(first, {.title = "second", .width = 40, .height = 30});
    EXPECT_TRUE(second.headless());
    EXPECT_EQ(gl::Context::current(), &first.context());
    EXPECT_EQ(second.width(), 40);
    second.inject(KeyEvent{Key::r});
    first.poll_events();
    second.poll_events();
    EXPECT_TRUE(second.input().pressed(Key::r));
    EXPECT_FALSE(first.input().pressed(Key::r));
    EXPECT_THROW(Window::open_beside(first, {.width = 0, .height = 30}), Error);
}

TEST(Window, ClipboardKeepsText) {
    Window window = headless();
    window.set_clipboard("a kernel");
    EXPECT_EQ(window.clipboard(), "a kernel");
}

/// Under `xvfb-run` this process has a display; tests/engine/app/CMakeLists.txt runs it so.
struct OnDisplay : testing::Test {
    void SetUp() override {
        if (!display_is_available()) GTEST_SKIP() << "no display";
    }
};

TEST_F(OnDisplay, WindowAndHeadlessHaveTheSamePixels) {
    ImageData windowed, offscreen;
    {
        Window window = Window::open(
            {.title = "test", .width = 200, .height = 150, .headless = false, .vsync = false});
        EXPECT_FALSE(window.headless());
        ASSERT_NE(window.native(), nullptr);
        windowed = scene(window);
        // What the window itself received is the same picture.
        std::vector<std::byte> front(windowed.bytes.size());
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        window.screen().blit_to(0, 0, 0, 200, 150);
        glReadnPixels(0, 149, 200, 1, GL_RGBA, GL_UNSIGNED_BYTE, 200 * 4, front.data());
        for (std::size_t i = 0; i < 200 * 4; ++i)
            ASSERT_TRUE(i % 4 == 3 || front[i] == windowed.bytes[i]) << "byte " << i;
    }
    Window window = headless(200, 150);
    offscreen = scene(window);
    ASSERT_EQ(offscreen.width, windowed.width);
    EXPECT_EQ(offscreen, windowed);
    // And it shows something.
    EXPECT_THAT(offscreen.bytes, testing::Contains(std::byte{255}));
    EXPECT_GT(int(*offscreen.at(60, 110)), 100);
}

TEST_F(OnDisplay, WindowFollowsAResizeAndCloses) {
    Window window = Window::open({.title = "test", .width = 120, .height = 90, .headless = false});
    window.resize(300, 200);
    for (int i = 0; i < 100 && window.width() != 300; ++i) {
        window.poll_events();
        window.present();
    }
    EXPECT_EQ(window.width(), 300);
    EXPECT_EQ(window.height(), 200);
    EXPECT_FALSE(window.should_close());
    window.close();
    EXPECT_TRUE(window.should_close());
}

/// One row of what the X server shows of a window, as RGBA. OpenGL's front buffer does not tell:
/// Mesa's software renderer makes a new one for who reads it.
std::vector<std::byte> x11_row(GLFWwindow* window, int row, int width) {
    const auto of_glfw = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
    void* x11 = dlopen("libX11.so.6", RTLD_NOW);
    auto* display = reinterpret_cast<void* (*)()>(of_glfw("glfwGetX11Display"))();
    auto shown = reinterpret_cast<unsigned long (*)(GLFWwindow*)>(of_glfw("glfwGetX11Window"));
    auto get_image = reinterpret_cast<void* (*)(void*, unsigned long, int, int, unsigned, unsigned,
                                                unsigned long, int)>(dlsym(x11, "XGetImage"));
    auto get_pixel = reinterpret_cast<unsigned long (*)(void*, int, int)>(dlsym(x11, "XGetPixel"));
    constexpr int kZPixmap = 2;
    void* image = get_image(display, shown(window), 0, row, unsigned(width), 1, ~0ul, kZPixmap);
    std::vector<std::byte> bytes;
    for (int x = 0; x < width; ++x) {
        const unsigned long pixel = get_pixel(image, x, 0);
        for (const int shift : {16, 8, 0}) bytes.push_back(std::byte(pixel >> shift & 255));
        bytes.push_back(std::byte{255});
    }
    return bytes; // the image ends with the process
}

TEST_F(OnDisplay, AFurtherWindowShowsWhatTheFirstContextHasDrawn) {
    Window first = Window::open({.title = "first", .width = 80, .height = 60, .headless = false});
    Window second = Window::open_beside(first, {.title = "second", .width = 120, .height = 90});
    EXPECT_EQ(gl::Context::current(), &first.context());
    EXPECT_EQ(&second.context(), &first.context());
    const auto shown = [&] {
        const ImageData drawn = scene(second);
        EXPECT_EQ(gl::Context::current(), &first.context()) << "present() puts it back";
        const int middle = drawn.height / 2;
        const auto row = x11_row(static_cast<GLFWwindow*>(second.native()), middle, drawn.width);
        const std::byte* expected = drawn.at(0, middle);
        int different = 0;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (i % 4 != 3) different += row[i] != expected[i];
        return different;
    };
    EXPECT_EQ(shown(), 0);
    second.resize(200, 100);
    for (int i = 0; i < 100 && second.width() != 200; ++i) second.poll_events();
    EXPECT_EQ(second.width(), 200);
    EXPECT_EQ(first.width(), 80);
    EXPECT_EQ(shown(), 0);
    EXPECT_FALSE(second.should_close() || first.should_close());
}

/// A window of another library, whose context is current.
class OthersWindow {
public:
    OthersWindow() {
        glfwInit();
        glfwDefaultWindowHints();
        glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
        window_ = glfwCreateWindow(64, 48, "of another library", nullptr, nullptr);
        glfwMakeContextCurrent(window_);
    }
    ~OthersWindow() { glfwDestroyWindow(window_); }
    OthersWindow(const OthersWindow&) = delete;
    OthersWindow& operator=(const OthersWindow&) = delete;

private:
    GLFWwindow* window_;
};

TEST_F(OnDisplay, AHeadlessContextIsMadeBesideAnotherLibrarysWindow) {
    const OthersWindow other;
    const NativeGlContext others = NativeGlContext::current();
    ASSERT_TRUE(others);
    for (const auto platform :
         {gl::HeadlessPlatform::surfaceless, gl::HeadlessPlatform::automatic}) {
        ASSERT_TRUE(others.make_current());
        const gl::HeadlessContext context{platform};
        EXPECT_EQ(gl::Context::current(), &context);
    }
}

TEST_F(OnDisplay, AWindowIsOpenedBesideAHeadlessOneAndIfRefusedLeavesIt) {
    ASSERT_TRUE(Window::open({.width = 64, .height = 48, .headless = false}).native());
    const Window first = headless();
    const gl::Context* const before = gl::Context::current();
    ASSERT_NE(before, nullptr);
    glfwTerminate(); // it makes no window until it is started again
    EXPECT_THROW(Window::open({.width = 64, .height = 48, .headless = false}), Error);
    glfwInit();
    EXPECT_EQ(gl::Context::current(), before);
    const Window window = Window::open({.width = 64, .height = 48, .headless = false});
    EXPECT_NE(gl::Context::current(), before);
}

TEST(WindowWithoutDisplay, AskedForAWindowItNamesCauseAndCure) {
    if (display_is_available()) GTEST_SKIP() << "there is a display";
    try {
        Window::open({.width = 16, .height = 16, .headless = false});
        FAIL() << "opened a window without a display";
    } catch (const lathe::Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr("no window can be opened"));
        EXPECT_THAT(e.what(), testing::HasSubstr("DISPLAY"));
        EXPECT_THAT(e.what(), testing::HasSubstr("--headless"));
        EXPECT_THAT(e.what(), testing::HasSubstr("xvfb-run"));
    }
}

} // namespace
