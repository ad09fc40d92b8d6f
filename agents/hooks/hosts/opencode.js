// Stile's hook for opencode: `stile gate install opencode` writes this file. At the end of a turn
// it asks the gate; after a refusal it sends the reasons as the next prompt.
import { spawn, spawnSync } from "node:child_process";

const command = "{{command}}";
const isRun = process.argv[2] === "run";

function parse(text) {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return {};
  }
}

function ask(event, session, folder, again) {
  const input = JSON.stringify({ session_id: session, cwd: folder, again });
  if (isRun) {
    // `opencode run` does not wait for a plugin: it must not get the chance to end.
    const done = spawnSync("sh", ["-c", command + event], { cwd: folder, input, encoding: "utf8" });
    return Promise.resolve(parse(done.stdout ?? ""));
  }
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command + event], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
    let text = "";
    child.stdout.on("data", (bytes) => (text += bytes));
    child.stdin.on("error", () => {});
    child.on("error", (error) => resolve({ decision: "block", reason: `Stile could not be asked: ${error.message}` }));
    child.on("close", () => resolve(parse(text)));
    child.stdin.end(input);
  });
}

export const Stile = async ({ client, directory }) => {
  const again = new Set();
  return {
    "chat.message": async ({ sessionID }) => {
      await ask("start", sessionID, directory, false);
    },
    event: async ({ event }) => {
      if (event.type !== "session.idle") return;
      const id = event.properties.sessionID;
      if (!isRun) {
        const session = await client.session.get({ path: { id } });
        if (session.data?.parentID) return; // of a sub-agent, whose turn is within another one
      }
      const answer = await ask("stop", id, directory, again.has(id));
      if (answer.decision !== "block") {
        again.delete(id);
        if (answer.decision !== "end") return;
      }
      if (isRun || answer.decision === "end") {
        process.stderr.write(`${answer.reason}\n`);
        if (isRun) process.exit(3);
        return;
      }
      again.add(id);
      await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: answer.reason }] } });
    },
  };
};
