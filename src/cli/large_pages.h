#pragma once

namespace muster::cli {

// Has the heap grow in large pages where the kernel has them for those who ask: tables of thousands of nodes and pods are filled
// and walked with far fewer page faults. Nothing is taken from the machine until it is used. Call once, at the start of main().
void prefer_large_pages();

}  // namespace muster::cli
