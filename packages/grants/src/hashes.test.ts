import { createHash } from "node:crypto";
import { failedResult, type ToolDefinition, type ToolResult } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { answerHash, argumentsHash, contentHash, preparedHash, secretHash, toolHash } from "./hashes.ts";

const definition: ToolDefinition = {
  name: "refund_order",
  version: "1.0.0",
  description: "Refunds an order.",
  parameters: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
  kind: "write",
  risk: { tier: "high" },
  idempotency: { mode: "key", keepsForMs: 86_400_000 },
  timeoutMs: 5000,
  source: "orders",
};

describe("hashes", () => {
  it("are SHA-256 of the UTF-8 text, in base64url", () => {
    const text = '{"name":"é"}';
    const digest = createHash("sha256").update(Buffer.from(text, "utf8")).digest("base64url");
    expect([argumentsHash, contentHash, secretHash].map((hash) => hash(text))).toEqual(Array(3).fill(`sha256-${digest}`));
    expect(contentHash("")).toBe("sha256-47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  });

  it("of a tool are the same in whatever order its definition was written", () => {
    const { name, ...rest } = definition;
    expect(toolHash({ ...rest, name })).toBe(toolHash(definition));
  });

  it.each<[string, Partial<ToolDefinition>]>([
    ["description", { description: "Refunds an order!" }],
    ["schema", { parameters: { type: "object" } }],
    ["tier", { risk: { tier: "low" } }],
    ["idempotency", { idempotency: { mode: "none" } }],
    ["effect template", { effect: "Refunds {orderId}." }],
    ["time-out", { timeoutMs: 5001 }],
    ["version", { version: "1.0.1" }],
  ])("of a tool change with its %s", (_, change) => {
    expect(toolHash({ ...definition, ...change })).not.toBe(toolHash(definition));
  });

  const failed = failedResult("denied_by_user", "No.", { details: [{ path: "/a", message: "b" }] });
  const ref = { blob: `sha256-${"0".repeat(64)}`, chars: 4, bytes: 4 };
  it.each<[string, Partial<ToolResult>]>([
    ["status", { status: "ok" }],
    ["error flag", { isError: false }],
    ["content", { content: "{}" }],
    ["error", { error: { ...failed.error, code: "timeout" } as ToolResult["error"] & object }],
    ["details", { error: { ...failed.error, details: [] } as unknown as ToolResult["error"] & object }],
    ["blob", { contentRef: ref }],
    ["cut", { truncated: true }],
  ])("of an answer change with its %s", (_, change) => {
    expect(answerHash({ ...failed, ...change })).not.toBe(answerHash(failed));
  });

  it("of an answer are the same without its record and with its error in another order, and exist for any text", () => {
    const { code, ...rest } = failed.error ?? { code: "" };
    const again: ToolResult = { ...failed, error: { ...rest, code } as ToolResult["error"] & object };
    expect(answerHash(again)).toBe(answerHash(failed));
    expect(answerHash({ ...failed, content: "\ud800" })).not.toBe(answerHash({ ...failed, content: "\ud801" }));
  });

  it("of an answer cover its media, and without media they are the same as in earlier versions", () => {
    const { error: _, ...done }: ToolResult = { status: "ok", isError: false, content: "drawn" };
    const media = [{ blob: `sha256-${"0".repeat(64)}`, mediaType: "image/png", bytes: 9 }];
    const hashes = [done, { ...done, media: [] }, { ...done, media }, { ...done, media: [{ ...media[0], mediaType: "image/gif" }] }].map(
      (answer) => answerHash(answer as ToolResult),
    );
    expect(new Set(hashes).size).toBe(4);
    expect(hashes[0]).toBe("sha256-5qLcxUsvooq2vieQ322zXnIEVgaa5pthfIwAu8vMjCA");
  });

  it("of a prepared value are those of its JSON text", () => {
    expect(preparedHash({ to: "BAKERY", amount: 5 })).toBe(contentHash('{"to":"BAKERY","amount":5}'));
    expect(preparedHash(null)).toBe(contentHash("null"));
  });
});
