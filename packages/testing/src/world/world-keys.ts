import type { ApprovalsKeys } from "@toolbus/approvals";
import { type Identity, publicKeySet, sealKeysOf, signerOf, staticKeySet, type TrustedKeys, trustedKeys } from "@toolbus/grants";
import { prng } from "../clockwork/prng.ts";
import type { Role } from "./roles.ts";
import { keyFromName } from "./signing-key.ts";
import { TOOLSET } from "./sim-tools.ts";

/** The keys of every simulated world. They are always the same, so that a history has the same signatures. */
export interface WorldKeys {
  readonly identities: Readonly<Record<Role, Identity>>;
  readonly approvals: ApprovalsKeys;
  readonly trusted: TrustedKeys;
  /** Resolves when all keys are imported. When an import ends does not depend on the seed, so it must be complete before the first event. */
  imported(): Promise<void>;
}

const SERVICES: Readonly<Record<Role, string>> = {
  gateway: "gateway",
  agent: "agent",
  worker: `worker.${TOOLSET}`,
  approvals: "approvals",
};

export async function worldKeys(): Promise<WorldKeys> {
  const stored = Object.entries(SERVICES).map(([role, service]) => ({
    role,
    service,
    key: keyFromName(`${service} of every simulated world`),
  }));
  const identities = Object.fromEntries(
    await Promise.all(stored.map(async ({ role, service, key }) => [role, { service, signer: await signerOf(key) }] as const)),
  ) as Record<Role, Identity>;
  const sets = stored.map(({ service, key }) => ({ service, kid: key.kid, set: staticKeySet(publicKeySet([key])) }));
  const trusted = trustedKeys(Object.fromEntries(sets.map(({ service, set }) => [service, set])));
  const verifying = trusted.of("approvals");
  const secret = Buffer.from(prng("the seal key of every simulated world").bytes(32)).toString("base64url");
  return {
    identities,
    approvals: {
      signing: [keyFromName("approvals of every simulated world")],
      verifying,
      seals: sealKeysOf({ keys: [{ kid: "world", secret }] }),
    },
    trusted,
    async imported() {
      for (const { kid, set } of sets) await set.find(kid);
    },
  };
}
