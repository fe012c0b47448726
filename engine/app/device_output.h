// SPDX-License-Identifier: MIT
// Where the text of device printf goes. A device has one receiver for the process; with several
// Apps the text belongs to the one whose frame, or wait, brought it out.
#pragma once

namespace lathe {

class Console;

namespace device_output {

/// The console receives device printf from now on, where the device can redirect it.
void add(Console& console);
/// Text that comes out from now on is this console's.
void direct_to(Console& console);
/// No later text goes there; the console added before it receives what comes.
void remove(Console& console);

} // namespace device_output
} // namespace lathe
