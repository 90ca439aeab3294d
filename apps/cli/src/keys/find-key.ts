import { readFile } from "node:fs/promises";
import path from "node:path";
import { isLoopback } from "../http/unreachable.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

/** The owner of the key that a service accepts: people who ask talk to the gateway, approvers to approvals. Neither key ever goes to the other address. */
export type Audience = "gateway" | "approvals";

export interface KeySearch {
  readonly audience: Audience;
  /** Use the operator's key, not the user's, of those that a start on this machine left. */
  readonly role?: "operator";
  /** The address that the key will be sent to. */
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** From --key and --key-file, when they are meant for this audience. */
  readonly key?: string;
  readonly keyFile?: string;
  /** Where a start on this machine keeps its keys. */
  readonly dataDirectory: string;
}

export interface FoundKey {
  readonly key: string;
  /** Where it came from, in words for a person. */
  readonly source: string;
}

const VARIABLE = { gateway: "TOOLBUS_KEY", approvals: "TOOLBUS_APPROVER_KEY" } as const;
const ROLE = { gateway: "user", approvals: "approver" } as const;
/** Keys that a start made carry the role of their owner. */
const NOT_FOR = { gateway: "approver", approvals: "user" } as const;

/**
 * The key for a service: --key, --key-file, the environment, then the one that a start on this machine left in its data directory. The last is for
 * addresses of this machine only. Null if there is none; throws a Failure for an invalid one.
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
      `${found.source} is the key of ${wrong === "user" ? "a user" : "an approver"}, which is never sent to ${search.audience}: give the key of ${ROLE[search.audience] === "user" ? "a user" : "an approver"} (${VARIABLE[search.audience]}).`,
    );
  }
  return { key, source: found.source };
}

/** The sentence for somebody who has no key. */
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
  // A key made for this machine is not sent to another one.
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
