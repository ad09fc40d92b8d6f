# Turns FILES (separated by |, relative to ROOT) into one C++ source that defines FUNCTION().
# Run by the build: cmake -DOUTPUT=… -DFUNCTION=… -DFILES=… -DROOT=… -P embed.cmake
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
  file(READ "${ROOT}/${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "const char kFile${index}[] = {${bytes}'\\0'};\n")
  string(APPEND rows "      {\"${file}\", {kFile${index}, sizeof(kFile${index}) - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "#include \"runtime/base/embedded.h\"\n\nnamespace stile {\nnamespace {\n"
     "${arrays}}  // namespace\n\nconst std::vector<EmbeddedFile>& ${FUNCTION}() {\n"
     "  static const auto* files = new std::vector<EmbeddedFile>{\n${rows}  };\n"
     "  return *files;\n}\n}  // namespace stile\n")
