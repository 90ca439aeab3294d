import { BusUnavailable, brokerRights } from "@toolbus/bus";
import { SET_UP, type TriedRight } from "@toolbus/contracts";
import { storeRights, StoreRefused, StoreUnavailable } from "@toolbus/state";
import { Refusal } from "../refusal.ts";
import { ADMIN, type PermissionPlan } from "./permission-plan.ts";

/** The result of the attempts with one login on one server. */
export interface LoginCheck {
  readonly login: string;
  readonly server: "broker" | "store";
  readonly tried: number;
  readonly refused: number;
  readonly allowed: number;
  /** The deviations from the table of rights. Each is the end of a sentence, such as `may publish run.wake, and should not`. */
  readonly deviations: readonly string[];
}

/**
 * Creates the objects that services need on the servers: exchanges and queues, or streams and consumers, and the record of the store. The function
 * uses the login for the setup. A repeated call is safe. Throws a `Refusal` of one sentence if a server refuses or does not answer.
 */
export async function setUpServers(plan: PermissionPlan, warn: (sentence: string) => void): Promise<void> {
  const { busUrl, stateUrl } = plan.addressesOf(SET_UP);
  await refusedWithReason(async () => {
    await storeRights(stateUrl).setUp(warn);
    await brokerAt(busUrl).setUp(plan.deployment.parts);
  });
}

/**
 * Tries every right and every forbidden action with each login. On the broker it uses a separate namespace, in which the same logins have the same
 * rights. In the store it uses keys of a shard that does not exist. `onLogin` receives the result of each login. Throws a `Refusal` if a server
 * refuses the connection or does not answer.
 */
export async function checkPermissions(
  plan: PermissionPlan,
  { signal, onLogin = () => undefined }: { readonly signal?: AbortSignal; readonly onLogin?: (check: LoginCheck) => void } = {},
): Promise<readonly LoginCheck[]> {
  return refusedWithReason(async () => {
    const { parts } = plan.deployment;
    const checks: LoginCheck[] = [];
    const keep = (login: string, server: LoginCheck["server"], tried: readonly TriedRight[]): void => {
      signal?.throwIfAborted();
      const check = counted(login, server, tried);
      checks.push(check);
      onLogin(check);
    };
    for (const service of [...plan.services, SET_UP] as const) {
      const login = typeof service === "string" ? service : service.service;
      keep(login, "store", await storeRights(plan.addressesOf(login).stateUrl).tryRights(service, plan.services, parts));
    }
    const remove = await brokerAt(plan.addressesOf(SET_UP).busUrl).openScratch(parts);
    try {
      for (const { service, topics } of plan.services) {
        const others = plan.names.filter((name) => name !== service && name !== ADMIN).map(plan.userOf);
        keep(service, "broker", await brokerAt(plan.addressesOf(service).busUrl).tryRights(topics, parts, others));
      }
    } finally {
      await remove();
    }
    return checks;
  });
}

function counted(login: string, server: LoginCheck["server"], tried: readonly TriedRight[]): LoginCheck {
  const refused = tried.filter(({ found }) => found === "refused").length;
  return {
    login,
    server,
    tried: tried.length,
    refused,
    allowed: tried.length - refused,
    deviations: tried
      .filter(({ expected, found }) => expected !== found)
      .map(({ what, found }) => (found === "allowed" ? `may ${what}, and should not` : `may not ${what}, and should`)),
  };
}

function brokerAt(url: string) {
  const read = brokerRights(url);
  if (read.ok) return read.rights;
  throw new Refusal(read.reason);
}

/** Turns an error of a server into a `Refusal` with the same message, which is already one sentence. */
async function refusedWithReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BusUnavailable || error instanceof StoreRefused || error instanceof StoreUnavailable)
      throw new Refusal(error.message, { cause: error });
    throw error;
  }
}
