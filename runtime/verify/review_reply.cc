#include "runtime/verify/review_reply.h"

#include <functional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"
#include "runtime/base/text.h"
#include "runtime/model/relaxed_json.h"

namespace stile {
namespace {

constexpr size_t kMaxItems = 200;          // of each kind in one reply
constexpr size_t kMaxFieldBytes = 16'384;  // the rest of a longer text is cut
constexpr size_t kMaxSummaryBytes = 500;
constexpr size_t kMaxWordsBytes = 4000;  // of descriptions and reasons
constexpr size_t kMaxReplyBytes = size_t{2} << 20;
constexpr size_t kMaxDefects = 10;  // that are told
constexpr int kMaxObjects = 20;     // places at which the JSON may begin

std::string Cut(absl::string_view text, size_t max_bytes = kMaxFieldBytes) {
  return text.size() <= max_bytes ? std::string(text) : TruncateMiddle(text, max_bytes);
}

// Collects what is wrong with a reply.
class Defects {
 public:
  void Add(std::string text) {
    if (texts_.size() < kMaxDefects) texts_.push_back(std::move(text));
    ++count_;
  }
  absl::Status status() const {
    if (count_ == 0) return absl::OkStatus();
    std::string text = absl::StrJoin(texts_, "\n");
    if (count_ > texts_.size()) absl::StrAppend(&text, "\nand ", count_ - texts_.size(), " more");
    return absl::InvalidArgumentError(text);
  }

 private:
  std::vector<std::string> texts_;
  size_t count_ = 0;
};

// Reads the members of one object of the reply.
class ItemReader {
 public:
  ItemReader(const Json& item, std::string where, Defects* defects)
      : item_(item), where_(std::move(where)), defects_(*defects) {}

  std::string Text(const char* key, bool is_required, size_t max_bytes = kMaxWordsBytes) {
    const auto text = JsonString(item_, key);
    if (text.has_value() && !absl::StripAsciiWhitespace(*text).empty()) {
      return Cut(absl::StripAsciiWhitespace(*text), max_bytes);
    }
    if (is_required) Wrong(key, "has to be a text");
    return "";
  }

  template <typename Enum>
  Enum Name(const char* key, std::optional<Enum> (*read)(absl::string_view), const char* names) {
    const auto found = read(absl::StripAsciiWhitespace(JsonString(item_, key).value_or("")));
    if (!found.has_value()) Wrong(key, absl::StrCat("has to be one of ", names));
    return found.value_or(Enum());
  }

  IssuePlace Place(const char* key) {
    auto place = ParseIssuePlace(JsonString(item_, key).value_or(""));
    if (!place.ok()) Wrong(key, "has to be FILE:LINE or FILE:LINE-LINE");
    return place.ok() ? *std::move(place) : IssuePlace();
  }

  void Wrong(const char* key, absl::string_view why) {
    defects_.Add(absl::StrCat(where_, ".", key, " ", why));
  }

 private:
  const Json& item_;
  const std::string where_;
  Defects& defects_;
};

constexpr char kCategories[] = "SECURITY, CORRECTNESS, RELIABILITY, MAINTAINABILITY, PERFORMANCE";
constexpr char kSeverities[] = "CRITICAL, HIGH, MEDIUM, LOW";
constexpr char kVerdicts[] = "VALID, INVALID, PARTIAL";

// The objects of the array `key`, at most kMaxItems; a missing or null member has none.
void ForEach(const Json& reply, const char* key, Defects* defects,
             const std::function<void(const Json& item, ItemReader* reader)>& read) {
  const Json* const list = JsonMember(reply, key);
  if (list == nullptr || list->is_null()) return;
  if (!list->is_array()) return defects->Add(absl::StrCat(key, " has to be an array"));
  if (list->size() > kMaxItems) {
    return defects->Add(
        absl::StrCat(key, " has ", list->size(), " items; ", kMaxItems, " are taken at most"));
  }
  for (size_t i = 0; i < list->size(); ++i) {
    const std::string where = absl::StrCat(key, "[", i, "]");
    const Json& item = (*list)[i];
    if (!item.is_object()) {
      defects->Add(absl::StrCat(where, " has to be an object"));
      continue;
    }
    ItemReader reader(item, where, defects);
    read(item, &reader);
  }
}

std::vector<std::string> Texts(const Json& object, const char* key, Defects* defects) {
  std::vector<std::string> texts;
  const Json* const list = JsonMember(object, key);
  if (list == nullptr || list->is_null()) return texts;
  if (!list->is_array() || list->size() > kMaxItems) {
    defects->Add(absl::StrCat(key, " has to be an array of at most ", kMaxItems, " texts"));
    return texts;
  }
  for (const Json& item : *list) {
    if (item.is_string()) texts.push_back(Cut(item.get<std::string>()));
  }
  return texts;
}

NamedIssue ReadIssue(ItemReader* reader) {
  NamedIssue issue;
  issue.id = reader->Text("id", /*is_required=*/false);
  issue.category = reader->Name("category", IssueCategoryFromName, kCategories);
  issue.severity = reader->Name("severity", IssueSeverityFromName, kSeverities);
  issue.summary = reader->Text("summary", /*is_required=*/true, kMaxSummaryBytes);
  issue.place = reader->Place("location");
  issue.description = reader->Text("description", /*is_required=*/false);
  issue.evidence = reader->Text("evidence", /*is_required=*/true, kMaxFieldBytes);
  issue.split_from = reader->Text("splitFrom", /*is_required=*/false);
  return issue;
}

void ReadVerdicts(const Json& json, ReviewReply* reply, Defects* defects) {
  ForEach(json, "verdicts", defects, [&](const Json& item, ItemReader* reader) {
    CriticJudgement verdict;
    verdict.issue_id = reader->Text("issueId", /*is_required=*/true);
    verdict.verdict = reader->Name("verdict", CriticVerdictFromName, kVerdicts);
    verdict.reasoning = reader->Text("reasoning", /*is_required=*/true);
    verdict.merge_into = reader->Text("mergeInto", /*is_required=*/false);
    if (item.contains("severity") && !item["severity"].is_null()) {
      verdict.severity = reader->Name("severity", IssueSeverityFromName, kSeverities);
    }
    reply->verdicts.push_back(std::move(verdict));
  });
}

void ReadExamined(const Json& json, ReviewReply* reply, Defects* defects) {
  ForEach(json, "examined", defects, [&](const Json& item, ItemReader* reader) {
    Examined examined;
    examined.category = reader->Name("category", IssueCategoryFromName, kCategories);
    examined.files = Texts(item, "files", defects);
    examined.notes = reader->Text("notes", /*is_required=*/false);
    reply->examined.push_back(std::move(examined));
  });
  ForEach(json, "withdrawn", defects, [&](const Json&, ItemReader* reader) {
    Withdrawal withdrawal;
    withdrawal.issue_id = reader->Text("issueId", /*is_required=*/true);
    withdrawal.reasoning = reader->Text("reasoning", /*is_required=*/true);
    reply->withdrawn.push_back(std::move(withdrawal));
  });
}

absl::StatusOr<ReviewReply> ReadJsonReply(ReviewRole role, const Json& json) {
  ReviewReply reply;
  Defects defects;
  const bool is_verifier = role == ReviewRole::kVerifier;
  ForEach(json, is_verifier ? "issues" : "newIssues", &defects,
          [&](const Json&, ItemReader* reader) { reply.issues.push_back(ReadIssue(reader)); });
  if (is_verifier) {
    ReadExamined(json, &reply, &defects);
  } else {
    ReadVerdicts(json, &reply, &defects);
  }
  reply.needs = Texts(json, "needs", &defects);
  if (const absl::Status status = defects.status(); !status.ok()) return status;
  return reply;
}

// A reply without the list that it is for is none: under another name, its issues would be lost.
bool IsReply(ReviewRole role, const Json& json) {
  const Json* const list = JsonMember(json, role == ReviewRole::kVerifier ? "issues" : "verdicts");
  return list != nullptr && list->is_array();
}

// The object of a reply, alone or among words; null: there is none.
Json FindJson(ReviewRole role, absl::string_view text) {
  size_t begin = text.find('{');
  for (int tries = 0; tries < kMaxObjects && begin != absl::string_view::npos; ++tries) {
    auto found = ParseRelaxedJson(text.substr(begin));
    if (found.has_value() && IsReply(role, found->value)) return std::move(found->value);
    begin = text.find('{', found.has_value() ? begin + found->end : begin + 1);
  }
  return nullptr;
}

// ---- Headed paragraphs

// A line without the marks of Markdown around it.
absl::string_view Bare(absl::string_view line) {
  const auto is_mark = [](char c) { return absl::StrContains("#*-_>` \t\r", c); };
  while (!line.empty() && is_mark(line.front())) line.remove_prefix(1);
  while (!line.empty() && absl::StrContains("*_` \t\r", line.back())) line.remove_suffix(1);
  return line;
}

// One paragraph: its id, what stands behind that, and its lines "Key: value" as an object with the
// members of the JSON form.
struct Paragraph {
  Json item = Json::object();
  std::string heading;  // behind the id
};

const char* MemberFor(absl::string_view key) {
  static constexpr std::pair<absl::string_view, const char*> kMembers[] = {
      {"category", "category"},       {"severity", "severity"},   {"summary", "summary"},
      {"title", "summary"},           {"location", "location"},   {"file", "location"},
      {"description", "description"}, {"evidence", "evidence"},   {"code", "evidence"},
      {"verdict", "verdict"},         {"reasoning", "reasoning"}, {"reason", "reasoning"},
      {"merge into", "mergeInto"},    {"split from", "splitFrom"}};
  for (const auto& [name, member] : kMembers) {
    if (absl::EqualsIgnoreCase(name, key)) return member;
  }
  return nullptr;
}

class ParagraphReader {
 public:
  // `lists`: gets "examined" and "needs".
  ParagraphReader(std::vector<Paragraph>* paragraphs, Json* lists)
      : paragraphs_(*paragraphs), lists_(*lists) {}

  void Read(absl::string_view text) {
    for (const absl::string_view line : SplitLines(text)) ReadLine(line);
  }

 private:
  void ReadLine(absl::string_view line) {
    static const auto* heading = new RE2(R"(^((?:SEC|COR|REL|MNT|PRF)-\d+)\b[\s:*`\])-]*(.*)$)");
    static const auto* keyed = new RE2(R"(^([A-Za-z][A-Za-z ]{2,15}?)\**\s*:\**\s*(.*)$)");
    const std::string bare(Bare(line));
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "```")) {
      in_fence_ = !in_fence_;
      return;
    }
    std::string first;
    std::string rest;
    if (!in_fence_ && RE2::FullMatch(bare, *heading, &first, &rest)) {
      paragraphs_.push_back({{{"id", first}, {"issueId", first}}, std::string(Bare(rest))});
      member_ = nullptr;
    } else if (!in_fence_ && RE2::FullMatch(bare, *keyed, &first, &rest)) {
      ReadKey(absl::StripAsciiWhitespace(first), std::string(Bare(rest)), line);
    } else {
      Continue(line);
    }
  }

  void ReadKey(absl::string_view key, std::string value, absl::string_view line) {
    if (absl::EqualsIgnoreCase(key, "examined")) return ReadExamined(value);
    if (absl::EqualsIgnoreCase(key, "needs")) {
      for (const absl::string_view file : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
        lists_["needs"].push_back(std::string(Bare(file)));
      }
      return;
    }
    const char* const member = MemberFor(key);
    if (member == nullptr || paragraphs_.empty()) return Continue(line);
    member_ = member;
    paragraphs_.back().item[member] = std::move(value);
  }

  // "SECURITY: a.py, b.py"
  void ReadExamined(const std::string& value) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(value, absl::MaxSplits(':', 1));
    Json files = Json::array();
    for (const absl::string_view file : absl::StrSplit(parts.second, ',', absl::SkipWhitespace())) {
      files.push_back(std::string(Bare(file)));
    }
    lists_["examined"].push_back(
        {{"category", std::string(Bare(parts.first))}, {"files", std::move(files)}});
  }

  void Continue(absl::string_view line) {
    if (member_ == nullptr || paragraphs_.empty()) return;
    auto& text = paragraphs_.back().item[member_].get_ref<std::string&>();
    if (text.size() > kMaxFieldBytes) return;
    absl::StrAppend(&text, text.empty() ? "" : "\n", line);
  }

  std::vector<Paragraph>& paragraphs_;
  Json& lists_;
  const char* member_ = nullptr;  // that the next line goes on with
  bool in_fence_ = false;
};

// What may stand behind an id: "[HIGH] Summary", "INVALID - the reason".
void UseHeading(Paragraph* paragraph) {
  static const auto* word = new RE2(R"(^[\[(]?([A-Za-z]+)[\])]?[\s:*`-]*(.*)$)");
  std::string first;
  std::string rest;
  Json& item = paragraph->item;
  if (!RE2::FullMatch(paragraph->heading, *word, &first, &rest)) rest = paragraph->heading;
  if (CriticVerdictFromName(first).has_value()) {
    item.emplace("verdict", first);
    item.emplace("reasoning", rest);
  } else if (IssueSeverityFromName(first).has_value()) {
    item.emplace("severity", first);
    item.emplace("summary", rest);
  } else {
    item.emplace("summary", paragraph->heading);
  }
  const std::string id = item["id"].get<std::string>();
  for (const IssueCategory category : kIssueCategories) {
    if (absl::StartsWith(id, IdPrefix(category))) {
      item.emplace("category", std::string(IssueCategoryName(category)));
    }
  }
}

// The JSON form of a reply in headed paragraphs.
Json JsonOfText(ReviewRole role, absl::string_view text) {
  std::vector<Paragraph> paragraphs;
  Json json = Json::object();
  ParagraphReader(&paragraphs, &json).Read(text);
  if (json.contains("examined")) json["issues"] = Json::array();
  for (Paragraph& paragraph : paragraphs) {
    UseHeading(&paragraph);
    const bool is_verdict = role == ReviewRole::kCritic && paragraph.item.contains("verdict");
    const char* const list = is_verdict                    ? "verdicts"
                             : role == ReviewRole::kCritic ? "newIssues"
                                                           : "issues";
    if (is_verdict) paragraph.item.erase("severity");
    json[list].push_back(std::move(paragraph.item));
  }
  return json;
}

}  // namespace

absl::StatusOr<ReviewReply> ParseReviewReply(ReviewRole role, absl::string_view text) {
  if (text.size() > kMaxReplyBytes) {
    return absl::InvalidArgumentError("the reply has more than 2 MB; name fewer issues");
  }
  Json json = FindJson(role, text);
  if (json.is_null()) json = JsonOfText(role, text);
  if (IsReply(role, json)) return ReadJsonReply(role, json);
  return absl::InvalidArgumentError(role == ReviewRole::kVerifier
                                        ? "there is no JSON object with the array issues"
                                        : "there is no JSON object with the array verdicts");
}

}  // namespace stile
