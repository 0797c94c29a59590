#include "codec/object_bytes.h"

namespace muster {

template void write_plain<Object>(ByteWriter&, const Object&);
template void read_plain<Object>(ByteReader&, Object&);

}  // namespace muster
