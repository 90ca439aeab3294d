import { investigationBrain } from "./brains/investigation-brain.ts";
import { chatBrain } from "./brains/chat-brain.ts";
import { SERVED, type Served } from "./model-server.ts";
import { rulesText } from "./rule-tables.ts";
import { startModelServer } from "./start-model-server.ts";

// `main.ts rules` writes the tables of docs/model-servers.md. `node packages/model-servers/src/main.ts <vendor> [chat|investigation]` starts a
// server, prints its address in a line of JSON and runs until SIGINT or SIGTERM. If the command names no brain, the server investigates when a
// request offers the tool that files a report, and chats otherwise.
const [vendor = "", brain = ""] = process.argv.slice(2);
if (vendor === "rules") process.stdout.write(rulesText());
else if (!isServed(vendor) || !["", "chat", "investigation"].includes(brain)) {
  process.stderr.write(`Usage: main.ts <${SERVED.join("|")}|rules> [chat|investigation]\n`);
  process.exitCode = 1;
} else {
  const [chat, investigation] = [chatBrain(), investigationBrain()];
  const server = await startModelServer(vendor, {
    brain: (asked) => {
      const files = asked.tools.some(({ name }) => name === "file_risk_report");
      return brain === "investigation" || (brain === "" && files) ? investigation(asked) : chat(asked);
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
  const { url, key, model } = server;
  process.stdout.write(`${JSON.stringify({ vendor, url, key, model, ...(vendor === "bedrock" ? { keyId: "AKIDTOOLBUS" } : {}) })}\n`);
}

function isServed(name: string): name is Served {
  return SERVED.some((served) => served === name);
}
