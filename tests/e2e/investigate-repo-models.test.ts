import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { follow } from "./testing/http-client.ts";
import { modelSystem, oneRelease } from "./testing/model-system.ts";
import { vendorsPlayed } from "./testing/model-vendors.ts";
import { runProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";
import { shopRepository } from "./testing/shop-repository.ts";

describe("the facts of toolbus investigate --repo", () => {
  let files: Scratch;
  beforeEach(() => {
    files = scratch();
  });
  afterEach(() => files.remove());

  it.each(vendorsPlayed().filter(({ served }) => served !== null))("reach a model over the wire protocol of $name", async (vendor) => {
    await using begun = new AsyncDisposableStack();
    const api = await oneRelease(files.at("api"));
    begun.defer(() => api.stop());
    const directory = files.data();
    const { server, system, stop } = await modelSystem(vendor, { directory, api });
    begun.defer(stop);
    const read: string[] = [];
    server.think(({ messages }) => {
      read.push(messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).join("\n"));
      return { text: "I have read the change." };
    });
    const env = { TOOLBUS_URL: system.gatewayUrl, TOOLBUS_APPROVALS_URL: system.approvalsUrl, DATA_DIR: directory };
    const repo = shopRepository(files.at("shop"));
    const ends = ["--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1"];
    const { stdout, stderr } = await runProgram(TOOLBUS, ["investigate", ...ends, "--no-wait"], { env });
    const events = await follow({ gateway: system.gatewayUrl, user: system.keys.user }, stdout.trim());
    expect({ stderr, end: events.at(-1) }).toMatchObject({ end: { type: "run.completed", text: "I have read the change." } });
    expect(read).toHaveLength(1);
    const [text = ""] = read;
    const facts = JSON.parse(text.slice(text.indexOf('{"format":1'), text.lastIndexOf("}") + 1)) as object;
    expect(facts).toMatchObject({
      base: { ref: "v1.0.0", commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
      head: { ref: "v1.0.1", commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
      baseIsAncestor: true,
      commits: { total: 1, list: [{ subject: expect.stringContaining("Fix a bypass of the login") }] },
      files: { total: 1, list: [{ path: "src/login.ts" }] },
    });
    // The subject tries to clear the screen and to turn the text around.
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
