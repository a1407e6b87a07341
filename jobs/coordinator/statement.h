// SPDX-License-Identifier: Apache-2.0
//
// One SQLite statement: values in, rows out, finalised by its destructor.
//
// Thread rules: one thread, as the database that it belongs to.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ringmaster::jobs {

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    code_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  /// Makes ready for other values.
  Statement& rewind() {
    if (good() || code_ == SQLITE_DONE) code_ = sqlite3_reset(statement_);
    bound_ = 0;
    return *this;
  }
  Statement& bind(std::int64_t value) {
    if (good()) code_ = sqlite3_bind_int64(statement_, ++bound_, value);
    return *this;
  }
  Statement& bind(double value) {
    if (good()) code_ = sqlite3_bind_double(statement_, ++bound_, value);
    return *this;
  }
  /// As a blob: texts may hold any bytes.
  Statement& bind(std::string_view bytes) {
    if (good()) {
      code_ = sqlite3_bind_blob(statement_, ++bound_, bytes.data(), static_cast<int>(bytes.size()),
                                SQLITE_TRANSIENT);
    }
    return *this;
  }

  /// True while there is a row. After the last one ok() tells whether all went well.
  bool step() {
    if (!good()) return false;
    code_ = sqlite3_step(statement_);
    return code_ == SQLITE_ROW;
  }
  bool run() {
    while (step()) {
    }
    return ok();
  }
  bool ok() const { return code_ == SQLITE_DONE || code_ == SQLITE_OK || code_ == SQLITE_ROW; }

  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string bytes(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), size);
  }

 private:
  bool good() const { return code_ == SQLITE_OK || code_ == SQLITE_ROW; }
  sqlite3_stmt* statement_ = nullptr;
  int code_ = SQLITE_OK;
  int bound_ = 0;
};

}  // namespace ringmaster::jobs
