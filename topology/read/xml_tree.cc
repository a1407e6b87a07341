// SPDX-License-Identifier: Apache-2.0
#include "topology/read/xml_tree.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace ringmaster::topology {

namespace {

struct ParserEnd {
  void operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }
};

struct XmlReader {
  XML_Parser parser = nullptr;
  std::vector<XmlElement> open = {};  // from the root to the element being read
  std::optional<XmlElement> root = std::nullopt;
  std::size_t elements = 0;
  std::optional<Refusal> refusal = std::nullopt;

  int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser)); }
  void refuse(std::string what) {
    if (!refusal) refusal = Refusal{std::move(what), line()};
    XML_StopParser(parser, XML_FALSE);
  }
};

void on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
  auto& reader = *static_cast<XmlReader*>(user);
  if (++reader.elements > kXmlElementsMax) {
    reader.refuse(fmt::format("more than {} elements", kXmlElementsMax));
    return;
  }
  if (reader.open.size() >= kXmlDepthMax) {
    reader.refuse(fmt::format("elements nested deeper than {}", kXmlDepthMax));
    return;
  }
  XmlElement element{.name = name, .line = reader.line()};
  for (std::size_t i = 0; attributes[i] != nullptr; i += 2) {
    element.attributes.emplace_back(attributes[i], attributes[i + 1]);
  }
  reader.open.push_back(std::move(element));
}

void on_end(void* user, const XML_Char*) {
  auto& reader = *static_cast<XmlReader*>(user);
  if (reader.refusal || reader.open.empty()) return;
  XmlElement element = std::move(reader.open.back());
  reader.open.pop_back();
  if (reader.open.empty()) {
    reader.root = std::move(element);
  } else {
    reader.open.back().children.push_back(std::move(element));
  }
}

/// Entities that a text defines for itself can grow without end, and no machine needs one.
void on_entity(void* user, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
               const XML_Char*, const XML_Char*, const XML_Char*) {
  static_cast<XmlReader*>(user)->refuse("it defines entities");
}

int last_line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return 1;
  const std::string_view used = text.substr(0, end);
  return 1 + static_cast<int>(std::count(used.begin(), used.end(), '\n'));
}

Refusal xml_refusal(const XmlReader& reader, std::string_view text) {
  if (reader.refusal) return *reader.refusal;
  const XML_Error code = XML_GetErrorCode(reader.parser);
  const bool early = XML_GetCurrentByteIndex(reader.parser) >= static_cast<XML_Index>(text.size());
  if (!early && code != XML_ERROR_NO_ELEMENTS && code != XML_ERROR_UNCLOSED_TOKEN) {
    return {fmt::format("this is no XML: {}", XML_ErrorString(code)), reader.line()};
  }
  Refusal refusal{fmt::format("the XML ends early, after line {}", last_line(text)), reader.line(),
                  "the file was cut: ask for the whole of it"};
  if (!reader.open.empty()) {
    refusal.what += fmt::format(": {} of line {} is still open", shown(reader.open.back().name),
                                reader.open.back().line);
  }
  return refusal;
}

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return &value;
  }
  return nullptr;
}

std::string_view XmlElement::text(std::string_view attribute) const {
  const std::string* value = find(attribute);
  return value == nullptr ? std::string_view{} : std::string_view(*value);
}

std::variant<XmlElement, Refusal> read_xml(std::string_view text) {
  if (text.size() > kTextBytesMax) return Refusal{"the XML is too large"};
  const std::unique_ptr<XML_ParserStruct, ParserEnd> parser(XML_ParserCreate(nullptr));
  if (!parser) return Refusal{"no memory for reading XML"};
  XmlReader reader{.parser = parser.get()};
  XML_SetUserData(parser.get(), &reader);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetEntityDeclHandler(parser.get(), on_entity);
  const XML_Status status =
      XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (status != XML_STATUS_OK || !reader.root) return xml_refusal(reader, text);
  return std::move(*reader.root);
}

}  // namespace ringmaster::topology
