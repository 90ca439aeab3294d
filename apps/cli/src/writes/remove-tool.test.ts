import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { toolUnderTest, writeUnderTest } from "../testing/tool-under-test.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { runCommandLine } from "../toolbus/program.ts";
import { SELF } from "../toolbus/self.ts";

/** Runs the command against a gateway with one read, and against approvals with one write, which knows no registration or the given one. */
async function removing(
  words: readonly string[],
  { keyOfGateway = true, removal = null as object | null, first = [] as readonly string[] } = {},
) {
  const bodies: string[] = [];
  await using server = await serverUnderTest((request, response) => {
    if (request.url === "/v1/tools" && request.headers.authorization !== "Bearer b")
      return sendJson(response, { registryVersion: "0", asOf: 0, tools: [toolUnderTest, { ...toolUnderTest, version: "2" }] });
    if (request.url === "/v1/writes") return sendJson(response, { writes: [{ ...writeUnderTest, enabled: null }] });
    if (request.url === "/healthz") return sendJson(response, { status: "ok" });
    if (removal !== null) return void text(request).then((body) => (bodies.push(body), sendJson(response, removal)));
    return sendProblem(response, 404, { code: "not_found", detail: "There is no such registration." });
  });
  const env = { TOOLBUS_URL: server.url, TOOLBUS_APPROVALS_URL: server.url, TOOLBUS_APPROVER_KEY: "b" };
  const { around, said } = surroundingsUnderTest(keyOfGateway ? { ...env, TOOLBUS_KEY: "a" } : env);
  const ended: unknown = await runCommandLine([...first, "tools", "remove", ...words, "--yes"], around).catch((error: unknown) => error);
  return { ended, bodies, out: said().out };
}

const remove = async (...given: Parameters<typeof removing>) => (await removing(...given)).ended;

const failed = (message: string) => expect.objectContaining({ exitCode: EXIT.notFound, message }) as unknown;
const LIST = `"${SELF} tools list" shows the registered tools.`;

describe("toolbus tools remove, for a tool that is not registered", () => {
  it("proposes the tool that was meant, of any kind", async () => {
    expect(await remove(["lok_up"])).toEqual(failed(`There is no tool "lok_up": did you mean look_up? ${LIST}`));
  });

  it("names the list of tools if no name is near", async () => {
    expect(await remove(["nonexisting"])).toEqual(failed(`There is no tool "nonexisting": ${LIST}`));
  });

  it("names the versions that are registered", async () => {
    expect(await remove(["look_up", "--version", "3"])).toEqual(
      failed(`The tool "look_up" is registered only as 1 of orders, 2 of orders. ${LIST}`),
    );
  });

  it("proposes only writes to somebody without a key of the gateway", async () => {
    expect(await remove(["issue_refnd"], { keyOfGateway: false })).toEqual(
      failed(`There is no tool "issue_refnd": did you mean issue_refund? ${LIST}`),
    );
  });
});

describe("toolbus tools remove --version", () => {
  it("removes this version, and does not print the version of the program", async () => {
    const removal = { tool: "look_up", toolset: "orders", version: "2", lastSeenAt: 0, served: false };
    const { ended, out, bodies } = await removing(["look_up", "--version", "2"], { removal });
    expect([ended, bodies]).toEqual([EXIT.ok, ['{"version":"2"}']]);
    expect(out).toContain("operations removes look_up@2 of orders within seconds");
  });

  it("does so after global options too", async () => {
    const removal = { tool: "look_up", toolset: "orders", version: "2", lastSeenAt: 0, served: false };
    const { ended, bodies } = await removing(["look_up", "--version", "2"], { removal, first: ["--quiet"] });
    expect([ended, bodies]).toEqual([EXIT.ok, ['{"version":"2"}']]);
  });
});
