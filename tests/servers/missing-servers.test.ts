import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../e2e/testing/program.ts";

const resolve = createRequire(import.meta.url).resolve;
const VITEST = path.join(path.dirname(resolve("vitest/package.json")), "vitest.mjs");

describe("a suite whose server is missing", () => {
  // This test runs vitest on a separate project. Suites are registered while vitest collects a file, so only a complete test run shows what happens
  // to them.
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "toolbus-missing-"));
    const servers = pathToFileURL(resolve("@toolbus/testing/servers")).href;
    const suites = `
      import { describeOnPrivateServer, describeOnServer } from ${JSON.stringify(servers)};
      const never = () => { throw new Error("a suite without its server ran"); };
      describeOnServer("nats", "a shared server", never);
      describeOnPrivateServer("redis", "a private server", never);
    `;
    writeFileSync(path.join(folder, "suites.test.ts"), suites);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (env: Readonly<Record<string, string>>) => {
    const nothing = { PATH: "", TEST_SERVERS: "environment,private", NO_COLOR: "1" };
    const file = path.join(folder, "report.json");
    const args = ["run", "--root", folder, "--reporter=json", `--outputFile=${file}`];
    const { code } = await runProgram(VITEST, args, { env: { ...nothing, ...env } });
    const report = JSON.parse(readFileSync(file, "utf8")) as Report;
    const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
    return { code, tests: tests.map(({ fullName, status }) => ({ fullName, status })) };
  };

  const shared =
    "a shared server NATS was not found: nats-server is not on the PATH. " +
    "To enable: apt-get install nats-server, or start Docker, or set TEST_NATS_URL=nats://127.0.0.1:4222";
  const own =
    "a private server A private Redis cannot be started: redis-server is not on the PATH. " +
    "To enable: apt-get install redis-server, or start Docker";

  it("is skipped on a developer's machine, by one test that says what is missing and how to get it", async () => {
    expect(await run({})).toEqual({
      code: 0,
      tests: [
        { fullName: shared, status: "skipped" },
        { fullName: own, status: "skipped" },
      ],
    });
  });

  it("fails on a build server", async () => {
    expect(await run({ CI: "true" })).toEqual({
      code: 1,
      tests: [
        { fullName: shared, status: "failed" },
        { fullName: own, status: "failed" },
      ],
    });
  });

  it("says which server was named if that one does not answer", async () => {
    const { tests } = await run({ TEST_NATS_URL: "nats://ada:secret@127.0.0.1:1" });
    expect(tests[0]?.fullName).toBe(
      "a shared server NATS of TEST_NATS_URL cannot be used: nats://ada:***@127.0.0.1:1: nothing listens there. " +
        "To enable: start that server, or unset TEST_NATS_URL",
    );
  });
});

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[] }[];
}
