// A whole program that embeds Stile: one gated task in the folder given, with the model given.
//   embedding WORKSPACE MODEL TASK
#include <cstdio>

#include "agents/api/agent.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s WORKSPACE MODEL TASK\n", argv[0]);
    return 2;
  }
  stile::AgentOptions options;
  options.workspace = argv[1];
  options.config.model = argv[2];
  auto agent = stile::Agent::Create(options);
  if (!agent.ok()) {
    std::fprintf(stderr, "%s\n", std::string(agent.status().message()).c_str());
    return 2;
  }
  auto result = (*agent)->Run({argv[3]});
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
    return 2;
  }
  std::printf("%s: %s\n", std::string(stile::RunStateName(result->outcome)).c_str(),
              result->ok() ? result->answer.c_str() : result->message.c_str());
  return result->exit_code();
}
