import path from "node:path";
import { Refusal, runMain } from "@toolbus/runtime";
import { embeddedReleaseApi } from "./release-api.ts";
import { type AllInOne, DEFAULT_DIRECTORY, startAllInOne } from "./start-all-in-one.ts";

const HELP = `Starts every service of Toolbus in this process and keeps its state on disk.

Usage: npm start

Settings are environment variables, the common ones:
  DATA_DIR         where state, keys and reports are kept (default: .toolbus)
  GATEWAY_PORT     default 8080          APPROVALS_PORT   default 8081
  RELEASE_API_URL  your release API (default: the example one, with this repository's newest release)
  LOG_LEVEL        silent, error, warn (default), info or debug
`;

await runMain(async () => {
  const given = process.argv.slice(2);
  if (given.includes("--help") || given.includes("-h")) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (given.length > 0)
    throw new Refusal(`npm start takes no arguments, but got "${given[0]}": settings are environment variables, see npm start -- --help.`);
  process.stdout.write("Toolbus starts…\n");
  const directory = path.resolve(process.env["DATA_DIR"] || DEFAULT_DIRECTORY);
  const stopping = new AbortController();
  const embedded = process.env["RELEASE_API_URL"] ? null : await embeddedReleaseApi(directory, stopping.signal);
  try {
    const system = await startAllInOne({ directory, env: { ...process.env, ...(embedded ? { RELEASE_API_URL: embedded.api.url } : {}) } });
    process.stdout.write(greeting(system, directory, embedded?.releaseId ?? "YOUR-RELEASE", embedded?.notes ?? []));
    return {
      async stop() {
        stopping.abort();
        process.stdout.write("Stopping; what is open goes on at the next start.\n");
        const clean = await system.stop();
        await embedded?.api.stop();
        return clean;
      },
    };
  } catch (error) {
    await embedded?.api.stop();
    throw error;
  }
});

function greeting({ gatewayUrl, approvalsUrl, keys }: AllInOne, directory: string, releaseId: string, notes: readonly string[]): string {
  const lines = [
    ...notes,
    `gateway    ${gatewayUrl}`,
    `approvals  ${approvalsUrl}`,
    `state      ${directory}`,
    "",
    `user key      ${keys.user}`,
    `operator key  ${keys.operator}`,
    `approver key  ${keys.approver}   (for the approvals address only)`,
    "",
    "Start an investigation:",
    `  curl -s ${gatewayUrl}/v1/investigations -H 'Authorization: Bearer ${keys.user}' -H 'Content-Type: application/json' -d '{"releaseId":"${releaseId}"}'`,
    "See what waits for a decision:",
    `  curl -s ${approvalsUrl}/v1/approvals -H 'Authorization: Bearer ${keys.approver}'`,
    "",
    "Stop with Ctrl-C.",
  ];
  return `${lines.join("\n")}\n`;
}
