import { type Idempotency, type JsonObject, type Tier, TIERS, type Trust } from "@toolbus/contracts";
import { defineTool, type Tool, type Toolset, toolset } from "@toolbus/tool-kit";
import { activeProcess, type SimProcess } from "../clockwork/sim-process.ts";
import type { Target } from "./target.ts";

/** The toolset of the simulated workers. */
export const TOOLSET = "sim";

/** A write of the simulator. The invariants use this description instead of the product's own rules. */
export interface SimWrite {
  readonly name: string;
  readonly tier: Tier;
  readonly mode: Idempotency["mode"];
  /** Whether people see the worker's plan of the write, and approve nothing else. */
  readonly plans: boolean;
}

const MODES: readonly Idempotency["mode"][] = ["key", "reconcile", "none"];

/** One write for each tier and each idempotency mode. None of them offers a plan. */
export const simWrites: readonly SimWrite[] = TIERS.flatMap((tier) =>
  MODES.map((mode) => ({ name: `${tier}_${mode}`, tier, mode, plans: false })),
);

/** Returns the name of the same write with a plan. */
export function planned(name: string): string {
  return `${name}_planned`;
}

const known = new Map(
  [...simWrites, ...simWrites.map((write) => ({ ...write, name: planned(write.name), plans: true }))].map((write) => [write.name, write]),
);

/** Returns the description of a write, or undefined for any other tool. */
export function writeNamed(name: string): SimWrite | undefined {
  return known.get(name);
}

/** Returns the names of the writes of a toolset. */
export function writesOf(tools: Toolset): readonly string[] {
  return tools.list().flatMap(({ definition }) => (definition.kind === "write" ? [definition.name] : []));
}

/** From this amount on, a medium write has the tier high. */
export const LARGE = 900;

/** Returns the tier of one write by the simulator's own rules, or null for any other tool. */
export function tierOf(tool: string, args: JsonObject): Tier | null {
  const write = writeNamed(tool);
  if (!write) return null;
  return write.tier === "medium" && typeof args["n"] === "number" && args["n"] >= LARGE ? "high" : write.tier;
}

/** The target of each simulated worker, for the handlers of its tools. */
const targets = new WeakMap<SimProcess, Target>();

export function setTarget(process: SimProcess, target: Target): void {
  targets.set(process, target);
}

/** The name of the read. */
export const READ = "look_up";

/** Makes a toolset with these writes, a read and a compute. `trust` is the trust that the read declares for its results. */
export function simToolset(writes: readonly string[], trust: Trust = "internal"): Toolset {
  return toolset({ name: TOOLSET, tools: [lookUp(trust), addUp(), ...writes.map(writeTool)] });
}

const made = new Map<string, Tool>();
const WRITE_TIMEOUT_MS = 4000;
/** A target must remember its keys for this time, which is longer than any request can be in transit. */
const KEEPS_KEYS_MS = 86_400_000;

const PARAMETERS = {
  type: "object",
  properties: { n: { type: "integer", minimum: 0, maximum: 1000 }, to: { type: "string", maxLength: 40, default: "nobody" } },
  required: ["n"],
  additionalProperties: false,
} as const;

// Each tool is made once per thread, because compiling a schema takes a millisecond.
function once(name: string, make: () => Tool): Tool {
  const tool = made.get(name) ?? make();
  made.set(name, tool);
  return tool;
}

function lookUp(trust: Trust): Tool {
  return once(`${READ} ${trust}`, () =>
    defineTool({
      name: READ,
      ...(trust === "internal" ? {} : { trust }),
      kind: "read",
      description: "Looks something up.",
      parameters: PARAMETERS,
      timeoutMs: 3000,
      run: ({ n }: { readonly n: number }) => here((target, process) => target.look(process, String(n))),
    }),
  );
}

function addUp(): Tool {
  return once("add_up", () =>
    defineTool({
      name: "add_up",
      kind: "compute",
      description: "Adds one.",
      parameters: PARAMETERS,
      run: ({ n }: { readonly n: number }): JsonObject => ({ sum: n + 1 }),
    }),
  );
}

function writeTool(name: string): Tool {
  return once(name, () => {
    const write = writeNamed(name);
    if (!write) throw new Error(`There is no simulated write "${name}".`);
    const { tier, mode, plans } = write;
    return defineTool({
      name,
      kind: "write",
      description: `A write of tier ${tier} that is interrupted as ${mode}.`,
      parameters: PARAMETERS,
      risk: {
        tier,
        ...(tier === "medium"
          ? { rules: [{ when: { properties: { n: { minimum: LARGE } } }, tier: "high" as const, reason: "large" }] }
          : {}),
      },
      idempotency: mode === "key" ? { mode, keepsForMs: KEEPS_KEYS_MS } : { mode },
      timeoutMs: WRITE_TIMEOUT_MS,
      effect: "Do {n} to {to}.",
      prepare: (args: { readonly n: number; readonly to: string }) => here((target, process) => target.prepare(process, args)),
      run: (prepared, { idempotencyKey: callId }) =>
        here((target, process) => target.change(process, { callId, tool: name, mode, arguments: prepared })),
      ...(plans
        ? {
            plan: (args: { readonly n: number; readonly to: string }, { callId }: { readonly callId: string }) =>
              here((target, process) => target.plan(process, callId, args)),
          }
        : {}),
      ...(mode === "reconcile"
        ? {
            reconcile: (_prepared: unknown, { idempotencyKey }: { readonly idempotencyKey: string }) =>
              here((target, process) => target.ask(process, idempotencyKey)),
          }
        : {}),
    });
  });
}

function here<T>(act: (target: Target, process: SimProcess) => Promise<T>): Promise<T> {
  const process = activeProcess();
  const target = process && targets.get(process);
  if (!process || !target) throw new Error("A simulated tool ran outside a simulated worker.");
  return act(target, process);
}
