// SPDX-License-Identifier: MIT
// Own platform backend instead of imgui_impl_glfw: events come from InputState, so that a test's
// key and a user's key take the same way. Only cursor shapes ask GLFW.
#include "engine/ui/imgui_layer.h"

#include "engine/app/window.h"
#include "engine/core/error.h"
#include "engine/ui/theme.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#if LATHE_HAVE_DOCKING
#include <implot.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace lathe {

namespace {

float wanted_scale(const Window& window) {
    float scale = window.pixel_ratio();
    if (const char* text = std::getenv("LATHE_UI_SCALE")) scale *= float(std::atof(text));
    return std::clamp(scale, 0.5f, 4.0f);
}

#if IMGUI_VERSION_NUM >= 18700
ImGuiKey imgui_key(Key key) {
    const int k = int(key);
    if (k >= int(Key::a) && k <= int(Key::z)) return ImGuiKey(ImGuiKey_A + k - int(Key::a));
    if (k >= int(Key::digit_0) && k <= int(Key::digit_9))
        return ImGuiKey(ImGuiKey_0 + k - int(Key::digit_0));
    if (k >= int(Key::f1) && k <= int(Key::f12)) return ImGuiKey(ImGuiKey_F1 + k - int(Key::f1));
    if (k >= int(Key::keypad_0) && k <= int(Key::keypad_9))
        return ImGuiKey(ImGuiKey_Keypad0 + k - int(Key::keypad_0));
    switch (key) {
    case Key::space:
        return ImGuiKey_Space;
    case Key::apostrophe:
        return ImGuiKey_Apostrophe;
    case Key::comma:
        return ImGuiKey_Comma;
    case Key::minus:
        return ImGuiKey_Minus;
    case Key::period:
        return ImGuiKey_Period;
    case Key::slash:
        return ImGuiKey_Slash;
    case Key::semicolon:
        return ImGuiKey_Semicolon;
    case Key::equal:
        return ImGuiKey_Equal;
    case Key::left_bracket:
        return ImGuiKey_LeftBracket;
    case Key::backslash:
        return ImGuiKey_Backslash;
    case Key::right_bracket:
        return ImGuiKey_RightBracket;
    case Key::grave:
        return ImGuiKey_GraveAccent;
    case Key::escape:
        return ImGuiKey_Escape;
    case Key::enter:
        return ImGuiKey_Enter;
    case Key::tab:
        return ImGuiKey_Tab;
    case Key::backspace:
        return ImGuiKey_Backspace;
    case Key::insert:
        return ImGuiKey_Insert;
    case Key::del:
        return ImGuiKey_Delete;
    case Key::right:
        return ImGuiKey_RightArrow;
    case Key::left:
        return ImGuiKey_LeftArrow;
    case Key::down:
        return ImGuiKey_DownArrow;
    case Key::up:
        return ImGuiKey_UpArrow;
    case Key::page_up:
        return ImGuiKey_PageUp;
    case Key::page_down:
        return ImGuiKey_PageDown;
    case Key::home:
        return ImGuiKey_Home;
    case Key::end:
        return ImGuiKey_End;
    case Key::caps_lock:
        return ImGuiKey_CapsLock;
    case Key::keypad_decimal:
        return ImGuiKey_KeypadDecimal;
    case Key::keypad_divide:
        return ImGuiKey_KeypadDivide;
    case Key::keypad_multiply:
        return ImGuiKey_KeypadMultiply;
    case Key::keypad_subtract:
        return ImGuiKey_KeypadSubtract;
    case Key::keypad_add:
        return ImGuiKey_KeypadAdd;
    case Key::keypad_enter:
        return ImGuiKey_KeypadEnter;
    case Key::keypad_equal:
        return ImGuiKey_KeypadEqual;
    case Key::left_shift:
        return ImGuiKey_LeftShift;
    case Key::left_control:
        return ImGuiKey_LeftCtrl;
    case Key::left_alt:
        return ImGuiKey_LeftAlt;
    case Key::left_super:
        return ImGuiKey_LeftSuper;
    case Key::right_shift:
        return ImGuiKey_RightShift;
    case Key::right_control:
        return ImGuiKey_RightCtrl;
    case Key::right_alt:
        return ImGuiKey_RightAlt;
    case Key::right_super:
        return ImGuiKey_RightSuper;
    case Key::menu:
        return ImGuiKey_Menu;
    default:
        return ImGuiKey_None;
    }
}

void feed_modifiers(unsigned modifiers) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, modifiers & kControl);
    io.AddKeyEvent(ImGuiMod_Shift, modifiers & kShift);
    io.AddKeyEvent(ImGuiMod_Alt, modifiers & kAlt);
    io.AddKeyEvent(ImGuiMod_Super, modifiers & kSuper);
}
#else // ImGui 1.86 reads arrays
void feed_modifiers(unsigned modifiers) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = modifiers & kControl;
    io.KeyShift = modifiers & kShift;
    io.KeyAlt = modifiers & kAlt;
    io.KeySuper = modifiers & kSuper;
}

void map_keys() {
    ImGuiIO& io = ImGui::GetIO();
    const std::pair<ImGuiKey, Key> pairs[] = {{ImGuiKey_Tab, Key::tab},
                                              {ImGuiKey_LeftArrow, Key::left},
                                              {ImGuiKey_RightArrow, Key::right},
                                              {ImGuiKey_UpArrow, Key::up},
                                              {ImGuiKey_DownArrow, Key::down},
                                              {ImGuiKey_PageUp, Key::page_up},
                                              {ImGuiKey_PageDown, Key::page_down},
                                              {ImGuiKey_Home, Key::home},
                                              {ImGuiKey_End, Key::end},
                                              {ImGuiKey_Insert, Key::insert},
                                              {ImGuiKey_Delete, Key::del},
                                              {ImGuiKey_Backspace, Key::backspace},
                                              {ImGuiKey_Space, Key::space},
                                              {ImGuiKey_Enter, Key::enter},
                                              {ImGuiKey_Escape, Key::escape},
                                              {ImGuiKey_KeyPadEnter, Key::keypad_enter},
                                              {ImGuiKey_A, Key::a},
                                              {ImGuiKey_C, Key::c},
                                              {ImGuiKey_V, Key::v},
                                              {ImGuiKey_X, Key::x},
                                              {ImGuiKey_Y, Key::y},
                                              {ImGuiKey_Z, Key::z}};
    for (const auto& [to, from] : pairs) io.KeyMap[to] = int(from);
}
#endif

} // namespace

ImGuiLayer::ImGuiLayer(Window& window, const std::filesystem::path& layout_file)
    : window_{window}, layout_file_{layout_file.string()}, scale_{wanted_scale(window)} {
    IMGUI_CHECKVERSION();
    context_ = ImGui::CreateContext();
    make_current();
    ImGuiIO& io = ImGui::GetIO();
    io.BackendPlatformName = "lathe";
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
    io.IniFilename = nullptr;
    io.ConfigWindowsMoveFromTitleBarOnly = true;
#if LATHE_HAVE_DOCKING
    plot_context_ = ImPlot::CreateContext();
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    io.ConfigDpiScaleFonts = false;
    ImGuiPlatformIO& platform = ImGui::GetPlatformIO();
    platform.Platform_ClipboardUserData = this;
    platform.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
        auto* self = static_cast<ImGuiLayer*>(ImGui::GetPlatformIO().Platform_ClipboardUserData);
        self->window_.set_clipboard(text);
    };
    platform.Platform_GetClipboardTextFn = [](ImGuiContext*) {
        auto* self = static_cast<ImGuiLayer*>(ImGui::GetPlatformIO().Platform_ClipboardUserData);
        self->clipboard_ = self->window_.clipboard();
        return self->clipboard_.c_str();
    };
#else
    map_keys();
    io.ClipboardUserData = this;
    io.SetClipboardTextFn = [](void* self, const char* text) {
        static_cast<ImGuiLayer*>(self)->window_.set_clipboard(text);
    };
    io.GetClipboardTextFn = [](void* user) {
        auto* self = static_cast<ImGuiLayer*>(user);
        self->clipboard_ = self->window_.clipboard();
        return self->clipboard_.c_str();
    };
#endif
    theme::apply(scale_);
    theme::load_fonts(scale_);
    if (!layout_file_.empty() && std::filesystem::exists(layout_file_)) {
        ImGui::LoadIniSettingsFromDisk(layout_file_.c_str());
        layout_is_new_ = false;
    }
    if (!ImGui_ImplOpenGL3_Init("#version 450 core"))
        throw Error{"Dear ImGui's OpenGL backend could not be initialised"};
}

ImGuiLayer::~ImGuiLayer() {
    make_current();
    if (in_frame_) ImGui::EndFrame();
    if (!layout_file_.empty()) ImGui::SaveIniSettingsToDisk(layout_file_.c_str());
    window_.context().make_current();
    ImGui_ImplOpenGL3_Shutdown();
    for (void* cursor : cursors_)
        if (cursor) glfwDestroyCursor(static_cast<GLFWcursor*>(cursor));
#if LATHE_HAVE_DOCKING
    ImPlot::DestroyContext(plot_context_);
#endif
    ImGui::DestroyContext(context_);
}

void ImGuiLayer::make_current() const {
    ImGui::SetCurrentContext(context_);
#if LATHE_HAVE_DOCKING
    ImPlot::SetCurrentContext(plot_context_);
#endif
}

void ImGuiLayer::feed(const InputEvent& event) {
    ImGuiIO& io = ImGui::GetIO();
    if (const auto* key = std::get_if<KeyEvent>(&event)) {
        if (key->down && shortcuts && shortcuts(*key)) return;
        feed_modifiers(key->modifiers);
#if IMGUI_VERSION_NUM >= 18700
        if (const ImGuiKey k = imgui_key(key->key); k != ImGuiKey_None && !key->repeat)
            io.AddKeyEvent(k, key->down);
#else
        if (int(key->key) >= 0 && int(key->key) < IM_ARRAYSIZE(io.KeysDown))
            io.KeysDown[int(key->key)] = key->down;
#endif
    } else if (const auto* button = std::get_if<ButtonEvent>(&event)) {
        feed_modifiers(button->modifiers);
#if IMGUI_VERSION_NUM >= 18700
        io.AddMouseButtonEvent(int(button->button), button->down);
#else
        io.MouseDown[int(button->button)] = button->down;
#endif
    } else if (const auto* move = std::get_if<MoveEvent>(&event)) {
#if IMGUI_VERSION_NUM >= 18700
        io.AddMousePosEvent(move->position.x, move->position.y);
#else
        io.MousePos = {move->position.x, move->position.y};
#endif
    } else if (const auto* wheel = std::get_if<WheelEvent>(&event)) {
#if IMGUI_VERSION_NUM >= 18700
        io.AddMouseWheelEvent(wheel->delta.x, wheel->delta.y);
#else
        io.MouseWheelH += wheel->delta.x;
        io.MouseWheel += wheel->delta.y;
#endif
    } else if (const auto* typed = std::get_if<TextEvent>(&event)) {
        io.AddInputCharacter(unsigned(typed->character));
    } else if (const auto* focus = std::get_if<FocusEvent>(&event)) {
        io.AddFocusEvent(focus->focused);
    }
}

void ImGuiLayer::begin_frame(double delta_seconds) {
    make_current();
    if (const float scale = wanted_scale(window_); scale != scale_) {
        scale_ = scale;
        theme::apply(scale_);
        ImGui::GetIO().Fonts->Clear();
        theme::load_fonts(scale_);
#if !LATHE_HAVE_DOCKING
        ImGui_ImplOpenGL3_DestroyFontsTexture();
#endif
    }
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {float(window_.width()), float(window_.height())};
    io.DisplayFramebufferScale = {1, 1};
    io.DeltaTime = float(std::max(delta_seconds, 1e-4));
    for (const InputEvent& event : window_.input().events()) feed(event);
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    in_frame_ = true;
}

void ImGuiLayer::end_frame(gl::Framebuffer& target) {
    make_current();
    const auto begin = std::chrono::steady_clock::now();
    show_cursor();
    ImGui::Render();
    in_frame_ = false;
    target.bind();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    ImGuiIO& io = ImGui::GetIO();
    if (io.WantSaveIniSettings) {
        if (!layout_file_.empty()) ImGui::SaveIniSettingsToDisk(layout_file_.c_str());
        io.WantSaveIniSettings = false;
    }
    milliseconds_ =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void ImGuiLayer::show_cursor() {
    auto* window = static_cast<GLFWwindow*>(window_.native());
    const int wanted = ImGui::GetMouseCursor();
    if (!window || wanted == cursor_ || wanted < 0 || wanted >= 9) return;
    cursor_ = wanted;
    if (!cursors_[wanted]) {
        int shape = GLFW_ARROW_CURSOR;
        if (wanted == ImGuiMouseCursor_TextInput) shape = GLFW_IBEAM_CURSOR;
        if (wanted == ImGuiMouseCursor_ResizeNS) shape = GLFW_VRESIZE_CURSOR;
        if (wanted == ImGuiMouseCursor_ResizeEW) shape = GLFW_HRESIZE_CURSOR;
        if (wanted == ImGuiMouseCursor_Hand) shape = GLFW_HAND_CURSOR;
        cursors_[wanted] = glfwCreateStandardCursor(shape);
    }
    glfwSetCursor(window, static_cast<GLFWcursor*>(cursors_[wanted]));
}

bool ImGuiLayer::wants_mouse() const {
    make_current();
    return ImGui::GetIO().WantCaptureMouse;
}

bool ImGuiLayer::wants_text() const {
    make_current();
    return ImGui::GetIO().WantTextInput;
}

} // namespace lathe
