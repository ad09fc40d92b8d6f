// Writes the members of a struct as fields of an event, and reads them back. Each struct lists its
// members once, with STILE_EVENT_FIELDS or a function VisitFields.
#ifndef STILE_RUNTIME_EVENT_EVENT_FIELDS_H_
#define STILE_RUNTIME_EVENT_EVENT_FIELDS_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/json.h"
#include "runtime/event/event.h"

// The type of the event, and its fields, which are named as the members are:
//
//   struct TurnStartedEvent {
//     int turn = 0;
//     STILE_EVENT_FIELDS(kTurnStarted, turn)
//   };
//
// Goes through the list with the macros that nlohmann/json has for NLOHMANN_DEFINE_TYPE_INTRUSIVE.
#define STILE_EVENT_FIELDS(type, ...)                                               \
  static constexpr EventType kEventType = EventType::type;                          \
  template <typename Self, typename Visitor>                                        \
  static void VisitFields(Self& self, Visitor& visit) {                             \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(STILE_VISIT_EVENT_FIELD, __VA_ARGS__)) \
  }
#define STILE_VISIT_EVENT_FIELD(field) visit(#field, self.field);

namespace stile {

// Optional members without a value are left out.
class FieldWriter {
 public:
  template <typename T>
  void operator()(const char* name, const T& value) {
    fields_[name] = value;
  }
  template <typename T>
  void operator()(const char* name, const std::optional<T>& value) {
    if (value.has_value()) fields_[name] = *value;
  }
  Json Take() { return std::move(fields_); }

 private:
  Json fields_ = Json::object();
};

// Members whose field is missing, or has another type, keep the value they have.
class FieldReader {
 public:
  // Not owned.
  explicit FieldReader(const Json& fields) : fields_(fields) {}

  void operator()(const char* name, std::string& value) {
    if (auto text = JsonString(fields_, name)) value = *std::move(text);
  }
  void operator()(const char* name, bool& value) {
    value = JsonBool(fields_, name).value_or(value);
  }
  // Numbers that the member cannot hold become the nearest that it can.
  template <std::integral T>
  void operator()(const char* name, T& value) {
    const auto number = JsonInt(fields_, name);
    if (!number.has_value()) return;
    if (std::cmp_less(*number, std::numeric_limits<T>::min())) {
      value = std::numeric_limits<T>::min();
    } else if (std::cmp_greater(*number, std::numeric_limits<T>::max())) {
      value = std::numeric_limits<T>::max();
    } else {
      value = static_cast<T>(*number);
    }
  }
  void operator()(const char* name, Json& value) {
    if (const Json* const field = JsonMember(fields_, name)) value = *field;
  }
  void operator()(const char* name, std::vector<std::string>& value) {
    const Json* const list = JsonMember(fields_, name);
    if (list == nullptr || !list->is_array()) return;
    value.clear();
    for (const Json& item : *list) {
      if (item.is_string()) value.push_back(item.get<std::string>());
    }
  }
  template <typename T>
  void operator()(const char* name, std::optional<T>& value) {
    if (JsonMember(fields_, name) == nullptr) return;
    (*this)(name, value.emplace());
  }

 private:
  const Json& fields_;
};

template <EventRecord T>
Json FieldsOf(const T& record) {
  FieldWriter writer;
  T::VisitFields(record, writer);
  return writer.Take();
}

// What the event, which is of the type of T, says. Fields that are missing, or have another type,
// have the values of an empty record.
template <EventRecord T>
T ReadRecord(const Event& event) {
  T record;
  FieldReader reader(event.data);
  T::VisitFields(record, reader);
  return record;
}

}  // namespace stile

#endif  // STILE_RUNTIME_EVENT_EVENT_FIELDS_H_
