// What a model says of its request, as events.
#ifndef STILE_RUNTIME_AGENT_LOOP_MODEL_EVENTS_H_
#define STILE_RUNTIME_AGENT_LOOP_MODEL_EVENTS_H_

#include <functional>
#include <utility>

#include "runtime/base/text.h"
#include "runtime/event/loop_events.h"
#include "runtime/model/chat_model.h"

namespace stile {

// Emits model_delta and model_notice for one request.
class ModelEvents : public ReplyListener {
 public:
  using Emitter = std::function<void(EventType, Json)>;
  // `turn`: the number of the request.
  ModelEvents(int turn, Emitter emit) : turn_(turn), emit_(std::move(emit)) {}

  void OnText(absl::string_view piece) override {
    has_text_ = true;
    Emit(ModelDeltaEvent{ToUtf8(piece)});
  }
  void OnNotice(const ModelNotice& notice) override {
    // After every notice the reply begins anew.
    Emit(ModelNoticeEvent{turn_, std::string(ModelNoticeKindName(notice.kind)), ToUtf8(notice.text),
                          absl::ToInt64Milliseconds(notice.wait), std::exchange(has_text_, false)});
  }

 private:
  template <EventRecord T>
  void Emit(const T& record) {
    emit_(T::kEventType, FieldsOf(record));
  }

  const int turn_;
  const Emitter emit_;
  bool has_text_ = false;  // since the last notice
};

}  // namespace stile

#endif  // STILE_RUNTIME_AGENT_LOOP_MODEL_EVENTS_H_
