// SPDX-License-Identifier: MIT
// A display that another process has: the calls of a RemoteDisplay go over a socket, one after
// another, each with its answer. `lathe serve PROGRAM` has the far end.
#pragma once

#include "engine/app/remote_display.h"
#include "engine/core/api.h"

#include <memory>

namespace lathe {

/// The near end, on a connected stream socket, which it owns. As any display it belongs to one
/// thread. If the line breaks later, its windows close. Throws lathe::Error where nobody answers,
/// or a far end of another version.
LATHE_API std::shared_ptr<RemoteDisplay> connect_display(int socket);
/// The near end on the socket that LATHE_DISPLAY names, for the first who calls; null for others,
/// and where it is not set.
LATHE_API std::shared_ptr<RemoteDisplay> display_of_environment();

/// The far end: does with `display` what the near end calls, until that is gone or says what cannot
/// be understood; windows that are still open are closed then. The socket stays the caller's.
LATHE_API void carry_display(RemoteDisplay& display, int socket);

} // namespace lathe
