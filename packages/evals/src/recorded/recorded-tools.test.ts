import type { RunRecord } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toolsOfRecord, withTools } from "./recorded-tools.ts";

type Recorded = RunRecord["tools"][number];

const definition: Recorded["definition"] = {
  name: "restart",
  version: "2",
  description: "Restarts one service.",
  parameters: {
    type: "object",
    properties: { service: { type: "string" } },
    required: ["service"],
    additionalProperties: false,
    "x-toolbus": { limits: { callsPerMinute: 6 } },
  },
  kind: "write",
  risk: { tier: "high" },
  idempotency: { mode: "key", keepsForMs: 1000 },
  timeoutMs: 30_000,
  effect: "Restart {service}.",
  plan: true,
  scopes: ["ops"],
  source: "services",
  owner: "ops",
};
const recorded = (part: Partial<Recorded["definition"]> = {}): Recorded => ({
  toolset: "services",
  hash: "h",
  definition: { ...definition, ...part },
});

describe("the tools of a recorded run", () => {
  it("are those that the suite does not know, with what a model and an approver read", () => {
    const made = toolsOfRecord({ tools: [recorded(), recorded({ name: "known" })] }, new Set(["known"]));
    expect(made).toEqual([
      {
        name: "restart",
        version: "2",
        kind: "write",
        description: "Restarts one service.",
        parameters: { type: "object", properties: { service: { type: "string" } }, required: ["service"], additionalProperties: false },
        risk: { tier: "high" },
        idempotency: { mode: "key", keepsForMs: 1000 },
        effect: "Restart {service}.",
      },
    ]);
  });

  it("are untrusted if a foreign server has them, because the suite does not name the server", () => {
    const { idempotency: _, effect: __, ...read } = definition;
    const [made] = toolsOfRecord(
      { tools: [{ toolset: "mcp", hash: "h", definition: { ...read, kind: "read", idempotency: { mode: "none" }, source: "mcp:web" } }] },
      new Set(),
    );
    expect(made).toMatchObject({ kind: "read", trust: "untrusted" });
    expect(Object.keys(made ?? {})).not.toContain("idempotency");
  });

  it("come after those that a file has, whose comments stay", () => {
    const made = toolsOfRecord({ tools: [recorded()] }, new Set());
    const text = withTools("# ours\n- name: look # here", made);
    expect(text).toContain("# ours\n- name: look # here\n- name: restart\n");
    expect(parse(text)).toMatchObject([{ name: "look" }, { name: "restart" }]);
  });
});
