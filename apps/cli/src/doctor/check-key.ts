import { Answered, client, type Client } from "../http/client.ts";
import { isLoopback } from "../http/unreachable.ts";
import { type Audience, noKey } from "../keys/find-key.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** The finding about a key, and a client that sends this key. The client is null if the service does not accept the key. */
export interface CheckedKey {
  readonly check: Check;
  readonly service: Client | null;
}

const LOOK = { gateway: "/v1/runs?limit=1", approvals: "/v1/approvals?limit=1" } as const;
const ROLES = { gateway: "user or operator", approvals: "approver or operator" } as const;

/**
 * Checks whether a key for a service exists and the service accepts it. A missing key for approvals is only a warning, because not every user is an
 * approver.
 */
export async function checkKey(context: Context, audience: Audience): Promise<CheckedKey> {
  const name = audience === "gateway" ? "user key" : "approver key";
  const url = audience === "gateway" ? context.options.url : context.options.approvalsUrl;
  let source = "";
  try {
    const found = await context.keyFor(audience);
    if (found === null) {
      const fix = noKey({ audience, url, dataDirectory: context.options.dataDirectory }).message;
      if (audience === "gateway") return { check: fail(name, "There is no key.", fix), service: null };
      return { check: warn(name, "There is no key, so nothing can be approved from here.", fix), service: null };
    }
    source = found.source;
    const service = client({ url, service: audience, key: found.key, signal: context.signal });
    await service.get(LOOK[audience]);
    const role = /^tb_(user|operator|approver)_/.exec(found.key)?.[1] ?? ROLES[audience];
    if (new URL(url).protocol === "http:" && !isLoopback(url)) {
      return { check: warn(name, `It is accepted (${role}), and travels to ${url} unencrypted.`, "Use an https address."), service };
    }
    return { check: ok(name, `accepted, role ${role} (from ${found.source})`), service };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    if (error instanceof Answered && error.code === "unauthenticated") {
      const fix = "It is wrong, expired, revoked, or of another Toolbus: correct it, or remove it to use that of the data directory.";
      return { check: fail(name, `It is not accepted (from ${source}).`, fix), service: null };
    }
    const what = error.exitCode === EXIT.notAllowed ? "It is not accepted." : "It could not be tried.";
    return { check: fail(name, what, error.message), service: null };
  }
}
