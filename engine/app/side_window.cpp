// SPDX-License-Identifier: MIT
#include "engine/app/side_window.h"

#include "engine/app/side_window_parts.h"
#include "engine/core/error.h"
#include "gl/context.h"

namespace lathe {

// -- a frame -----------------------------------------------------------------------------------

Viewport SideWindowParts::whole() const {
    return {{0, 0}, {float(window.width()), float(window.height())}};
}

void SideWindowParts::begin_frame(double seconds) {
    drew = false;
    if (!is_open) return;
    window.poll_events();
    if (window.should_close()) return close();
    hands.update(window.input(), whole(), seconds);
    picture.resize({window.width(), window.height()}, scene.clear_color());
    scene.begin_frame();
}

bool SideWindowParts::compute(const RaysApart& rays) {
    if (!is_open || !scene.end_step()) return false;
    scene.compute(picture.canvas(), float(picture.samples()), rays);
    return true;
}

void SideWindowParts::draw() {
    picture.canvas().bind();
    picture.canvas().clear(scene.clear_color());
    scene.draw(picture.canvas(), float(picture.samples()));
    drew = true;
}

void SideWindowParts::end_frame() {
    if (!is_open) return;
    scene.end_frame(drew);
    if (drew) picture.average();
    else picture.picture().clear(scene.clear_color());
    picture.picture().blit_to(window.screen());
    window.present();
}

bool SideWindowParts::has_input() { return is_open && window.wait_for_events(0); }

void SideWindowParts::close() {
    is_open = false;
    window.hide();
    scene.clear();
    hands.forget_selection();
}

// -- what a program has of it --------------------------------------------------------------------

SideWindow::SideWindow(std::unique_ptr<SideWindowParts> parts) : p_{std::move(parts)} {}
SideWindow::~SideWindow() = default;

const std::string& SideWindow::title() const { return p_->title; }
bool SideWindow::is_open() const { return p_->is_open; }
void SideWindow::close() {
    p_->window.close(); // at the next frame's begin, when GL is at hand
}
std::array<int, 2> SideWindow::size() const {
    const gl::Framebuffer& picture = p_->picture.picture();
    return {picture.width(), picture.height()};
}

View& SideWindow::view() { return p_->scene.view(); }
const std::vector<std::shared_ptr<View>>& SideWindow::views() { return p_->scene.views(); }
const std::vector<std::shared_ptr<View>>& SideWindow::views(int rows, int columns) {
    return p_->scene.set_views(rows, columns);
}
std::vector<std::pair<char, std::shared_ptr<View>>> SideWindow::mosaic(std::string_view letters) {
    return p_->scene.set_mosaic(letters);
}
std::shared_ptr<View> SideWindow::inset(const View& on, const Viewport& within) {
    return p_->scene.add_inset(on, within);
}

Window& SideWindow::window() { return p_->window; }
std::optional<Picked> SideWindow::picked() {
    if (!p_->is_open) return {};
    return p_->hands.pick(p_->window.input().mouse(), p_->whole());
}
const std::vector<Selected>& SideWindow::selected() const { return p_->hands.selected(); }

ImageData SideWindow::screenshot() {
    if (!p_->is_open) throw Error{"the window \"" + p_->title + "\" is closed: it has no picture"};
    p_->window.context().make_current();
    if (p_->drew) p_->picture.average();
    return read_image(p_->picture.picture(), 3);
}

} // namespace lathe
