import { counted } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import type { Policy } from "../policy/policy.ts";

/** Warns of tools and toolsets that the policy names and that are not registered. A misspelt name would silently protect nothing. */
export interface UnregisteredTools {
  /** Compares the policy with the registry. Call this when a toolset registers. */
  look(): Promise<void>;
  /** Returns a sentence that strangers may read, so it has no names. The log has them. */
  warnings(): readonly string[];
}

export function unregisteredTools(options: {
  readonly policy: () => Policy;
  readonly state: StateStore;
  readonly log: Log;
}): UnregisteredTools {
  const { policy, state, log } = options;
  let unknown: readonly string[] = [];
  let version = "";
  return {
    look,
    warnings() {
      // A changed policy is compared in the background, and the next call has the result.
      if (policy().version !== version) void look().catch(() => undefined);
      if (unknown.length === 0) return [];
      const what = counted(unknown.length, "name");
      return [
        `The policy has ${what} of tools or toolsets that are not registered: correct those in the log of approvals, or start their workers.`,
      ];
    },
  };

  async function look(): Promise<void> {
    const { content, version: looked } = policy();
    version = looked;
    const named = [...(content.writeTools ?? []), ...(content.rules ?? []).flatMap(({ tools = [] }) => tools)];
    const wanted = [...new Set(named)].filter((name) => !name.startsWith("source:"));
    if (wanted.length === 0) {
      unknown = [];
      return;
    }
    const registered = new Set(
      (await readRegistry(state, log)).flatMap(({ toolset, definition }) => [definition.name, `toolset:${toolset}`]),
    );
    const now = wanted.filter((name) => !registered.has(name));
    if (now.length > 0 && now.join() !== unknown.join())
      log.warn(
        { tools: now, policy: looked },
        "the policy names tools or toolsets that are not registered, so its rules for them protect nothing",
      );
    unknown = now;
  }
}
