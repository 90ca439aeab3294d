import { describe, expect, it } from "vitest";
import { client } from "../http/client.ts";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";
import { checkLetters } from "./check-letters.ts";

/** The store's time, which differs from this machine's time. */
const NOW = 100_000_000;

describe("doctor, checking dead letters", () => {
  it("warns of the dead letters of the last day, says why the newest was given up, and names the command that shows it", async () => {
    const found = await checked([letter("dl_new", NOW - 60_000), letter("dl_old", NOW - 90_000_000)]);
    expect(found).toEqual({
      name: "dead letters",
      level: "warn",
      message: "1 within a day; the newest 1 min ago, of tool.invoke.web: the message is older than 24 h.",
      fix: expect.stringContaining('dead-letters show dl_new" says what it was and whether a replay helps') as string,
    });
  });

  it("passes if there are none, and if the key may not see them", async () => {
    expect(await checked([])).toMatchObject({ level: "ok", message: "none within a day" });
    expect(await checked(null)).toMatchObject({ level: "ok", message: "not checked: this needs an operator's key at the gateway" });
  });
});

async function checked(deadLetters: readonly object[] | null) {
  await using server = await serverUnderTest((request, response) => {
    if (request.url === "/v1/tools") sendJson(response, { registryVersion: "1", tools: [], asOf: NOW });
    else if (deadLetters) sendJson(response, { deadLetters });
    else sendProblem(response, 403, { code: "forbidden", title: "Forbidden", detail: "No." });
  });
  return await checkLetters(client({ url: server.url, service: "gateway", key: null }), NOW + 172_800_000);
}

function letter(id: string, keptAt: number) {
  const links = { self: `/v1/dead-letters/${id}`, replay: `/v1/dead-letters/${id}/replay` };
  const said = { queue: "tool.invoke.web", state: "open", reason: "the message is older than 24 h", deliveries: 1 };
  return { id, ...said, messageId: "m", messageType: "toolbus.tool.invoke", keptAt, expiresAt: NOW * 2, links };
}
