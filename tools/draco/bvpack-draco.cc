/* SPDX-License-Identifier: MIT
 * bvpack-draco.cc: decodes the Draco streams of a glTF model, import_draco.h, and answers as
 * import_protocol.h says: all that the project uses Draco for.
 * Spec: Khronos glTF 2.0, KHR_draco_mesh_compression; Draco bitstream 2.2
 *
 * Triangles and vertices keep the order of the decoder: it is that of the model.
 */
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <draco/compression/decode.h>

#include "import/import_draco.h"
#include "import/import_send.h"

namespace
{

enum { STATUS_USAGE = 2 };

struct decoded {
    std::vector<float> positions;
    std::vector<uint32_t> indices;
};

/* Integers of up to 16 bits are floats; what scales them is the model's matter. */
bool is_kept_by_floats(draco::DataType type)
{
    return type == draco::DT_FLOAT32 || type == draco::DT_INT8 || type == draco::DT_UINT8 ||
           type == draco::DT_INT16 || type == draco::DT_UINT16;
}

bool take_position(const draco::PointAttribute &from, draco::AttributeValueIndex at, float *out)
{
    if (at.value() >= from.size())
        return false;
    if (from.data_type() == draco::DT_FLOAT32)
        return from.ConvertValue<float>(at, 3, out);
    int32_t whole[3]; /* not as floats: these would be divided where the attribute is normalized */
    if (!from.ConvertValue<int32_t>(at, 3, whole))
        return false;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = static_cast<float>(whole[axis]);
    return true;
}

/* Returns what is wrong, or "". */
std::string decode(const import_draco_stream &stream, const uint8_t *data, decoded *out)
{
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(data), stream.size);
    draco::Decoder decoder;
    const auto found = decoder.DecodeMeshFromBuffer(&buffer);
    if (!found.ok())
        return found.status().error_msg_string();
    const draco::Mesh &mesh = *found.value();
    const draco::PointAttribute *positions = mesh.GetAttributeByUniqueId(stream.position);
    if (!positions)
        return "it has no attribute of the id that the model gives for positions";
    if (positions->num_components() != 3 || !is_kept_by_floats(positions->data_type()))
        return "its positions are not three floats, or integers of up to 16 bits";
    const uint32_t count = mesh.num_points();
    out->positions.resize(3 * static_cast<size_t>(count));
    for (uint32_t i = 0; i < count; i++)
        if (!take_position(*positions, positions->mapped_index(draco::PointIndex(i)),
                           &out->positions[3 * static_cast<size_t>(i)]))
            return "a vertex has no position";
    out->indices.reserve(3 * static_cast<size_t>(mesh.num_faces()));
    for (uint32_t i = 0; i < mesh.num_faces(); i++)
        for (int k = 0; k < 3; k++) {
            const uint32_t corner = mesh.face(draco::FaceIndex(i))[k].value();
            if (corner >= count)
                return "a triangle has a vertex that does not exist";
            out->indices.push_back(corner);
        }
    return "";
}

void send(import_sender *sender, const import_draco_stream &stream, const uint8_t *data)
{
    decoded mesh;
    std::string wrong;
    try {
        wrong = decode(stream, data, &mesh);
        if (wrong.empty() && mesh.indices.empty())
            wrong = "it has no triangles";
    } catch (const std::exception &e) { /* of sizes that are none; memory ends the process */
        wrong = e.what();
    }
    if (!wrong.empty())
        import_send_part_of_floats(sender, wrong.substr(0, 100).c_str(), nullptr, 0, nullptr, 0);
    else
        import_send_part_of_floats(sender, nullptr, mesh.positions.data(),
                                   mesh.positions.size() / 3, mesh.indices.data(),
                                   mesh.indices.size() / 3);
}

} // namespace

int main(int argc, char **argv)
{
    import_task task;
    import_sender *sender = import_send_start(argc, argv, &task);
    if (!sender) {
        fputs("usage: bvpack-draco FORMAT CHORD ANGLE THREADS DROP SPACES MEMORY SECONDS NAME "
              "3>ANSWER "
              "4<STREAMS\n"
              "started by bvpack to decode glTF models that are compressed with Draco\n",
              stderr);
        return STATUS_USAGE;
    }
    for (uint64_t at = 0; at < task.size;) {
        import_draco_stream stream;
        if (task.size - at < sizeof stream)
            import_send_failure(sender, BVP_ERR_CORRUPT, "a Draco stream is cut off");
        memcpy(&stream, task.data + at, sizeof stream);
        at += sizeof stream;
        if (stream.size > task.size - at)
            import_send_failure(sender, BVP_ERR_CORRUPT, "a Draco stream is cut off");
        send(sender, stream, task.data + at);
        at += stream.size;
        at += (IMPORT_DRACO_ALIGN - at % IMPORT_DRACO_ALIGN) % IMPORT_DRACO_ALIGN;
    }
    const import_end end = {};
    import_send_end(sender, &end, "Draco");
}
