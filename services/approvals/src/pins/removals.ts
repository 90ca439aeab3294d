import { availabilityOf, HOME_SHARD, keys, type Removal, registryMember, type ToolRemoval, type ToolRemove } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import type { SealedStore } from "../sealed/sealed-store.ts";

/**
 * Operators' requests to remove registrations. Approvals signs a request, and `operations` removes the registration, because approvals does not write
 * to the registry of toolsets.
 */
export interface Removals {
  /** Asks for the removal of a registration. It is safe to repeat the request. */
  ask(tool: string, wanted: ToolRemove, by: string): Promise<RemovalAsked>;
}

export type RemovalAsked =
  | { readonly kind: "asked"; readonly removal: ToolRemoval }
  | { readonly kind: "none" }
  | { readonly kind: "several"; readonly reason: string };

export interface RemovalsOptions {
  readonly state: StateStore;
  readonly sealed: SealedStore;
  readonly log: Log;
}

export function createRemovals({ state, sealed, log }: RemovalsOptions): Removals {
  return {
    async ask(tool, { version, toolset }, by) {
      const registered = (await readRegistry(state, log)).filter(
        (one) =>
          one.definition.name === tool &&
          (version === undefined || one.definition.version === version) &&
          (toolset === undefined || one.toolset === toolset),
      );
      const [first, ...others] = registered;
      if (!first) return { kind: "none" };
      if (others.length > 0) {
        const all = registered.map((one) => `${one.definition.version} of ${one.toolset}`).join(", ");
        return { kind: "several", reason: `"${tool}" is registered more than once: ${all}.` };
      }
      const meant = { toolset: first.toolset, tool, version: first.definition.version };
      const member = registryMember(meant);
      const key = keys.removal(member);
      const { now, documents } = await sealed.read([key]);
      const removal: Removal = { ...meant, hash: first.hash, registeredAt: first.registeredAt, by, askedAt: now };
      const before = documents[0]?.stored?.version ?? 0;
      const { outcome } = await commitRepeatedly(state, HOME_SHARD, {
        op: `removal:${before}:${member}`,
        guards: [{ key, version: before }],
        put: [{ key, value: removal, expiresAt: now + KEPT_MS }],
        index: [{ index: keys.removals(), member, score: now }],
        append: [
          {
            log: keys.audit(HOME_SHARD),
            entries: [
              { event: "removal_asked", by, at: now, tool, toolVersion: meant.version, toolset: meant.toolset, toolHash: first.hash },
            ],
          },
        ],
      });
      // If the outcome is stale, another operator made the same request at the same moment.
      if (outcome === "ok") log.info({ ...meant, by }, "an operator asked for a registration to be removed");
      const served = availabilityOf(first, now) !== "asleep";
      return { kind: "asked", removal: { ...meant, lastSeenAt: first.lastSeenAt, served } };
    },
  };
}

/** How long a request is kept if nobody carries it out. After that time, an operator can make the request again. */
const KEPT_MS = 7 * 86_400_000;
