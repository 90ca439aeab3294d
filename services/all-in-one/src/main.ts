import path from "node:path";
import { Refusal, runMain } from "@toolbus/runtime";
import { quoted } from "./greeting.ts";
import { DEFAULT_DIRECTORY } from "./start-all-in-one.ts";
import { startEmbedded } from "./start-embedded.ts";

const HELP = `Starts every service of Toolbus in this process and keeps its state on disk.

Usage: npm start

Settings are environment variables, the common ones:
  DATA_DIR         where state, keys and reports are kept (default: .toolbus)
  GATEWAY_PORT     default 8080          APPROVALS_PORT   default 8081
  RELEASE_API_URL  your release API (default: the example one, with this repository's newest release)
  MCP_CONFIG_FILE  the file of MCP servers (mcp.json) whose tools are offered as well
  LLM_PROVIDER, LLM_MODEL, ANTHROPIC_API_KEY, OPENAI_API_KEY, …
                   the model (default: offline rules, no key needed); docs/models.md has them all
  LOG_LEVEL        silent, error, warn, info (default) or debug
`;

await runMain(async (signal) => {
  const given = process.argv.slice(2);
  if (given.includes("--help") || given.includes("-h")) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (given.length > 0)
    throw new Refusal(`npm start takes no arguments, but got "${given[0]}": settings are environment variables, see npm start -- --help.`);
  return startEmbedded({
    directory: path.resolve(process.env["DATA_DIR"] || DEFAULT_DIRECTORY),
    env: process.env,
    signal,
    command: process.env["DATA_DIR"] ? `./toolbus --data ${quoted(process.env["DATA_DIR"])}` : "./toolbus",
    say: (text) => void process.stdout.write(text),
  });
});
