// Checks for the core's tests. A failed one prints where and what, and the test goes on; main()
// ends with `return gtpbot::check::status();`.
#pragma once

#include <atomic>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>

namespace gtpbot::check {

inline std::atomic<int> failures = 0;

inline int status() { return failures == 0 ? 0 : 1; }

// A value as text; an enumerator as its number.
template <typename T>
std::string show(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_enum_v<T>) {
    text << +static_cast<std::underlying_type_t<T>>(value);
  } else {
    text << std::boolalpha << +value;
  }
  return text.str();
}
inline std::string show(const std::string& value) { return '"' + value + '"'; }

inline void fail(const char* file, int line, const std::string& what) {
  ++failures;
  std::cerr << file << ':' << line << ": " + what + '\n';
}

}  // namespace gtpbot::check

#define CHECK(condition)                                                                \
  do {                                                                                  \
    if (!(condition)) gtpbot::check::fail(__FILE__, __LINE__, "not true: " #condition); \
  } while (false)

// As CHECK(actual == expected), and prints both.
#define CHECK_EQ(actual, expected)                                                             \
  do {                                                                                         \
    const auto actual_value = (actual);                                                        \
    const decltype(actual_value) expected_value = (expected);                                  \
    if (!(actual_value == expected_value)) {                                                   \
      gtpbot::check::fail(__FILE__, __LINE__,                                                  \
                          #actual " is " + gtpbot::check::show(actual_value) + ", expected " + \
                              gtpbot::check::show(expected_value));                            \
    }                                                                                          \
  } while (false)

// `expression` throws an Exception whose text contains `text`.
#define CHECK_THROWS(expression, Exception, text)                              \
  do {                                                                         \
    std::string thrown = "nothing";                                            \
    try {                                                                      \
      expression;                                                              \
    } catch (const Exception& error) {                                         \
      thrown = error.what();                                                   \
    }                                                                          \
    if (thrown.find(text) == std::string::npos) {                              \
      gtpbot::check::fail(__FILE__, __LINE__, #expression " threw " + thrown); \
    }                                                                          \
  } while (false)
