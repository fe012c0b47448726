// SPDX-License-Identifier: MIT
// A window that is looked at from elsewhere: its frames as JPEG for any number of viewers, and what
// one of them does as its events. Whoever carries the messages (a server, a notebook) calls
// Viewer; nothing here knows of networks.
#pragma once

#include "engine/app/remote_display.h"
#include "engine/broadcast/file_inbox.h"
#include "engine/core/api.h"
#include "engine/render/screenshot.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class Broadcast;
namespace client {
struct File;
}

/// What goes to a viewer. A frame is 16 bytes, then the picture: the kind (1), the codec, two
/// zeros, the number (32 bits), the window's width and height (16 bits each), and the milliseconds
/// (32 bits) since the broadcast was made, little-endian. The codec is 0, a JPEG file; 1, H.264
/// (Annex B) that follows the one before; or 2, H.264 that begins a stream. A picture of odd sides
/// has one more column or row in H.264. Texts are words as a client's:
///
///   title TEXT, cursor NAME, clipboard TEXT, ping NUMBER
///   role VIEWER STEERER     who the viewer is, and who steers; 0: nobody
///   viewers COUNT
///   asked VIEWER NAME       a viewer asks the one who steers to let it
///   windows NUMBER TITLE …  that the App has open, if there are several; else nothing follows
///   looks NUMBER            the viewer sees this one from now on
///   told TEXT               for its user: a file was not taken
///   over                    the first window is closed; its last picture stays
struct Packet {
    std::shared_ptr<const std::string> bytes{};
    bool is_text = false;
};

/// The line to one who looks. All functions may be called by any thread.
class LATHE_API Viewer {
public:
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;
    /// Leaves.
    ~Viewer();

    int number() const { return number_; }
    /// A file descriptor that can be read as long as there are packets.
    int signal() const { return signal_; }
    /// What is to be sent, oldest first.
    std::vector<Packet> take();
    /// Messages of the client, a line each (client_message.h). Those of who does not steer count
    /// only as far as they are about the line itself. Throws lathe::Error for the first one that
    /// cannot be understood; the line should be closed then.
    void receive(std::string_view lines);
    /// The next bytes of a file that the client has announced. Throws lathe::Error where it has
    /// not.
    void receive_bytes(std::string_view bytes);
    /// Nothing comes any more. If it steered, the viewer that has been here longest does.
    void leave();

private:
    friend class Broadcast;
    struct Line;
    Viewer(std::shared_ptr<Broadcast> broadcast, int number, int signal);
    const std::shared_ptr<Broadcast> broadcast_;
    void begin_file(const client::File& file);
    void drop_files();
    void tell(const std::optional<std::string>& words);
    const int number_, signal_;
    std::mutex inbox_mutex_;
    std::unique_ptr<FileInbox> inbox_ = std::make_unique<FileInbox>();
};

struct BroadcastStatus {
    int viewers = 0;
    int width = 0, height = 0;     ///< of the first window
    bool is_open = false;          ///< it has a window
    int windows = 0;               ///< with those that are open beside it
    std::uint64_t frames = 0;      ///< that differed from the one before
    std::uint64_t sent_frames = 0; ///< to all viewers together
    std::uint64_t sent_bytes = 0;
    double encode_ms = 0;     ///< the mean of the last encodings
    double encode_cpu_ms = 0; ///< the same, of processors' time
    int videos = 0;           ///< viewers who get H.264
};

enum class VideoUse {
    never,
    when_the_line_is_short, ///< H.264 takes fewer bytes and more processor time than JPEG
    always,
};

struct BroadcastConfig {
    VideoUse video = VideoUse::when_the_line_is_short;
    std::string ffmpeg = "ffmpeg"; ///< the program, a path or a name on PATH; it need not be there
};

class LATHE_API Broadcast final : public RemoteDisplay,
                                  public std::enable_shared_from_this<Broadcast> {
public:
    /// Viewers at a time.
    static constexpr int kMostViewers = 64;
    /// Of them, who get H.264: each has an encoder of its own.
    static constexpr int kMostVideos = 4;

    static std::shared_ptr<Broadcast> make(BroadcastConfig config = {});
    ~Broadcast() override;

    /// Somebody looks. The first one steers. Any thread; throws lathe::Error where too many do.
    std::shared_ptr<Viewer> connect();
    /// The newest picture. Where nobody looks it waits for the next, `seconds` at most, and then is
    /// the last that somebody saw; nothing before the first. Any thread.
    std::optional<ImageData> still(double seconds);
    BroadcastStatus status() const;

    void open(glm::ivec2 size) override;
    void close() override;
    std::string description() const override;
    bool wants_frame() override;
    void show(RemoteFrame frame) override;
    void resized(glm::ivec2 size) override;
    void take_events(std::vector<InputEvent>& events) override;
    bool wait(double seconds) override;
    std::shared_ptr<RemoteDisplay> beside() override;
    float pixel_ratio() const override;
    void set_title(const std::string& title) override;
    void set_cursor(CursorShape shape) override;
    std::string clipboard() const override;
    void set_clipboard(const std::string& text) override;

private:
    friend class Viewer;
    class Side;
    struct State;
    struct Pane;
    explicit Broadcast(BroadcastConfig config);
    std::unique_ptr<State> state_;
};

} // namespace lathe
