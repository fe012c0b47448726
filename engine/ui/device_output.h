// SPDX-License-Identifier: MIT
// Where the text of device printf goes. A device has one receiver for the process; with several
// studios the text belongs to the one whose frame, or wait, brought it out.
#pragma once

namespace lathe {

class ConsolePanel;

namespace device_output {

/// The console receives device printf from now on, where the device can redirect it.
void add(ConsolePanel& console);
/// Text that comes out from now on is this console's.
void direct_to(ConsolePanel& console);
/// No later text goes there; the console added before it receives what comes.
void remove(ConsolePanel& console);

} // namespace device_output
} // namespace lathe
