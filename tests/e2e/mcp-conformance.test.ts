import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import path from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { type AllInOne, startAllInOne } from "@toolbus/all-in-one";
import { ToolProblem, toolset, defineTool } from "@toolbus/tool-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scratch } from "./testing/scratch.ts";

/** The scenarios of the conformance suite: those that pass by version of the protocol, and the others with the reason why they do not apply. */
interface Scenarios {
  /** The package with its version. It is not a dependency, because it has fifty megabytes. */
  readonly package: string;
  readonly passing: Readonly<Record<string, readonly string[]>>;
  /** The checks of passing scenarios that test something that the gateway does not offer, with the reason. */
  readonly checksThatDoNotApply: Readonly<Record<string, string>>;
  readonly notApplicable: Readonly<Record<string, string>>;
}

const SCENARIOS = JSON.parse(readFileSync(path.join(import.meta.dirname, "testing/mcp-conformance.json"), "utf8")) as Scenarios;
const DEADLINE_MS = 300_000;
const SCENARIO_MS = 90_000;
const run = promisify(execFile);
const NOTHING = { type: "object", properties: {}, additionalProperties: false } as const;

/** The tools that the suite expects of a server, as far as a tool of Toolbus can be such a tool. */
const tools = [
  defineTool({
    name: "test_simple_text",
    description: "Gives a text.",
    kind: "read",
    parameters: NOTHING,
    run: async () => "This is a simple text response for testing.",
  }),
  defineTool({
    name: "test_error_handling",
    description: "Fails.",
    kind: "read",
    parameters: NOTHING,
    run: async () => new ToolProblem("target_error", "This tool intentionally returns an error for testing."),
  }),
  defineTool({
    name: "test_tool_with_progress",
    description: "Reports its progress three times.",
    kind: "read",
    parameters: NOTHING,
    async run(_, { progress, signal }) {
      for (const part of [0, 0.5, 1]) {
        progress({ message: `${part * 100} %`, fraction: part });
        // Reports that arrive faster than four times a second are left out.
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 300);
          signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
        });
      }
      return "Done.";
    },
  }),
];

describe.skipIf([undefined, "ci"].includes(process.env["LONG_PROOFS"]))(
  "the conformance suite of the MCP project, against the gateway",
  () => {
    const files = scratch();
    let system: AllInOne;
    let url = "";
    let keyed: ReturnType<typeof withKey>;

    beforeAll(async () => {
      await run("npm", ["install", "--no-audit", "--no-fund", "--prefix", files.at("suite"), SCENARIOS.package], { timeout: DEADLINE_MS });
      const env = { GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "silent", RUNS_PER_MINUTE: "0" };
      system = await startAllInOne({ directory: files.data(), env, toolsets: [toolset({ name: "conformance", tools })] });
      keyed = withKey(system.gatewayUrl, system.keys.user);
      url = await keyed.listen();
    }, DEADLINE_MS);
    afterAll(async () => {
      keyed?.close();
      await system?.stop();
      files.remove();
    });

    const conformance = (...args: readonly string[]) =>
      run(process.execPath, [path.join(files.at("suite"), "node_modules/@modelcontextprotocol/conformance/dist/index.js"), ...args], {
        cwd: files.at("suite"),
        timeout: SCENARIO_MS,
      }).then(
        ({ stdout }) => ({ code: 0, stdout }),
        ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
      );

    it("has no server scenario for which this repository does not say whether it passes or why it does not apply", async () => {
      const { stdout } = await conformance("list");
      const [, listed = ""] = /^Server scenarios.*\n((?: {2}- .*\n)+)/m.exec(stdout) ?? [];
      const known = [...Object.values(SCENARIOS.passing).flat(), ...Object.keys(SCENARIOS.notApplicable)];
      expect([...listed.matchAll(/^ {2}- (\S+)/gm)].map(([, name = ""]) => name).toSorted()).toEqual([...new Set(known)].toSorted());
      const reasons = [...Object.values(SCENARIOS.notApplicable), ...Object.values(SCENARIOS.checksThatDoNotApply)];
      for (const reason of reasons) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
    });

    for (const [version, names] of Object.entries(SCENARIOS.passing))
      it.each(names)(
        `passes %s of version ${version}`,
        async (scenario) => {
          const { stdout } = await conformance("server", "--url", url, "--scenario", scenario, "--spec-version", version);
          const checks = [...stripVTControlCharacters(stdout).matchAll(/\[(\S+) *\] (SUCCESS|FAILURE|WARNING)/g)];
          expect(checks.length).toBeGreaterThan(0);
          const failed = checks.flatMap(([, id = "", outcome]) => (outcome === "SUCCESS" ? [] : [id]));
          expect(failed.filter((id) => SCENARIOS.checksThatDoNotApply[id] === undefined)).toEqual([]);
        },
        SCENARIO_MS,
      );
  },
);

/** A proxy that adds the key to each request, because the suite has no option for headers. */
function withKey(gateway: string, key: string) {
  const server = createServer((request, reply) => {
    const to = new URL(request.url ?? "/", gateway);
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const asked = httpRequest(to, { method: request.method ?? "GET", headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
    });
    asked.on("error", () => reply.destroy());
    reply.on("close", () => asked.destroy());
    request.pipe(asked);
  });
  return {
    listen: () =>
      new Promise<string>((resolve) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address();
          resolve(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/mcp`);
        });
      }),
    close: () => server.closeAllConnections(),
  };
}
