#include "tools/search/line_matcher.h"

#include "re2/re2.h"

namespace stile {
namespace {

re2::StringPiece Piece(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace

LineMatcher::LineMatcher(absl::string_view pattern, bool case_sensitive, bool literal)
    : literal_(literal) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(case_sensitive);
  options.set_literal(literal);
  options.set_never_capture(true);
  options.set_max_mem(64 << 20);
  regex_ = std::make_unique<RE2>(Piece(pattern), options);
  has_operators_ = RE2::QuoteMeta(Piece(pattern)) != std::string(pattern);
  if (!regex_->ok()) {
    problem_ = regex_->error();
    literal_ = true;
    options.set_literal(true);
    regex_ = std::make_unique<RE2>(Piece(pattern), options);
  }
}

LineMatcher::~LineMatcher() = default;

bool LineMatcher::Find(absl::string_view line, size_t* start, size_t* length) const {
  re2::StringPiece match;
  if (!regex_->ok() || !regex_->Match(Piece(line), 0, line.size(), RE2::UNANCHORED, &match, 1)) {
    return false;
  }
  *start = static_cast<size_t>(match.data() - line.data());
  *length = match.size();
  return true;
}

}  // namespace stile
