import path from "node:path";
import { type LocalKeys, namedLines, startAllInOne, startApart } from "@toolbus/all-in-one";
import { readPermissions } from "@toolbus/runtime";
import { SELF } from "../toolbus/self.ts";
import type { DemoArguments } from "./arguments.ts";

export interface SystemOptions {
  readonly directory: string;
  readonly apart: DemoArguments["apart"];
  readonly env: Readonly<Record<string, string>>;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The services of the demo, in one process or several. */
export interface System {
  readonly gatewayUrl: string;
  /** The gateway from which the demo reads the stream. */
  readonly streamUrl: string;
  readonly approvalsUrl: string;
  readonly keys: LocalKeys;
  /** Where the state is stored, in words for people. */
  readonly state: string;
  stop(): Promise<unknown>;
}

/** Starts every service, either in this process with its state in a folder, or in separate processes with a shared broker and store. */
export async function startSystem({ directory, apart, env, say, signal }: SystemOptions): Promise<System> {
  if (!apart) {
    const system = await startAllInOne({ directory, env: { ...env, GATEWAY_PORT: "0", APPROVALS_PORT: "0" }, signal });
    const { gatewayUrl, approvalsUrl, keys } = system;
    return { gatewayUrl, streamUrl: gatewayUrl, approvalsUrl, keys, state: path.join(directory, "state"), stop: () => system.stop() };
  }
  const { bus, state, replicas, permissions } = apart;
  const plan = permissions === undefined ? null : await readPermissions(permissions);
  if (!plan) say(ONE_LOGIN);
  const lines = namedLines((line) => void process.stderr.write(line));
  const system = await startApart({
    directory,
    ...(plan ? { addresses: plan.addressesOf } : { busUrl: inNamespace(bus), stateUrl: inNamespace(state) }),
    replicas,
    env,
    onOutput: lines.write,
    signal,
  });
  say(
    `Services: ${system
      .replicas()
      .map(({ process: { name, pid } }) => `${name} (${pid})`)
      .join(", ")}.`,
  );
  return {
    gatewayUrl: system.gatewayUrls[0] ?? "",
    streamUrl: system.gatewayUrls.at(-1) ?? "",
    approvalsUrl: system.approvalsUrls.at(-1) ?? "",
    keys: system.keys,
    state: plan ? `${schemeOf(plan.deployment.stateUrl)} (a login for each service)` : `${schemeOf(state)} (namespace ${NAMESPACE})`,
    async stop() {
      await system.stop();
      lines.end();
    },
  };
}

const NAMESPACE = "toolbus-demo";

/** The demo must not create logins on servers that belong to somebody else, so it only prints this warning. */
const ONE_LOGIN = `All services share one login here: only signatures, not rights, limit a compromised service. To give each its own login: "${SELF} permissions", then --permissions DIR.`;

/** Adds the demo's own namespace to the address of a shared server, unless the address names one. */
function inNamespace(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has("namespace")) parsed.searchParams.set("namespace", NAMESPACE);
  return parsed.href;
}

/** Returns only the scheme, because the rest of an address may contain a password. */
function schemeOf(url: string): string {
  return url.slice(0, url.indexOf(":"));
}
