import type { JsonObject } from "@toolbus/contracts";
import { defineTool, type Toolset, toolset } from "@toolbus/tool-kit";

/** The name of the worker's toolset. */
export const TOOLSET = "fuzz";

/** The target of the tools. It records every change. */
export interface Target {
  /** The calls that changed the target, one entry for each change. */
  readonly changes: readonly string[];
  readonly toolset: Toolset;
  /** Resolves when this call has begun to wait. */
  begun(callId: string, deadline: AbortSignal): Promise<void>;
  /** Resolves when the wait of this call was interrupted. */
  aborted(callId: string, deadline: AbortSignal): Promise<void>;
  /** Ends all waits. */
  release(): void;
}

const PARAMETERS = {
  type: "object",
  properties: { n: { type: "integer", minimum: 0, maximum: 1000 }, to: { type: "string", maxLength: 40, default: "nobody" } },
  required: ["n"],
  additionalProperties: false,
} as const;

/**
 * Creates a toolset with two reads and two writes. One read waits until it is interrupted or released. Policy grants the write `note`. People decide
 * the write `wire`.
 */
export function fuzzTools(): Target {
  const changes: string[] = [];
  const begun = milestones();
  const aborted = milestones();
  let released = Promise.withResolvers<void>();
  const note = (callId: string): JsonObject => {
    changes.push(callId);
    return { done: callId };
  };
  const write = { kind: "write", parameters: PARAMETERS, idempotency: { mode: "none" }, prepare: (args: JsonObject) => args } as const;
  return {
    changes,
    begun: begun.reached,
    aborted: aborted.reached,
    release() {
      released.resolve();
      released = Promise.withResolvers<void>();
    },
    toolset: toolset({
      name: TOOLSET,
      tools: [
        defineTool({
          name: "look",
          kind: "read",
          description: "Looks something up.",
          parameters: PARAMETERS,
          run: ({ n }: { readonly n: number }): JsonObject => ({ found: n }),
        }),
        defineTool({
          name: "linger",
          kind: "read",
          description: "Says how far it is and waits until it is told to stop; asked again, it does not.",
          parameters: PARAMETERS,
          timeoutMs: 60_000,
          async run(_: JsonObject, { callId, signal, progress }): Promise<JsonObject> {
            if (begun.has(callId)) return {};
            const { promise, resolve } = Promise.withResolvers<void>();
            signal.addEventListener("abort", () => resolve(), { once: true });
            progress({ message: "Waiting.", fraction: 0.5 });
            begun.reach(callId);
            await Promise.race([promise, released.promise]);
            if (signal.aborted) aborted.reach(callId);
            return {};
          },
        }),
        defineTool({
          ...write,
          name: "note",
          description: "Writes something down.",
          risk: { tier: "low" },
          effect: "Note {n}.",
          run: (_prepared, { idempotencyKey }) => note(idempotencyKey),
        }),
        defineTool({
          ...write,
          name: "wire",
          description: "Sends money, which nobody here ever approves of.",
          risk: { tier: "high" },
          effect: "Wire {n} to {to}.",
          plan: ({ n }: { readonly n: number }) => ({ before: { sent: 0 }, after: { sent: n } }),
          run: (_prepared, { idempotencyKey }) => note(idempotencyKey),
        }),
      ],
    }),
  };
}

/** Makes a set of milestones. A call reaches each milestone at most once, and a test can wait for it. */
function milestones() {
  const all = new Map<string, PromiseWithResolvers<void>>();
  const passed = new Set<string>();
  const milestone = (name: string): PromiseWithResolvers<void> => {
    const known = all.get(name) ?? Promise.withResolvers<void>();
    all.set(name, known);
    return known;
  };
  return {
    has: (name: string): boolean => passed.has(name),
    reach(name: string): void {
      passed.add(name);
      milestone(name).resolve();
    },
    async reached(name: string, deadline: AbortSignal): Promise<void> {
      const { promise, reject } = milestone(name);
      const late = (): void => reject(new Error(`${name} was not reached in time.`));
      deadline.addEventListener("abort", late, { once: true });
      await promise.finally(() => deadline.removeEventListener("abort", late));
    },
  };
}
