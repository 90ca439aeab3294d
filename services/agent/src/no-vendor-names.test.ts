import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { MODEL_PROVIDERS } from "@toolbus/models";
import { describe, expect, it } from "vitest";

/** The files in which a person names their vendor. */
const SETTINGS = ["model-in-words.ts", "model-settings.ts"];

/** The providers that are reached over a network, their models, and terms from the vendors' own requests and replies. */
const VENDORS = new RegExp(
  [
    ...MODEL_PROVIDERS.filter((provider) => !["offline", "compatible", "cli"].includes(provider)),
    "claude",
    "gpt-",
    "gemini",
    "input_?schema",
    "tool_?use_?id",
    "tool_?spec",
    "finish_reason",
    "tool_call_id",
    "is_error",
    "max_completion_tokens",
  ].join("|"),
  "i",
);

describe("the agent's code", () => {
  it("names no model vendor, and no term of a vendor's protocol, outside its settings", () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !/\.test\.ts$|under-test|(^|\/)test-/.test(file),
    );
    expect(files.length).toBeGreaterThan(80);
    const naming = files.filter((file) => VENDORS.test(readFileSync(path.join(import.meta.dirname, file), "utf8")));
    expect(naming.toSorted()).toEqual(SETTINGS);
  });
});
