import { silentLog } from "@toolbus/telemetry";
import { protectionOf } from "@toolbus/contracts";
import { nobodyToAsk } from "../questions/question.ts";
import { describe, expect, it } from "vitest";
import { defineTool, type ReadSpec, type WriteSpec } from "./define-tool.ts";
import { toolset } from "./toolset.ts";
import type { Tool } from "./tool.ts";
import { ToolProblem } from "./tool-problem.ts";

const parameters = { type: "object", properties: { id: { type: "string" } }, required: ["id"], additionalProperties: false };
const read: ReadSpec<{ id: string }> = { name: "look_up", kind: "read", description: "Looks up.", parameters, run: ({ id }) => id };
const write: WriteSpec<{ id: string }, { id: string }> = {
  name: "pay",
  kind: "write",
  description: "Pays.",
  parameters,
  idempotency: { mode: "none" },
  effect: "Pay {id}.",
  prepare: (args) => args,
  run: () => "paid",
};

describe("defining a tool", () => {
  it("fills in defaults by its kind", () => {
    expect(defineTool(read).draft).toMatchObject({ version: "1", timeoutMs: 5000, risk: { tier: "low" }, idempotency: { mode: "none" } });
    expect(defineTool({ ...read, kind: "compute" }).draft.timeoutMs).toBe(2000);
    expect(defineTool(write).draft).toMatchObject({ timeoutMs: 30_000, risk: { tier: "high" }, effect: "Pay {id}." });
  });

  it("takes dependencies and limits into the definition, and refuses them if they are invalid or written by hand", () => {
    const dependencies = [{ name: "shop", p99Ms: 500 }];
    const protectedRead = toolset({ name: "shop", tools: [defineTool({ ...read, dependencies, limits: { callsPerMinute: 5 } })] });
    const plain = toolset({ name: "shop", tools: [defineTool(read)] });
    const [one, other] = [protectedRead.find("look_up"), plain.find("look_up")];
    if (!one || !other) throw new Error("no tool");
    expect(protectionOf(one.definition)).toEqual({ dependencies, limits: { callsPerMinute: 5 } });
    expect(one.hash).not.toBe(other.hash);
    expect(other.definition.parameters).toEqual(parameters);
    expect(() => defineTool({ ...read, dependencies: [{ name: "The Shop" }] })).toThrow(
      /^The tool "look_up" has invalid dependencies or limits: \/dependencies\/0\/name/,
    );
    expect(() => defineTool({ ...read, parameters: { ...parameters, "x-toolbus": {} } })).toThrow(
      /pass "dependencies" and "limits" instead/,
    );
  });

  it("accepts plain functions as its bodies and returns their values unchanged", async () => {
    const context = {
      callId: "c",
      sessionId: "s",
      idempotencyKey: "c",
      signal: AbortSignal.abort(),
      log: silentLog,
      progress: () => undefined,
      modelUsed: () => undefined,
      attach: () => null,
      ask: nobodyToAsk,
    };
    const given: unknown[] = [];
    const plain = async (...all: readonly unknown[]) => (given.push(...all), { found: 1 });
    const reads = defineTool({ ...read, run: plain });
    const writes = defineTool({ ...write, prepare: plain, run: plain });
    if (reads.kind !== "read" || writes.kind !== "write") throw new Error("not the tools that were defined");
    expect(await reads.run({ id: "1" }, context)).toStrictEqual({ found: 1 });
    expect(await writes.prepare({ id: "2" }, context)).toStrictEqual({ found: 1 });
    expect(await writes.run({ id: "3" }, context)).toStrictEqual({ found: 1 });
    expect(given).toStrictEqual([{ id: "1" }, context, { id: "2" }, context, { id: "3" }, context]);
  });

  it("refuses an unworkable definition with one sentence that names the tool", () => {
    const refused: readonly [object, RegExp][] = [
      [{ ...read, name: "Look Up" }, /"Look Up" has an invalid definition/],
      [{ ...read, parameters: { type: "string" } }, /must be a JSON Schema with "type": "object"/],
      [{ ...read, parameters: undefined }, /must be a JSON Schema with "type": "object"/],
      [
        { ...read, parameters: { ...parameters, properties: { id: { type: "strange" } } } },
        /has the unknown type "strange".+ Give it one "type": string/,
      ],
      [
        { ...read, parameters: { ...parameters, properties: { id: { type: "string", pattern: "(" } } } },
        /not an accepted JSON Schema, at \/parameters\/properties\/id\/pattern: The pattern "\(" is not an ECMAScript regular expression/,
      ],
      [{ ...read, parameters: { ...parameters, required: ["id", "di"] } }, /requires "di", .+\. Correct the name/],
      [{ ...read, timeoutMs: 0 }, /timeoutMs/],
      [{ ...read, prepare: () => 1 }, /is a read and has a "prepare"/],
      [{ ...write, idempotency: undefined }, /must say its "idempotency"/],
      [{ ...write, idempotency: { mode: "reconcile" } }, /needs a function "reconcile"/],
      [{ ...write, reconcile: () => ({ kind: "unknown" }) }, /must be "reconcile", not "none"/],
      [{ ...write, prepare: undefined }, /needs a function "prepare"/],
      [{ ...write, effect: "Pay {amount}." }, /names \{amount\}.+ Its parameters: id\./],
      [{ ...write, effect: undefined }, /does not say what it does\. Give it an "effect"/],
      [{ ...read, name: "look__up__" }, /not a name in snake case\. Use lower-case words/],
      [{ ...read, parameters: { type: "object", properties: { id: {}, no: {} } } }, /accepts any value.+ \(2 more\)$/],
      [{ ...read, timoutMs: 10 }, /^The tool "look_up" has the unknown field "timoutMs": use "timeoutMs"\.$/],
      [{ ...read, name: "my-read" }, /^The tool "my-read" has an invalid definition: a name has .+ Use a name such as my_read\.$/],
      [{ ...read, name: undefined }, / Use a name such as look_up_order\.$/],
      [{ ...read, kind: "reader" }, /^The tool "look_up" has the unknown kind "reader": use "read", "compute" or "write"\.$/],
      [{ ...write, idempotency: { keepsForMs: 10 } }, /^The write "pay" must say its "idempotency", such as \{ mode: "none" \}/],
      [
        { ...write, idempotency: { mode: "keys" } },
        /^The write "pay" has the unknown idempotency "keys": use "key", "reconcile" or "none"\.$/,
      ],
      [
        { ...write, idempotency: { mode: "key", keepForMs: 1 } },
        /^The idempotency of the write "pay" has .+ "keepForMs": use "keepsForMs"\.$/,
      ],
      [
        { ...write, idempotency: { mode: "key", keepsForMs: 10 } },
        /^The write "pay" has the idempotency "key" and needs "keepsForMs": [^;]+ 1000\.$/,
      ],
      [
        { ...write, idempotency: { mode: "none", keepsForMs: 10 } },
        /^The write "pay" has the idempotency "none", .+ leave out keepsForMs\.$/,
      ],
    ];
    for (const [spec, words] of refused) expect(() => defineTool(spec as WriteSpec<{ id: string }, { id: string }>)).toThrow(words);
  });

  it("refuses tools the codes that only Toolbus may give", () => {
    for (const code of ["outcome_unknown", "denied_by_user", "No Code"]) expect(() => new ToolProblem(code, "x")).toThrow(RangeError);
  });
});

describe("a toolset", () => {
  it("finds, adds and removes tools, and refuses a second one of the same name", () => {
    const lookUp = defineTool(read);
    const tools = toolset({ name: "orders", tools: [lookUp] });
    expect(tools.find("look_up")?.tool).toBe(lookUp);
    expect(tools.find("look_up")?.definition).toMatchObject({ source: "orders", name: "look_up" });
    expect(() => tools.register(defineTool({ ...read, description: "Another." }))).toThrow(
      'The toolset "orders" already has a tool "look_up" of version 1; give one of them another version.',
    );
    tools.register(defineTool(write));
    expect(tools.list().map(({ definition }) => definition.name)).toEqual(["look_up", "pay"]);
    expect(tools.unregister("pay")).toBe(true);
    expect(tools.find("pay")).toBeUndefined();
    expect(() => toolset({ name: "No Name", tools: [] })).toThrow(/not a name of a toolset/);
  });

  it("holds versions of a name side by side, and returns the newest one that is not deprecated", () => {
    const tools = toolset({ name: "orders", tools: ["2", "10", "9"].map((version) => defineTool({ ...read, version })) });
    tools.register(defineTool({ ...read, version: "11", deprecated: { note: "Use 10: it is faster." } }));
    expect(tools.list().map(({ definition }) => definition.version)).toEqual(["2", "10", "9", "11"]);
    expect(tools.find("look_up")?.definition.version).toBe("10");
    expect(tools.find("look_up", "2")?.definition.version).toBe("2");
    expect(tools.find("look_up", "3")).toBeUndefined();
    expect(tools.unregister("look_up", "10")).toBe(true);
    expect(tools.unregister("look_up", "10")).toBe(false);
    expect(tools.find("look_up")?.definition.version).toBe("9");
    expect(tools.unregister("look_up")).toBe(true);
    expect(tools.list()).toEqual([]);
  });

  it("refuses a tool that was not made by defineTool and cannot work", () => {
    const { draft } = defineTool(read);
    const handmade: Tool = { kind: "read", draft: { ...draft, parameters: { type: "object" } }, run: () => 1 };
    expect(() => toolset({ name: "orders", tools: [handmade] })).toThrow(
      /The tool "look_up" has an invalid definition: The parameters are not an object/,
    );
  });

  it("refuses options that it would ignore, with one sentence that says what it needs", () => {
    const tools = [defineTool(read)];
    const refused: readonly [object, string][] = [
      [{ tools: [read] }, 'A tool of the toolset "orders" ("look_up") was not made by defineTool: make it with defineTool({ … }).'],
      [{ tools: [undefined] }, 'A tool of the toolset "orders" was not made by defineTool: make it with defineTool({ … }).'],
      [{ tool: tools }, 'The toolset "orders" has the unknown field "tool": use "tools".'],
      [{}, 'The toolset "orders" needs a list "tools", such as tools: [lookUpOrder].'],
      [
        { tools, examples: { look_up: { id: "1" } } },
        'The toolset "orders" needs a function as "examples", such as () => ({ look_up_order: { order: "ORD-1" } }).',
      ],
    ];
    for (const [options, words] of refused)
      expect(() => toolset({ name: "orders", ...options } as Parameters<typeof toolset>[0])).toThrow(new TypeError(words));
  });

  it("allows the object of a class to have fields of its own", () => {
    class LookUp implements ReadSpec<{ id: string }> {
      readonly name = "look_up";
      readonly kind = "read";
      readonly description = "Looks up.";
      readonly parameters = parameters;
      readonly found = 1;
      readonly run = () => this.found;
    }
    expect(defineTool(new LookUp()).draft.name).toBe("look_up");
  });

  it("gives a definition that differs in anything another hash", () => {
    const hashes = [read, { ...read, description: "Looks up!" }, { ...read, timeoutMs: 4999 }, { ...read, source: "elsewhere" }].map(
      (spec) => toolset({ name: "orders", tools: [defineTool(spec)] }).list()[0]?.hash,
    );
    expect(new Set(hashes).size).toBe(4);
  });
});
