// SPDX-License-Identifier: MIT
// Any lines from a viewer: each is understood or refused, and a text that is understood is the same
// when it is encoded and read again. Names of files are made safe.
#include "engine/broadcast/client_message.h"
#include "engine/broadcast/file_inbox.h"
#include "engine/core/error.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lathe;
    std::string_view lines{reinterpret_cast<const char*>(data), size};
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        const std::string_view line = lines.substr(0, end);
        lines = end == lines.npos ? std::string_view{} : lines.substr(end + 1);
        try {
            const client::Message message = client::parse(line);
            if (const auto* file = std::get_if<client::File>(&message)) {
                const std::string name = safe_file_name(file->name);
                if (!name.empty() && name.size() <= 100 && name[0] != '.' &&
                    name.find('/') == name.npos)
                    continue;
                std::fprintf(stderr, "a file's name is not safe\n");
                std::abort();
            }
            const auto* paste = std::get_if<client::Paste>(&message);
            if (!paste) continue;
            const client::Message again =
                client::parse("paste " + client::percent_encoded(paste->text));
            if (std::get<client::Paste>(again).text == paste->text) continue;
            std::fprintf(stderr, "a text is another one when it is read again\n");
            std::abort();
        } catch (const Error&) { continue; }
    }
    return 0;
}
