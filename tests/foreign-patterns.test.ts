import { assessRisk, checkArguments, definitionFault, foreignSchema, type JsonObject, type ToolDefinition } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { sourceFiles } from "./workspace-source.ts";

/** Patterns for which a backtracking engine needs seconds to centuries on their texts. */
const EVIL: readonly (readonly [pattern: string, text: string])[] = [
  ["^(a+)+$", `${"a".repeat(5000)}!`],
  ["^(a|aa)+$", `${"a".repeat(5000)}!`],
  ["^(a|a)*$", `${"a".repeat(5000)}!`],
  ["^([a-zA-Z]+)*$", `${"a".repeat(5000)}1`],
  ["(x+x+)+y", "x".repeat(5000)],
  ["^(.*a){25}$", "a".repeat(5000)],
  ["^\\s+|\\s+$", " ".repeat(60_000)],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(5000)],
];

function definition(schema: JsonObject, when: JsonObject): ToolDefinition {
  return {
    name: "foreign__tool",
    version: "1",
    description: "Does it.",
    parameters: { type: "object", properties: { a: schema } },
    kind: "write",
    risk: { tier: "low", rules: [{ when, tier: "critical", reason: "it matches" }] },
    idempotency: { mode: "none" },
    timeoutMs: 1000,
    source: "mcp:foreign",
  };
}

/** Returns the processor time of the work in milliseconds. Other work on the machine does not lengthen it. */
function msOf(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

describe("an evil pattern of a foreign schema, with an evil argument", () => {
  it.each(EVIL)("takes less than 100 ms wherever arguments are checked: %j", (pattern, text) => {
    const schema = { type: "string", pattern };
    const tool = definition(schema, { properties: { a: schema } });
    // This check includes the compilation. The agent, approvals, the edit form, the worker and the command line call it.
    expect(msOf(() => checkArguments(tool, { a: text }))).toBeLessThan(100);
    // Approvals judges the risk rules and the operator's policy with these.
    expect(msOf(() => assessRisk(tool, { a: text }))).toBeLessThan(100);
    expect(msOf(() => definitionFault(tool))).toBeLessThan(100);
    const names = foreignSchema({ patternProperties: { [pattern]: { type: "number" } } });
    expect(msOf(() => names.ok && names.validate({ [text]: "no number" }))).toBeLessThan(100);
  });

  it.each(["date-time", "email", "uri", "uri-reference", "hostname", "ipv6", "regex", "json-pointer", "uri-template", "duration"])(
    "has no stronger sister in the format %s",
    (format) => {
      for (const part of ["a", "a.", "a@", "%", ":", "/", "(a+", "{a", "-", "1:"]) {
        const tool = definition({ type: "string", format }, {});
        expect(msOf(() => checkArguments(tool, { a: `${part.repeat(60_000 / part.length)}!` }))).toBeLessThan(100);
      }
    },
  );
});

describe("the engine of JavaScript", () => {
  /** The files that make a regular expression of a text, and where this text comes from. */
  const MAKERS: Readonly<Record<string, string>> = {
    "packages/contracts/src/doubtful-words.ts": "names of scripts in this file",
    "packages/contracts/src/foreign-schema/linear-pattern.ts": "a syntax check that runs nothing, and single characters",
    "packages/contracts/src/ids.ts": "our own ids",
    "packages/contracts/src/personal-data.ts": "texts in this file",
    "packages/contracts/src/verdict/finding-text.ts": "our own form of a finding",
    "packages/models/src/offline/change/breaking-rules.ts": "our own names of run times",
    "packages/models/src/offline/reviewer-requests.ts": "our own words for severities",
    "packages/models/src/schema/corpus/form-faults.ts": "a syntax check of the corpus",
    "packages/models/src/schema/corpus/instances.ts": "patterns of the corpus, only in tests",
    "packages/models/src/schema/write/write-words.ts": "a syntax check that runs nothing",
    "packages/release-facts/src/advisories/osv.ts": "our own form of an id",
    "packages/release-facts/src/changelog-facts.ts": "the number of an issue",
    "packages/telemetry/src/redact.ts": "texts in this file",
    "packages/tool-kit/src/services/hints.ts": "our own phrases",
    "packages/tool-kit/src/tool/result-media.ts": "our own pattern of media types",
    "services/agent/src/replay/recorded-turns.ts": "our own sentence",
    "services/all-in-one/src/local-keys.ts": "our own roles",
    "services/approvals/src/routes/write-routes.ts": "our own names",
    "services/gateway/src/call-evidence.ts": "our own ids",
    "services/gateway/src/call-media.ts": "our own ids",
    "services/tool-executor/src/toolsets/guides/skill-tools.ts": "our own pattern of names",
  };
  const product = sourceFiles().filter(({ file }) => /^(packages|services|apps)\//.test(file) && !/\.test\.ts$|\/testing\//.test(file));

  it("runs no pattern of a foreign schema: each file that makes a regular expression of a text is known", () => {
    const makers = product.filter(({ text }) => /new RegExp\(/.test(text)).map(({ file }) => file);
    expect(makers.toSorted()).toEqual(Object.keys(MAKERS).toSorted());
  });

  it("gets none from a page, because no form of approvals or of the chat has an attribute pattern", () => {
    expect(product.filter(({ text }) => /<(?:input|textarea)[^>]*\spattern=/.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it("gets none through Ajv, which compiles only our own schemas", () => {
    const ajv = product.filter(({ imports }) => imports.some((module) => module.startsWith("ajv"))).map(({ file }) => file);
    // The second file only uses the formats, each with a limited text.
    expect(ajv).toEqual(["packages/contracts/src/foreign-schema/value-checks.ts", "packages/contracts/src/parse.ts"]);
    expect(product.filter(({ text }) => /\bcompileSchema\(/.test(text)).map(({ file }) => file)).toEqual([
      "packages/contracts/src/parse.ts",
      "packages/model-servers/src/wire/json-schema.ts",
    ]);
    // The SDK's own method would compile a server's output schema.
    const sdk = product.filter(({ file }) => file.includes("/toolsets/mcp/") && !file.includes("server.ts"));
    expect(
      sdk.filter(({ text }) => /\bclient\.(?:callTool|listTools)\(/.test(text.replace(/\/\/.*$/gm, ""))).map(({ file }) => file),
    ).toEqual([]);
  });
});
