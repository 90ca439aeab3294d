import type { Json, JsonObject } from "@toolbus/contracts";
import { type ModelServer, type Served, SERVED, startModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { wireTools } from "../adapter/wire-tools.ts";
import { type CompiledTool, compileTool } from "./compile-tool.ts";
import { readCorpus } from "./corpus/read-corpus.ts";

const corpus = readCorpus();
const MOST = 128;

describe.each(SERVED)("the corpus in requests to %s", (vendor) => {
  it("fails no request when it is compiled, and many when it is sent unchanged", { timeout: 60_000 }, async () => {
    await using bundle = await setup(vendor);
    let sent = 0;
    // The test sends the whole corpus as an adapter would. A tool that has no form for the vendor must not fail a request for the other tools.
    for (let from = 0; from < corpus.length; from += MOST) {
      const { offered } = wireTools(
        corpus.slice(from, from + MOST).map(({ tool }) => tool),
        vendor,
      );
      sent += offered.length;
      const answer = await bundle.ask(offered);
      expect([answer.text, answer.status]).toEqual([expect.any(String), 200]);
    }
    const setAside = corpus.filter(({ tool }) => !compileTool(tool, vendor).ok).length;
    expect(setAside).toBeGreaterThan(0);
    expect(sent).toBe(corpus.length - setAside);
    let refused = 0;
    for (const { tool } of corpus) {
      refused += (await bundle.ask([{ ...tool, strict: vendor === "openai" }])).status === 200 ? 0 : 1;
      if (refused > LEAST_REFUSED[vendor]) break;
    }
    expect(refused).toBeGreaterThan(LEAST_REFUSED[vendor]);
  });
});

/** The vendor itself must refuse more than this number of original schemas, if each is sent in a separate request. */
const LEAST_REFUSED: Readonly<Record<Served, number>> = {
  anthropic: 20,
  openai: 100,
  openrouter: 80,
  ollama: 8,
  compatible: 5,
  bedrock: 20,
};

type Sent = Pick<CompiledTool, "name" | "description" | "parameters" | "strict">;

async function setup(vendor: Served) {
  const server = await startModelServer(vendor);
  return {
    async ask(tools: readonly Sent[]) {
      const { path, headers, body } = requestOf(server, tools);
      const response = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      return { status: response.status, text: await response.text() };
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Returns a request with the tools in exactly their compiled form. */
function requestOf({ vendor, model, key }: ModelServer, tools: readonly Sent[]) {
  const bearer = { authorization: `Bearer ${key}` };
  switch (vendor) {
    case "anthropic":
      return {
        path: "/v1/messages",
        headers: { ...bearer, "anthropic-version": "2026-10-21" },
        body: {
          model,
          max_tokens: 100,
          messages: [{ role: "user", content: "hello" }],
          tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
        },
      };
    case "bedrock":
      return {
        path: `/model/${encodeURIComponent(model)}/converse`,
        headers: bearer,
        body: {
          messages: [{ role: "user", content: [{ text: "hello" }] }],
          toolConfig: {
            tools: tools.map(({ name, description, parameters }) => ({
              toolSpec: { name, description, inputSchema: { json: parameters } },
            })),
          },
        },
      };
    default:
      return {
        path: vendor === "ollama" ? "/v1/chat/completions" : "/chat/completions",
        headers: bearer,
        body: { model, messages: [{ role: "user", content: "hello" }], tools: tools.map(asFunction) } satisfies JsonObject,
      };
  }
}

function asFunction({ name, description, parameters, strict }: Sent): Json {
  return { type: "function", function: { name, description, parameters, ...(strict ? { strict } : {}) } };
}
