// Writes the members of a struct as fields of an event, and reads them back. Each struct lists its
// members once, with STILE_EVENT_FIELDS or a function VisitFields.
#ifndef STILE_RUNTIME_EVENT_EVENT_FIELDS_H_
#define STILE_RUNTIME_EVENT_EVENT_FIELDS_H_

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

  template <typename T>
  void operator()(const char* name, T& value) {
    if (const Json* const field = JsonMember(fields_, name)) Read(*field, value);
  }
  template <typename T>
  void operator()(const char* name, std::optional<T>& value) {
    const Json* const field = JsonMember(fields_, name);
    T read = T();
    if (field != nullptr && Read(*field, read)) value = std::move(read);
  }

 private:
  // False: the field has another type.
  static bool Read(const Json& field, std::string& value) {
    if (field.is_string()) value = field.get<std::string>();
    return field.is_string();
  }
  static bool Read(const Json& field, bool& value) {
    if (field.is_boolean()) value = field.get<bool>();
    return field.is_boolean();
  }
  static bool Read(const Json& field, Json& value) {
    value = field;
    return true;
  }
  static bool Read(const Json& field, std::vector<std::string>& value) {
    if (!field.is_array()) return false;
    value.clear();
    for (const Json& item : field) {
      if (item.is_string()) value.push_back(item.get<std::string>());
    }
    return true;
  }
  // Numbers that the member cannot hold become the nearest that it can.
  template <std::integral T>
  static bool Read(const Json& field, T& value) {
    if (field.is_number_unsigned()) {
      value = Nearest<T>(field.get<uint64_t>());
    } else if (field.is_number_integer()) {
      value = Nearest<T>(field.get<int64_t>());
    }
    return field.is_number_integer();
  }
  template <typename T, typename Number>
  static T Nearest(Number number) {
    if (std::cmp_less(number, std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (std::cmp_greater(number, std::numeric_limits<T>::max())) {
      return std::numeric_limits<T>::max();
    }
    return static_cast<T>(number);
  }

  const Json& fields_;
};

template <EventRecord T>
Json FieldsOf(const T& record) {
  FieldWriter writer;
  T::VisitFields(record, writer);
  return writer.Take();
}

// The fields of `event`, whose type must be T's. Those that are missing, or have another type, have
// the values of an empty record.
template <EventRecord T>
T ReadRecord(const Event& event) {
  T record;
  FieldReader reader(event.data);
  T::VisitFields(record, reader);
  return record;
}

}  // namespace stile

#endif  // STILE_RUNTIME_EVENT_EVENT_FIELDS_H_
