import { readFile } from "node:fs/promises";
import path from "node:path";
import { isLoopback } from "../http/unreachable.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/**
 * The service for which a key is meant. Users and operators talk to the gateway, and approvers talk to approvals. No key is ever
 * sent to the other service.
 */
export type Audience = "gateway" | "approvals";

export interface KeySearch {
  readonly audience: Audience;
  /** Set to use the operator's key from the data directory instead of the user's key. */
  readonly role?: "operator";
  /** The address to which the client will send the key. */
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The values of --key and --key-file, if they are meant for this audience. */
  readonly key?: string;
  readonly keyFile?: string;
  /** The directory in which a Toolbus on this machine stores its keys. */
  readonly dataDirectory: string;
}

export interface FoundKey {
  readonly key: string;
  /** The source of the key, in words for a person. */
  readonly source: string;
}

const VARIABLE = { gateway: "TOOLBUS_KEY", approvals: "TOOLBUS_APPROVER_KEY" } as const;
const ROLE = { gateway: "user", approvals: "approver" } as const;
/** The role whose keys the service must not receive. A key that Toolbus made begins with the role of its owner. */
const NOT_FOR = { gateway: "approver", approvals: "user" } as const;

/**
 * Returns the key for a service from --key, --key-file, the environment or the data directory, in this order. It uses the data directory only for
 * addresses of this machine. Returns null if there is no key, and throws a Failure for an invalid one.
 */
export async function findKey(search: KeySearch): Promise<FoundKey | null> {
  const found = await look(search);
  if (found === null) return null;
  const key = found.key.trim();
  if (!/^[\x21-\x7e]{1,512}$/.test(key)) {
    throw new Failure(EXIT.usage, `${found.source} holds no key: a key is one word of visible ASCII characters.`);
  }
  const wrong = NOT_FOR[search.audience];
  if (key.startsWith(`tb_${wrong}_`)) {
    throw new Failure(
      EXIT.notAllowed,
      `${found.source} is the key of ${wrong === "user" ? "a user" : "an approver"}, which is never sent to ${search.audience === "gateway" ? "the gateway" : search.audience}: give the key of ${ROLE[search.audience] === "user" ? "a user" : "an approver"} (${VARIABLE[search.audience]}).`,
    );
  }
  return { key, source: found.source };
}

/** Returns the error for a user who has no key. */
export function noKey({ audience, url, dataDirectory }: Pick<KeySearch, "audience" | "url" | "dataDirectory">): Failure {
  const own = isLoopback(url)
    ? `, or name the data directory of the running Toolbus with --data (there is no key in ${dataDirectory})`
    : "";
  return new Failure(EXIT.notAllowed, `There is no key for ${audience} at ${url}: set ${VARIABLE[audience]} or use --key-file${own}.`);
}

async function look({ audience, role, url, env, key, keyFile, dataDirectory }: KeySearch): Promise<FoundKey | null> {
  if (key !== undefined) return { key, source: "--key" };
  if (keyFile !== undefined) return { key: await text(keyFile, "--key-file"), source: `--key-file ${keyFile}` };
  const variable = VARIABLE[audience];
  if (env[variable]) return { key: env[variable], source: variable };
  const named = env[`${variable}_FILE`];
  if (named) return { key: await text(named, `${variable}_FILE`), source: `${variable}_FILE` };
  // The client must not send a key of this machine to another machine.
  if (!isLoopback(url)) return null;
  const file = path.join(dataDirectory, "keys", `${role ?? ROLE[audience]}.key`);
  const local = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw new Failure(
      EXIT.notAllowed,
      `The key file ${file} cannot be read (${error.code ?? "unknown"}): fix its permissions, or set ${variable}.`,
    );
  });
  return local === null ? null : { key: local, source: file };
}

async function text(file: string, named: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Failure(
      EXIT.usage,
      `${named} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): give a file that holds the key.`,
    );
  }
}
