import { readFileSync } from "node:fs";
import path from "node:path";
import { type ModelServer, startModelServer } from "@toolbus/model-servers";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { runProgram } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

const files = scratch();
afterAll(() => files.remove());
const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const DESCRIPTION =
  "Looks up one order by its id, ORD- and digits, e.g. ORD-8821. Output: order and status. Use it for every question about an order. Not for refunds.";
const TOOLS = [
  {
    name: "lookup_order",
    kind: "read",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: { order: { type: "string", pattern: "^ORD-[0-9]{1,12}$", description: "The id of the order." } },
      required: ["order"],
      additionalProperties: false,
    },
  },
];

let setups = 0;

/**
 * Returns a suite about orders, and a model that looks an order up only if the description of the tool says that it is for questions about an order. A
 * careless model never looks.
 */
async function setup() {
  const folder = `gate-${++setups}`;
  const model = { careless: false };
  const server = await startModelServer("compatible", {
    brain: ({ messages, tools }) => {
      const order = /ORD-\d+/.exec(JSON.stringify(messages))?.[0] ?? "";
      const told = tools.find(({ name }) => name === "lookup_order")?.description ?? "";
      const result = messages.some(({ role }) => role === "tool");
      if (result || model.careless || !/question about an order/.test(told)) return { text: `${order} was delivered.` };
      return { calls: [{ name: "lookup_order", arguments: { order } }] };
    },
  });
  servers.push(server);
  files.file(`${folder}/tools.yaml`, JSON.stringify(TOOLS));
  const scenarios = ["ORD-1", "ORD-2"].map((order) => ({
    id: order.toLowerCase(),
    input: { message: `Where is ${order}?` },
    fixtures: { lookup_order: [{ when: { order }, result: { order, status: "delivered" } }] },
    expect: { end: "completed", tools: { called: [{ tool: "lookup_order", arguments: { order }, withinRound: 1 }] } },
  }));
  const suite = files.file(`${folder}/suite.yaml`, JSON.stringify({ suite: "gate", profile: "chat", tools: "./tools.yaml", scenarios }));
  const env = { LLM_PROVIDER: "compatible", LLM_MODEL: server.model, LLM_BASE_URL: server.url, LLM_API_KEY: server.key };
  const baselines = files.at(`${folder}/baselines`);
  const evaluation = (...args: readonly string[]) => runProgram(TOOLBUS, ["eval", ...args], { env });
  return {
    model,
    resultOf: (name: string) => files.at(`${folder}/${name}/result.json`),
    variant: (name: string, description: string) =>
      files.file(`${folder}/${name}.yaml`, JSON.stringify({ name, descriptions: { lookup_order: description } })),
    run: (name: string, ...more: readonly string[]) => evaluation("run", suite, "--out", files.at(`${folder}/${name}`), ...more),
    save: (result: string, version: string) => evaluation("baseline", "save", result, version, "--folder", baselines),
    compare: (result: string, ...more: readonly string[]) =>
      evaluation("baseline", "compare", result, "--folder", baselines, "--fail-on-regression", ...more),
    baseline: (version: string): unknown => JSON.parse(readFileSync(path.join(baselines, "gate", `${version}.json`), "utf8")),
  };
}

describe("an evaluation, a baseline of it and a comparison with it", () => {
  it("are one path of three commands, which finds that an agent got worse, and where", async () => {
    const t = await setup();
    expect(await t.run("first")).toMatchObject({ code: 0, stdout: expect.stringContaining("2 of 2 trials passed") as string });
    expect(await t.save(t.resultOf("first"), "1.0.0")).toMatchObject({ code: 0 });
    expect(t.baseline("1.0.0")).toMatchObject({ version: "1.0.0", result: { suite: "gate", trials: [{ status: "passed" }, {}] } });
    await t.run("second");
    expect(await t.compare(t.resultOf("second"))).toMatchObject({ code: 0, stdout: expect.stringContaining("0 regressions.") as string });
    t.model.careless = true;
    expect(await t.run("third")).toMatchObject({ code: 2 });
    const { code, stdout } = await t.compare(t.resultOf("third"), "1.0.0", "--json");
    expect([code, JSON.parse(stdout)]).toMatchObject([
      2,
      {
        ok: false,
        baseline: "1.0.0",
        compared_scenarios: 2,
        regressions: expect.arrayContaining([expect.objectContaining({ scenario: "ord-2", score: "passed", before: 1 })]) as unknown,
      },
    ]);
  });
});

describe("another description of a tool", () => {
  it("is a variant that is compared on the same scenarios, and blocks its rollout if it is worse", async () => {
    const t = await setup();
    await t.run("before");
    await t.save(t.resultOf("before"), "current");
    const better = t.variant(
      "shorter",
      "Looks up one order, e.g. ORD-8821. Output: order and status. For every question about an order. Not for refunds.",
    );
    const worse = t.variant(
      "vague",
      "Looks up data of the shop by an id, e.g. ORD-8821. Output: an object with what was found. Not for refunds.",
    );
    await t.run("both", "--variant", better, "--variant", worse);
    expect(await t.compare(t.resultOf("both"), "--variant", "shorter")).toMatchObject({ code: 0 });
    const blocked = await t.compare(t.resultOf("both"), "--variant", "vague");
    expect(blocked).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/^2 scenarios compared with the baseline current\./) as string,
    });
    expect(blocked.stdout).toMatch(/ord-1 \(vague\): passed was 1\.000 and is 0\.000/);
    expect(await t.compare(t.resultOf("both"))).toMatchObject({
      code: 1,
      stderr:
        "Nobody knows whether something got worse, because the baseline current has no variants shorter, vague: compare one variant at a time, such as with --variant shorter, or save a baseline that has them all.\n",
    });
    expect(await t.compare(t.resultOf("both"), "--variant", "other")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The result has no variant "other", but default, shorter, vague: name one of them\.\n$/) as string,
    });
  });
});
