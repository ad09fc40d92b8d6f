// What a story's steps tell those after them.
#ifndef STILE_RUNTIME_STORY_STORY_CONTEXT_H_
#define STILE_RUNTIME_STORY_STORY_CONTEXT_H_

#include <cstddef>
#include <deque>
#include <string>

#include "runtime/story/story.h"

namespace stile {

// What the steps so far did, for the next one. When it becomes too much, the oldest go first.
class StoryContext {
 public:
  void Add(size_t number, const std::string& name, const std::string& answer);
  std::string Text() const;  // "" if nothing was done

  // For step `own` of the steps [first, end) (indices), which run beside each other: what was done
  // before, and what is being done beside it.
  std::string TextBeside(const Story& story, size_t first, size_t end, size_t own) const;

 private:
  std::deque<std::string> entries_;
  size_t bytes_ = 0;
  size_t left_out_ = 0;
};

}  // namespace stile

#endif  // STILE_RUNTIME_STORY_STORY_CONTEXT_H_
