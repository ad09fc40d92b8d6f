// Servers of the Model Context Protocol whose tools agents get: `mcp_servers:` of stile.yaml.
#ifndef STILE_RUNTIME_MCP_MCP_SETTINGS_H_
#define STILE_RUNTIME_MCP_MCP_SETTINGS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stile {

struct McpServerSettings {
  std::string name;    // a letter, then letters, digits and '-', at most 32; not "mcp"
  std::string source;  // "stile.yaml:12"

  // A program that is talked to through its standard streams…
  std::vector<std::string> command;
  std::map<std::string, std::string> env;  // added to the environment of commands
  std::string cwd = ".";                   // relative to the workspace, or absolute
  bool network = false;                    // in the sandbox
  // …or an address.
  std::string url;
  std::map<std::string, std::string> headers;

  std::vector<std::string> tools;      // globs over the names of its tools; empty: all of them
  std::vector<std::string> read_only;  // globs over tools that change nothing
  int64_t timeout_s = 60;              // of one call
};

}  // namespace stile

#endif  // STILE_RUNTIME_MCP_MCP_SETTINGS_H_
