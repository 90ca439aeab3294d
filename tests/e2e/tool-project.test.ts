import { spawnSync } from "node:child_process";
import path from "node:path";
import { topics } from "@toolbus/contracts";
import { describeOnServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, TOOLBUS, waitingIn } from "./testing/cli-under-test.ts";
import { CONSUMED, onServers, type Place } from "./testing/dead-letter-places.ts";
import { approve, heldApproval } from "./testing/http-client.ts";
import { startCommand } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

/** Runs a command line in the folder of a worker, as its author does, and returns what it printed. Throws with the output if it fails. */
function inWorker(folder: string, line: string): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", line], { cwd: folder, encoding: "utf8", timeout: 120_000 });
  if (status !== 0) throw new Error(`"${line}" ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

describe("the project that tools new writes into a folder outside the repository", () => {
  const files = scratch();
  const folder = files.at("stock-worker");
  beforeAll(() => {
    inWorker(files.at("."), `'${process.execPath}' '${TOOLBUS}' tools new stock`);
    inWorker(folder, "npm install --offline --no-audit --no-fund");
  });
  afterAll(() => files.remove());

  it("has no fault in its types", () => {
    expect(inWorker(folder, "npm run --silent check")).toBe("");
  });

  it("has a test, which passes", () => {
    const report = inWorker(folder, "npm test --silent");
    expect(report).toMatch(/\bpass 4$/m);
    expect(report).toMatch(/\bfail 0$/m);
  });

  it.runIf(process.platform === "linux" && ["x64", "arm64"].includes(process.arch))("runs on the Node of the repository", () => {
    expect(inWorker(folder, "npm exec -c 'command -v node'")).toBe(`${path.join(folder, "node_modules/.bin/node")}\n`);
    expect(inWorker(folder, "npx node --version")).toMatch(/^v24\./);
  });

  it("has the form that the formatter of the repository makes", () => {
    const oxfmt = path.resolve(import.meta.dirname, "../../node_modules/oxfmt/bin/oxfmt");
    const config = path.resolve(import.meta.dirname, "../../.oxfmtrc.json");
    expect(inWorker(folder, `'${process.execPath}' '${oxfmt}' -c '${config}' --check .`)).toContain(
      "All matched files use the correct format",
    );
  });
});

describeOnServer("nats", "the worker of a project that tools new wrote", (broker) =>
  describeOnServer("redis", "and Redis", (redis) => {
    let place: Place;
    let cli: CliUnderTest;
    beforeAll(async () => {
      place = onServers(broker(), redis());
      cli = await cliUnderTest(place.env);
      await cli.run(["tools", "new", "stock", "--directory", cli.files.at("stock-worker")]);
      inWorker(cli.files.at("stock-worker"), "npm install --offline --no-audit --no-fund");
    });
    afterAll(async () => {
      await cli.stop();
      await place.remove([...CONSUMED, topics.invoke("stock"), topics.plan("stock")]);
    });

    it("starts as its README says, and serves its read and, after an approval, its write", async () => {
      const env = {
        BUS_URL: place.env["BUS_URL"] ?? "",
        STATE_URL: place.env["STATE_URL"] ?? "",
        RECEIPT_KEY_FILE: path.join(cli.env["DATA_DIR"] ?? "", "keys/receipts-signing.jwk"),
        JWKS_URL: `${cli.approvals}/.well-known/jwks.json`,
      };
      await using worker = startCommand("sh", ["-c", `cd '${cli.files.at("stock-worker")}' && npm start`], { env, group: true });
      await worker.says(/The toolset stock is served on /);
      const list = ["chat", 'list_stock_notes {"about": "SKU-1"}'];
      expect(await cli.run(list)).toMatchObject({ code: 0, stdout: expect.stringContaining("list_stock_notes answered") });
      await using write = cli.shell(`toolbus chat 'add_stock_note {"about": "SKU-1", "text": "Reserved."}'`);
      await approve(cli, await heldApproval(cli, await waitingIn(write)));
      expect(write.stdout()).toContain('Add the note "Reserved." about SKU-1.');
      expect(await write.ended()).toMatchObject({ code: 0 });
      expect(await cli.run(list)).toMatchObject({ code: 0, stdout: expect.stringContaining("Reserved.") });
    });
  }),
);
