import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  ADMIN,
  type Deployment,
  loginNames,
  newSecrets,
  type PermissionPlan,
  permissionPlan,
  type ServerFile,
  type ServiceAddresses,
  setUpServers,
} from "@toolbus/runtime";
import type { FakedClock } from "./faked-clock.ts";
import type { PrivateServer } from "./private-server.ts";
import { startPrivateServer } from "./start-private-server.ts";

export interface ServersWithLoginsOptions {
  /** The toolsets that have a login each, besides `operations`. The default is `release` alone. */
  readonly toolsets?: readonly string[];
  readonly agents?: readonly string[];
  /** Changes the files of a server, so that a test can see a check fail. */
  readonly alter?: (file: ServerFile) => string;
  /** Whether to create the exchanges, the streams and the record of the store. The default is true. */
  readonly setUp?: boolean;
  /** The clock of Redis, if a test sets it. */
  readonly clock?: FakedClock;
}

/** A private broker and a private Redis, with exactly the users that `toolbus permissions` makes. */
export interface ServersWithLogins extends AsyncDisposable {
  readonly plan: PermissionPlan;
  readonly broker: PrivateServer;
  readonly redis: PrivateServer;
  /** Returns the addresses of `gateway`, `agent`, `approvals`, `worker-<toolset>`, `operations`, `setup` or `admin`, each with its login. */
  addressesOf(name: string): ServiceAddresses;
  /** Stops both servers and removes their data. */
  remove(): Promise<void>;
}

/**
 * Starts both servers and creates everything that services expect on them. The servers are programs of this machine, because a container would not
 * have access to the files.
 */
export async function startServersWithLogins(
  kind: "rabbitmq" | "nats",
  { toolsets = ["release"], agents = ["default"], alter = ({ text }) => text, setUp = true, clock }: ServersWithLoginsOptions = {},
): Promise<ServersWithLogins> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolbus-logins-"));
  const parts = { agents, toolsets };
  const secrets = newSecrets(loginNames(parts), randomBytes);
  const planAt = (busUrl: string, stateUrl: string): PermissionPlan =>
    permissionPlan({ busUrl, stateUrl, parts } satisfies Deployment, secrets);
  const running: PrivateServer[] = [];
  const remove = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.remove()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // The ports are not known yet. This does no harm, because no file contains them.
    const draft = planAt(kind === "nats" ? "nats://127.0.0.1:1" : "amqp://127.0.0.1:1", "redis://127.0.0.1:1");
    const files = new Map(draft.serverFiles().map((file) => [file.server, alter(file)] as const));
    const start = async <Started extends PrivateServer>(starting: Promise<Started>): Promise<Started> => {
      const started = await starting;
      running.push(started);
      return started;
    };
    const fileOf = async (server: ServerFile["server"], name: string): Promise<string> => {
      const file = path.join(folder, name);
      await writeFile(file, files.get(server) ?? "", { mode: 0o600 });
      return file;
    };
    const login = { user: draft.userOf(ADMIN), password: secrets[ADMIN]?.bus ?? "" };
    const starting = [
      start(
        kind === "nats"
          ? startPrivateServer("nats", { settings: { authorization: (files.get("nats") ?? "").replace(/^authorization /, "") }, login })
          : startPrivateServer("rabbitmq", { settings: { load_definitions: await fileOf("rabbitmq", "definitions.json") }, login }),
      ),
      start(
        startPrivateServer("redis", {
          settings: { aclfile: await fileOf("redis", "redis.acl") },
          ...(clock ? { clock } : {}),
          login: { user: login.user, password: secrets[ADMIN]?.state ?? "" },
        }),
      ),
    ] as const;
    await Promise.allSettled(starting);
    const [broker, redis] = await Promise.all(starting);
    const plan = planAt(withoutLogin(broker.url), withoutLogin(redis.url));
    if (setUp) await setUpServers(plan, () => undefined);
    return { plan, broker, redis, addressesOf: plan.addressesOf, remove, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function withoutLogin(url: string): string {
  return url.replace(/\/\/[^/]*@/, "//");
}
