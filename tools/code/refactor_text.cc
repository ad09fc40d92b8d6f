#include "tools/code/refactor_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/base/text.h"
#include "runtime/tool/output_spill.h"
#include "runtime/tool/path_text.h"
#include "runtime/tool/schema_builder.h"
#include "tools/code/code_text.h"
#include "tools/report/edit_syntax.h"

namespace stile {
namespace {

constexpr size_t kMaxDiffBytes = 6000;  // of what the model reads; the whole is in a file
constexpr size_t kMaxListed = 20;

Json PlaceJson(const RenameCandidate& candidate) {
  const TextPlace place = candidate.file->PlaceOf(candidate.occurrence.begin);
  Json json = {{"line", place.line},
               {"column", place.column},
               {"text", ShownLine(*candidate.file, place.line)}};
  SetPath(&json, "file", candidate.file->path);
  return json;
}

}  // namespace

std::string PlaceText(const RenameCandidate& candidate) {
  const TextPlace place = candidate.file->PlaceOf(candidate.occurrence.begin);
  return absl::StrCat(DisplayPath(candidate.file->path), ":", place.line, ":", place.column, ": ",
                      ShownLine(*candidate.file, place.line), "\n");
}

Json ResultJson(bool applied, const EditPlan& plan, const std::vector<RenameCandidate>& uncertain) {
  Json files = Json::array();
  for (const auto& [path, file] : plan.files()) {
    Json entry = {{"edits", file.edits.size()}};
    SetPath(&entry, "path", file.NewPath());
    if (file.moved_to.has_value()) entry["movedFrom"] = ToUtf8(file.path);
    if (file.deleted) entry["deleted"] = true;
    files.push_back(std::move(entry));
  }
  Json open = Json::array();
  Json left = Json::array();
  for (const RenameCandidate& candidate : uncertain) {
    open.push_back(PlaceJson(candidate));
    if (left.size() < kMaxListed) left.push_back(open.back());
  }
  return {{"applied", applied},
          {"files", std::move(files)},
          {"blastRadius",
           {{"references", plan.CountEdits()},
            {"files", plan.files().size()},
            {"uncertain", std::move(open)}}},
          {"left", {{"count", uncertain.size()}, {"places", std::move(left)}}},
          {"diff", plan.Diff()}};
}

Json ResultSchema() {
  const Json file = ObjectSchema({Required("path", "string"), Optional("pathBase64", "string"),
                                  Required("edits", "integer"), Optional("movedFrom", "string"),
                                  Optional("deleted", "boolean")});
  const Json place = ObjectSchema({Required("file", "string"), Optional("fileBase64", "string"),
                                   Required("line", "integer"), Required("column", "integer"),
                                   Required("text", "string")});
  const Json radius =
      ObjectSchema({Required("references", "integer"),
                    Required("files", "integer"),
                    {"uncertain", ArraySchema(place, "may mean the symbol; left alone"), true}});
  const Json left = ObjectSchema(
      {Required("count", "integer"), {"places", ArraySchema(place, "the first of them"), true}});
  const Json error = ObjectSchema({Required("file", "string"), Optional("fileBase64", "string"),
                                   Required("line", "integer"), Required("column", "integer"),
                                   Required("message", "string")});
  const Json validation = ObjectSchema(
      {Required("judged", "boolean"),
       Required("rounds", "integer"),
       Optional("message", "string", "why it is not judged"),
       Optional("unchecked", "string", "what of a rename nobody could check"),
       {"examples",
        ObjectSchema({Required("judged", "boolean"),
                      Optional("message", "string", "why they were not compiled"),
                      {"errors", ArraySchema({{"type", "object"}}, "of the compiler"), true}}),
        false},
       {"unanswered",
        ArraySchema({{"type", "string"}},
                    "projects that build none of the changed files and gave no answer"),
        false},
       {"unread", ArraySchema({{"type", "string"}}, "changed files that the compiler did not read"),
        false}});
  const Json related = ObjectSchema(
      {Required("file", "string"), Optional("fileBase64", "string"), Optional("symbol", "string"),
       Optional("line", "integer"), Required("newName", "string"),
       Optional("isTaken", "boolean", "something has newName already"),
       Optional("result", "string", "what came of its own rename")});
  return ObjectSchema(
      {Required("applied", "boolean"),
       {"files", ArraySchema(file), true},
       {"blastRadius", radius, true},
       {"left", left, true},
       {"mentions", left, false},
       {"otherUses", left, false},
       {"documents", left, false},
       {"related", ArraySchema(related), false},
       {"kept", ArraySchema({{"type", "string"}}, "imports that stay, with why"), false},
       Required("diff", "string"),
       Optional("resolvedBy", "string",
                "who told what the name means: syntax, or "
                "a program with its version"),
       {"validation", validation, false},
       {"syntaxErrors", ArraySchema(error), false}});
}

std::string Judgement(bool judged, const std::string& why) {
  return judged ? "It builds as before.\n"
                : absl::StrCat("No compiler has judged it: ", why, ".\n");
}

std::string Judgement(bool judged, const std::string& why, const EditPlan& plan,
                      const std::vector<std::string>& unread, const LanguageRegistry& languages) {
  const auto code = std::count_if(plan.files().begin(), plan.files().end(), [&](const auto& entry) {
    return !entry.second.deleted && languages.OfFile(entry.second.NewPath()) != nullptr;
  });
  const bool is_unread = !unread.empty() && static_cast<size_t>(code) == unread.size();
  return judged && is_unread ? "The build passes as before, and reads none of the changed files.\n"
                             : Judgement(judged, why);
}

void AppendErrors(const std::vector<Diagnostic>& errors, std::string* text) {
  for (size_t i = 0; i < errors.size() && i < kMaxListed; ++i) {
    absl::StrAppend(text, ToUtf8(FormatDiagnostic(errors[i])), "\n");
  }
  if (errors.size() > kMaxListed) {
    absl::StrAppend(text, "[", errors.size() - kMaxListed, " more]\n");
  }
}

void NoteUnanswered(const std::vector<std::string>& unanswered, std::string* text, Json* data) {
  for (const std::string& why : unanswered) {
    absl::StrAppend(text, "No answer from a project that builds none of the changed files: ", why,
                    "\n");
    (*data)["validation"]["unanswered"].push_back(why);
  }
}

void NoteUnread(const std::vector<std::string>& unread, std::string* text, Json* data) {
  if (unread.empty()) return;
  absl::StrAppend(text, "The compiler did not read ", Count(unread.size(), "changed file"), ":");
  for (size_t i = 0; i < unread.size() && i < kMaxListed; ++i) {
    absl::StrAppend(text, i == 0 ? " " : ", ", DisplayPath(unread[i]));
  }
  absl::StrAppend(text, unread.size() > kMaxListed ? ", …" : "", ". Run the tests.\n");
  for (const std::string& path : unread) (*data)["validation"]["unread"].push_back(ToUtf8(path));
}

std::string NoteSyntax(const LanguageRegistry& languages, const EditPlan& plan, Json* data) {
  std::string text;
  Json errors = Json::array();
  for (const auto& [path, file] : plan.files()) {
    if (file.deleted) continue;
    EditSyntax syntax = CheckEdit(languages, path, file.before.value_or(""), file.After());
    text += syntax.text;
    for (Json& error : syntax.errors) {
      SetPath(&error, "file", file.NewPath());
      errors.push_back(std::move(error));
    }
  }
  (*data)["syntaxErrors"] = std::move(errors);
  return text;
}

std::string Uses(const std::vector<Reference>& references) {
  std::string text;
  for (size_t i = 0; i < references.size() && i < kMaxListed; ++i) {
    const Reference& use = references[i];
    const TextPlace place = use.file->PlaceOf(use.occurrence.begin);
    absl::StrAppend(&text, DisplayPath(use.file->path), ":", place.line, ":", place.column, ": ",
                    ShownLine(*use.file, place.line), "\n");
  }
  if (references.size() > kMaxListed) {
    absl::StrAppend(&text, "[", references.size() - kMaxListed, " more]\n");
  }
  return text;
}

std::string Size(const EditPlan& plan) {
  return absl::StrCat(Count(plan.CountEdits(), "place"), " in ",
                      Count(plan.files().size(), "file"));
}

std::string ShownDiff(const EditPlan& plan, const ToolContext& context) {
  return ShortenWithFile(context.file_system, context.output_dir, "refactor", plan.Diff(),
                         kMaxDiffBytes);
}

void NoteRelated(const std::vector<RelatedName>& related, std::string* text, Json* data) {
  Json list = Json::array();
  if (!related.empty()) absl::StrAppend(text, "Named after it, and unchanged:\n");
  for (const RelatedName& name : related) {
    if (list.size() == kMaxListed) {
      absl::StrAppend(text, "[", related.size() - kMaxListed, " more]\n");
      break;
    }
    Json entry = {{"newName", ToUtf8(name.new_name)}};
    SetPath(&entry, "file", name.file);
    if (name.is_taken) entry["isTaken"] = true;
    if (!name.symbol.empty()) {
      entry["symbol"] = name.symbol;
      entry["line"] = name.line;
    }
    list.push_back(std::move(entry));
    absl::StrAppend(text,
                    name.symbol.empty() ? DisplayPath(name.file)
                                        : absl::StrCat(name.symbol, " (", DisplayPath(name.file),
                                                       ":", name.line, ")"),
                    name.is_taken ? ", but there is a " : ", could become ",
                    DisplayPath(name.new_name), name.is_taken ? " already\n" : "\n");
  }
  (*data)["related"] = std::move(list);
}

void NoteExamples(const ExampleOutcome& examples, std::string* text, Json* data) {
  if (!examples.has_any || (!examples.judged && examples.unjudged.empty())) return;
  Json entry = {{"judged", examples.judged}, {"errors", Json::array()}};
  if (!examples.judged) {
    absl::StrAppend(text, "Documentation tests that name it were not compiled: ", examples.unjudged,
                    ".\n");
    entry["message"] = examples.unjudged;
  } else if (examples.errors.empty()) {
    absl::StrAppend(text, examples.known_errors == 0
                              ? "Documentation tests that name it compile.\n"
                              : "Documentation tests that name it have no new errors.\n");
  } else {
    absl::StrAppend(text, "Documentation tests have new errors:\n");
    AppendErrors(examples.errors, text);
    for (const Diagnostic& error : examples.errors) {
      if (entry["errors"].size() < kMaxListed) entry["errors"].push_back(ToJson(error));
    }
  }
  (*data)["validation"]["examples"] = std::move(entry);
}

void NoteOtherUses(const std::vector<ValueUse>& uses, std::string* text, Json* data) {
  if (uses.empty()) return;
  absl::StrAppend(text, "The compiler asked for the new name of keys. Their values also go to ",
                  Count(uses.size(), "other place"), ", where code may read the old name:\n");
  Json places = Json::array();
  for (const ValueUse& use : uses) {
    if (places.size() == kMaxListed) break;
    const TextPlace place = use.file->PlaceOf(use.begin);
    const std::string shown = ShownLine(*use.file, place.line);
    absl::StrAppend(text, DisplayPath(use.file->path), ":", place.line, ":", place.column, ": ",
                    shown, "\n");
    places.push_back({{"line", place.line}, {"column", place.column}, {"text", shown}});
    SetPath(&places.back(), "file", use.file->path);
  }
  if (uses.size() > kMaxListed) absl::StrAppend(text, "[", uses.size() - kMaxListed, " more]\n");
  (*data)["otherUses"] = {{"count", uses.size()}, {"places", std::move(places)}};
}

void NoteMentions(const std::vector<TextMention>& mentions, bool examples_compile,
                  std::string* text, Json* data) {
  Json places = Json::array();
  std::string lines;
  size_t listed = 0;
  std::string last;  // line of the listed ones; each is shown once
  for (const TextMention& mention : mentions) {
    const TextPlace place = mention.file->PlaceOf(mention.begin);
    const std::string shown = ShownLine(*mention.file, place.line);
    if (places.size() < kMaxListed) {
      places.push_back({{"line", place.line}, {"column", place.column}, {"text", shown}});
      SetPath(&places.back(), "file", mention.file->path);
    }
    const bool is_listed = mention.is_quoted || (mention.is_example && !examples_compile);
    if (!is_listed) continue;
    const std::string line = absl::StrCat(DisplayPath(mention.file->path), ":", place.line, ":");
    if (line == last) continue;
    last = line;
    if (++listed > kMaxListed) continue;
    absl::StrAppend(&lines, line, place.column, ": ", shown, "\n");
  }
  (*data)["mentions"] = {{"count", mentions.size()}, {"places", std::move(places)}};
  if (mentions.empty()) return;
  absl::StrAppend(text, Count(mentions.size(), "mention"),
                  " in comments, strings and macros of these files stayed as ",
                  mentions.size() == 1 ? "it is" : "they are",
                  listed > 0 ? "; of them, these may be looked up or run:\n" : ".\n", lines);
  if (listed > kMaxListed) absl::StrAppend(text, "[", listed - kMaxListed, " more]\n");
}

void NoteDocuments(const TextLookup& documents, std::string* text, Json* data) {
  Json places = Json::array();
  std::string lines;
  for (const TextHit& hit : documents.hits) {
    places.push_back({{"line", hit.line}, {"column", hit.column}, {"text", hit.text}});
    SetPath(&places.back(), "file", hit.path);
    absl::StrAppend(&lines, DisplayPath(hit.path), ":", hit.line, ":", hit.column, ": ", hit.text,
                    "\n");
  }
  (*data)["documents"] = {{"count", documents.total}, {"places", std::move(places)}};
  if (documents.total == 0) return;
  absl::StrAppend(text, Count(documents.total, "line"), " in files that are not code ",
                  documents.total == 1 ? "names the symbol and is unchanged:\n"
                                       : "name the symbol and are unchanged:\n",
                  lines);
  if (documents.total > documents.hits.size()) {
    absl::StrAppend(text, "[", documents.total - documents.hits.size(), " more]\n");
  }
}

void AppendUncertain(const std::vector<RenameCandidate>& uncertain, std::string* text) {
  if (uncertain.empty()) return;
  absl::StrAppend(text, Count(uncertain.size(), "place"),
                  " left, not judged: the name may mean the symbol there. Change what does:\n");
  for (size_t i = 0; i < uncertain.size() && i < kMaxListed; ++i) {
    absl::StrAppend(text, PlaceText(uncertain[i]));
  }
  if (uncertain.size() > kMaxListed) {
    absl::StrAppend(text, "[", uncertain.size() - kMaxListed, " more]\n");
  }
}

}  // namespace stile
