#include "tools/codegen/generate.h"

#include "absl/strings/str_cat.h"
#include "runtime/base/status.h"
#include "tools/codegen/code_site.h"

namespace stile {
namespace {

using Planner = absl::StatusOr<Generated> (*)(const GenerateContext&, const GenerateRequest&);

struct Operation {
  const char* name;
  Planner plan;
};

constexpr Operation kOperations[] = {
    {"create_type", PlanType},  {"method", PlanMethod},
    {"property", PlanProperty}, {"constructor", PlanConstructor},
    {"tests", PlanTests},       {"implement_interface", PlanImplementInterface},
};

}  // namespace

absl::StatusOr<Generated> PlanGenerate(const GenerateContext& context,
                                       const GenerateRequest& request) {
  for (const Operation& operation : kOperations) {
    if (request.operation != operation.name) continue;
    std::string path = request.file;
    if (path.empty() && request.operation == "create_type") {
      return absl::InvalidArgumentError(
          "create_type needs targetFile: a new file, or one that gets the type");
    }
    if (path.empty() && !request.class_name.empty()) {
      STILE_ASSIGN_OR_RETURN(const TypeSite site, FindTypeNamed(context, request.class_name, ""));
      path = site.site.file->path;
    }
    if (path.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("code.generate ", request.operation, " needs targetFile or className"));
    }
    const Language* language = context.languages->OfFile(path);
    const CodeTemplate* code = FindCodeTemplate(path);
    if (code != nullptr && (language == nullptr || FindLanguageFamily(language->id) == nullptr)) {
      return PlanFromTemplate(context, *code, request);
    }
    if (language == nullptr) {
      return absl::UnimplementedError(absl::StrCat("code.generate does not know the language of ",
                                                   path, "; use file.write or file.modify"));
    }
    const LanguageFamily* family = FindLanguageFamily(language->id);
    if (family == nullptr || !family->Supports(request.operation)) {
      return NotAvailable(request.operation, language->name);
    }
    return operation.plan(context, request);
  }
  return absl::InvalidArgumentError(absl::StrCat("no operation '", request.operation, "'"));
}

}  // namespace stile
