import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startModelServer } from "@toolbus/model-servers";
import { expect, it } from "vitest";
import { modelFacts } from "../facts/model-facts.ts";

// The test starts a separate process, because the SDK reads the environment of its process.
it("goes where configuration says, with its key and our headers, whatever the SDK finds in the environment, and nothing is logged", async () => {
  const server = await startModelServer("anthropic");
  try {
    const { model, key: apiKey, url: baseUrl } = server;
    const settings = { model, apiKey, baseUrl, facts: modelFacts("anthropic", model) };
    const request = {
      system: "Be brief.",
      transcript: [{ type: "user", runId: "r", text: "Hello", at: 0 }],
      tools: [],
      maxTokens: 100,
      run: { runId: "r", profile: "p", input: {} },
    };
    const script = `
      import { anthropicModel } from ${JSON.stringify(new URL("anthropic-model.ts", import.meta.url).href)};
      const context = { signal: AbortSignal.timeout(20_000), onText: () => {} };
      await anthropicModel(${JSON.stringify(settings)}).complete(${JSON.stringify(request)}, context);`;
    const env = {
      ANTHROPIC_API_KEY: "of-the-environment",
      ANTHROPIC_AUTH_TOKEN: "of-the-environment",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      ANTHROPIC_CUSTOM_HEADERS: "x-of-the-environment: yes\nAuthorization: Bearer of-the-environment\nuser-agent: environment",
      ANTHROPIC_LOG: "debug",
    };
    const output = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], { env, timeout: 30_000 });
    expect(server.requests).toMatchObject([{ status: 200, headers: { authorization: `Bearer ${apiKey}`, "user-agent": "toolbus" } }]);
    const names = Object.keys(server.requests[0]?.headers ?? {});
    expect(names.filter((name) => name.startsWith("x-"))).toEqual([]);
    expect(output).toEqual({ stdout: "", stderr: "" });
  } finally {
    await server.close();
  }
});
