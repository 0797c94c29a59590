#include "cli/command_line.h"
#include "cli/large_pages.h"

int main(int argc, char** argv) {
  muster::cli::prefer_large_pages();
  return muster::cli::run(argc, argv);
}
