/* SPDX-License-Identifier: MIT
 * bvpack-step.cc: reads a STEP or IGES model with OpenCASCADE, answers as import_protocol.h says.
 */
#include "step/step.h"
#include "step/step_memory.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <istream>
#include <map>
#include <new>
#include <streambuf>
#include <string>
#include <unistd.h>

#include <IGESCAFControl_Reader.hxx>
#include <IGESControl_Controller.hxx>
#include <Interface_Check.hxx>
#include <Interface_CheckIterator.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Interface_Static.hxx>
#include <OSD_ThreadPool.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <STEPControl_Controller.hxx>
#include <Standard_Failure.hxx>
#include <Standard_OutOfMemory.hxx>
#include <StepBasic_Product.hxx>
#include <StepBasic_ProductDefinition.hxx>
#include <StepBasic_ProductDefinitionFormation.hxx>
#include <TCollection_AsciiString.hxx>
#include <TCollection_HAsciiString.hxx>
#include <TDF_Tool.hxx>
#include <TransferBRep.hxx>
#include <Transfer_Binder.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

namespace
{

enum { STATUS_USAGE = 2 };

typedef std::map<std::string, step_product> product_map; /* by the label's entry */

/* ---- products -------------------------------------------------------------------------------- */

std::string entry_of(const TDF_Label &label)
{
    TCollection_AsciiString entry;
    TDF_Tool::Entry(label, entry);
    return entry.ToCString();
}

std::string text_of(const Handle(TCollection_HAsciiString) & text)
{
    return text.IsNull() ? std::string() : std::string(text->ToCString());
}

step_product product_of(const Handle(StepBasic_ProductDefinition) & definition)
{
    step_product out;
    const Handle(StepBasic_ProductDefinitionFormation) formation = definition->Formation();
    if (formation.IsNull())
        return out;
    out.revision = text_of(formation->Id());
    const Handle(StepBasic_Product) product = formation->OfProduct();
    if (product.IsNull())
        return out;
    out.part_number = text_of(product->Id());
    out.description = text_of(product->Description());
    return out;
}

/* The document keeps the products' names only: ids are looked up in the entities. */
void collect_products(const STEPCAFControl_Reader &reader, const Handle(XCAFDoc_ShapeTool) & shapes,
                      product_map *out)
{
    const Handle(XSControl_WorkSession) session = reader.Reader().WS();
    const Handle(Interface_InterfaceModel) entities = session->Model();
    const Handle(Transfer_TransientProcess) done = session->TransferReader()->TransientProcess();
    for (int i = 1; i <= entities->NbEntities(); i++) {
        const Handle(StepBasic_ProductDefinition) definition =
            Handle(StepBasic_ProductDefinition)::DownCast(entities->Value(i));
        if (definition.IsNull())
            continue;
        const Handle(Transfer_Binder) binder = done->Find(definition);
        if (binder.IsNull())
            continue;
        const TopoDS_Shape shape = TransferBRep::ShapeResult(binder);
        TDF_Label label;
        if (!shape.IsNull() && shapes->FindShape(shape, label))
            (*out)[entry_of(label)] = product_of(definition);
    }
}

const step_product *find_product(const void *user, const TDF_Label &label)
{
    const product_map *products = static_cast<const product_map *>(user);
    const auto found = products->find(entry_of(label));
    return found == products->end() ? nullptr : &found->second;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Entities that have been lost, each counted once. */
uint64_t failures_in(const Interface_CheckIterator &list)
{
    uint64_t count = 0;
    Interface_CheckIterator checks = list;
    for (checks.Start(); checks.More(); checks.Next())
        count += checks.Value()->HasFailed();
    return count;
}

void warn_of_losses(import_sender *sender, const Handle(XSControl_WorkSession) & session)
{
    import_send_warning(sender, failures_in(session->ModelCheckList()),
                        "entities of the file are faulty");
    import_send_warning(sender, failures_in(session->TransferReader()->LastCheckList()),
                        "entities of the file could not be turned into shapes");
}

/* Whatever it looks like: a lack of memory is to blame, if there was one. */
[[noreturn]] void refuse(import_sender *sender, const char *text)
{
    if (step_was_memory_short())
        import_send_failure(sender, BVP_ERR_NO_MEMORY, "out of memory while reading; split it");
    import_send_failure(sender, BVP_ERR_CORRUPT, text);
}

[[noreturn]] void refuse_unread(import_sender *sender, const char *format)
{
    const std::string text = std::string("OpenCASCADE can't read it as ") + format +
                             ": the file is damaged or something else; export it again";
    refuse(sender, text.c_str());
}

/* The model's bytes as a stream. */
struct bytes_buffer : std::streambuf {
    bytes_buffer(const uint8_t *data, size_t size)
    {
        char *begin = const_cast<char *>(reinterpret_cast<const char *>(data)); /* only read */
        setg(begin, begin, begin + size);
    }
};

void read_step(import_sender *sender, const import_task &task,
               const Handle(TDocStd_Document) & document, product_map *products)
{
    STEPCAFControl_Reader reader;
    Handle(TDocStd_Document) target = document;
    reader.SetColorMode(Standard_True);
    reader.SetLayerMode(Standard_False);
    reader.SetPropsMode(Standard_False);
    reader.SetGDTMode(Standard_False);
    reader.SetMatMode(Standard_False);
    reader.SetViewMode(Standard_False);
    bytes_buffer bytes(task.data, task.size);
    std::istream stream(&bytes);
    if (reader.ChangeReader().ReadStream(task.name, stream) != IFSelect_RetDone ||
        !reader.Transfer(target))
        refuse_unread(sender, "STEP");
    warn_of_losses(sender, reader.Reader().WS());
    collect_products(reader, XCAFDoc_DocumentTool::ShapeTool(document->Main()), products);
}

/* OpenCASCADE reads IGES from files only, by name; the empty name stands for standard input. */
void read_iges(import_sender *sender, const Handle(TDocStd_Document) & document)
{
    IGESCAFControl_Reader reader;
    Handle(TDocStd_Document) target = document;
    reader.SetColorMode(Standard_True);
    reader.SetLayerMode(Standard_False);
    if (reader.ReadFile("") != IFSelect_RetDone || !reader.Transfer(target))
        refuse_unread(sender, "IGES");
    warn_of_losses(sender, reader.WS());
}

/* ---- the program ----------------------------------------------------------------------------- */

[[noreturn]] void run(import_sender *sender, const import_task &task)
{
    const bool is_iges = strcmp(task.format, "iges") == 0;
    const step_settings settings = {task.chord, task.angle * M_PI / 180, task.thread_count,
                                    task.size};
    product_map products;
    Handle(TDocStd_Document) document;

    if (task.thread_count > 1)
        OSD_ThreadPool::DefaultPool()->Init(task.thread_count - 1);
    STEPControl_Controller::Init();
    IGESControl_Controller::Init();
    Interface_Static::SetCVal("xstep.cascade.unit", "MM");
    XCAFApp_Application::GetApplication()->NewDocument("MDTV-XCAF", document);
    if (is_iges)
        read_iges(sender, document);
    else
        read_step(sender, task, document, &products);
    const double tolerance = step_send_tree(sender, document, settings, find_product, &products);
    if (step_was_memory_short()) /* and something may be missing */
        throw std::bad_alloc();
    const import_end end = {0.001, tolerance, 3, 0, 0, 0};
    import_send_end(sender, &end, is_iges ? "IGES" : "STEP");
}

} // namespace

int main(int argc, char **argv)
{
    import_task task;
    /* for read_iges; later the process may not */
    const bool has_model = dup2(IMPORT_FILE_DESCRIPTOR, STDIN_FILENO) >= 0;
    import_sender *sender = has_model ? import_send_start(argc, argv, &task) : nullptr;
    if (!sender) {
        fprintf(stderr,
                "usage: bvpack-step step|iges CHORD ANGLE THREADS DROP SPACES MEMORY SECONDS NAME "
                "3>ANSWER 4<MODEL\n"
                "started by bvpack to read models with OpenCASCADE\n");
        return STATUS_USAGE;
    }
    try {
        run(sender, task);
    } catch (const Standard_OutOfMemory &) {
        import_send_failure(sender, BVP_ERR_NO_MEMORY, "out of memory while reading; split it");
    } catch (const std::bad_alloc &) {
        import_send_failure(sender, BVP_ERR_NO_MEMORY, "out of memory while reading; split it");
    } catch (const Standard_Failure &failure) {
        const std::string text = std::string("OpenCASCADE gave up on it (") +
                                 failure.DynamicType()->Name() +
                                 "); export the model again or in another format";
        refuse(sender, text.c_str());
    }
}
