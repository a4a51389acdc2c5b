# SPDX-License-Identifier: MIT
"""Animations of an exported GLB."""

import json
import struct


def start_at_zero(path):
    """Moves all animations of a GLB to start at zero seconds: Blender exports frame 1 as 1 / fps."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20 : 20 + length])
    binary = 20 + length + 8
    inputs = {sampler["input"] for animation in document.get("animations", ()) for sampler in animation["samplers"]}
    accessors = [document["accessors"][index] for index in inputs]
    first = min((accessor["min"][0] for accessor in accessors), default=0)
    for accessor in accessors:
        view = document["bufferViews"][accessor["bufferView"]]
        start = binary + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        times = struct.unpack_from("<%df" % accessor["count"], data, start)
        times = [time - first for time in times]
        struct.pack_into("<%df" % len(times), data, start, *times)
        single = struct.unpack("<%df" % len(times), struct.pack("<%df" % len(times), *times))
        accessor["min"], accessor["max"] = [min(single)], [max(single)]
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + data[20 + length :]
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
