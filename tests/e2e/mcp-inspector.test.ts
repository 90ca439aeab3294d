import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, RELEASE, TOOLBUS } from "./testing/cli-under-test.ts";
import { approve } from "./testing/http-client.ts";

/** The inspector is not a dependency, because it has more than a hundred megabytes. */
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const INSTALL_MS = 600_000;
const STEP_MS = 60_000;
const run = promisify(execFile);

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
}

describe.skipIf([undefined, "ci"].includes(process.env["LONG_PROOFS"]))("the inspector of the MCP project", () => {
  let cli: CliUnderTest;

  beforeAll(async () => {
    cli = await cliUnderTest();
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefix", cli.files.at("inspector"), INSPECTOR], { timeout: INSTALL_MS });
  }, INSTALL_MS);
  afterAll(() => cli?.stop());

  /** Sends one request with the inspector, and returns the result that it prints. */
  async function inspect<T>(target: readonly string[], ...method: readonly string[]): Promise<T> {
    const program = path.join(cli.files.at("inspector"), "node_modules/.bin/mcp-inspector");
    const { stdout } = await run(program, ["--cli", ...target, ...method], { timeout: STEP_MS });
    return JSON.parse(stdout.slice(stdout.indexOf("{"))) as T;
  }

  /** The inspector gives a server only the variables that it is told. */
  const variables = () => Object.entries(cli.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);

  const ways: readonly (readonly [string, () => readonly string[]])[] = [
    ["/mcp", () => [`${cli.gateway}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${cli.user}`]],
    ["toolbus mcp serve", () => [...variables(), process.execPath, TOOLBUS, "mcp", "serve"]],
  ];

  it.each(ways)(
    "lists the tools at %s, calls a read, and gets the result of a write when a person has approved it",
    async (_, target) => {
      const { tools } = await inspect<{ tools: readonly { name: string }[] }>(target(), "--method", "tools/list");
      expect(tools.map(({ name }) => name)).toContain("get_release_summary");
      const call = (name: string, ...args: readonly string[]) =>
        inspect<Answer>(target(), "--method", "tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg]));
      const read = await call("get_release_summary", `release_id=${RELEASE}`);
      expect(read.structuredContent).toMatchObject({ release_id: RELEASE });
      const waiting = await call("file_risk_report", `release_id=${RELEASE}`, "severity=high", 'findings=["Two reviewers are missing."]');
      expect(waiting.structuredContent).toMatchObject({ status: "waiting" });
      await approve(cli, String(waiting.structuredContent?.["approvalId"]));
      const done = await call("toolbus_get_call", `handle=${String(waiting.structuredContent?.["handle"])}`, "wait_seconds=20");
      expect(done.isError).not.toBe(true);
      expect(done.structuredContent).toMatchObject({ report_id: expect.any(String) });
    },
    STEP_MS * 6,
  );
});
