"""Pictures of a screen, smaller: Chromium packs its own in a hurry. Nothing of what is seen changes."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def repacked(png):
    """The same picture with plain lines, which are alike on a screen, packed as well as can be."""
    chunks = list(chunks_of(png))
    width, height, depth, colours = struct.unpack(">IIBB", chunks[0][1][:10])
    if depth != 8 or colours not in (2, 6):
        raise ValueError(f"depth {depth} and colours {colours} are not those of a screen")
    pixel = 3 if colours == 2 else 4
    lines = plain_lines(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")), width * pixel, height, pixel)
    packed = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    return SIGNATURE + chunk(b"IHDR", chunks[0][1]) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def chunks_of(png):
    at = len(SIGNATURE)
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        yield kind, png[at + 8:at + 8 + length]
        at += 12 + length


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def plain_lines(data, size, height, pixel):
    """Lines as they are, of lines that are told as differences to what is left of them and above."""
    above = bytes(size)
    for row in range(height):
        start = row * (size + 1)
        above = plain(data[start], bytearray(data[start + 1:start + 1 + size]), above, pixel)
        yield bytes(above)


def plain(how, line, above, pixel):
    for at in range(len(line)) if how else ():
        left = line[at - pixel] if at >= pixel else 0
        corner = above[at - pixel] if at >= pixel else 0
        line[at] = (line[at] + (0, left, above[at], (left + above[at]) // 2, paeth(left, above[at], corner))[how]) & 255
    return line


def paeth(left, above, corner):
    """Of the three the nearest to left + above - corner."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda one: abs(guess - one))
