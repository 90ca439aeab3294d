import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiKey, describeProblems, parseApiKeys, ROLES, toolEntryFault } from "@toolbus/contracts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

export interface AddKeyOptions {
  readonly to?: string;
  readonly role: string;
  readonly principal?: string;
  readonly tenant: string;
  readonly scopes?: readonly string[];
  readonly tools?: readonly string[];
  readonly show?: true;
}

/**
 * Makes one more key: its hash goes into the file that a service reads, itself into the data directory. Neither a name that the file has already nor a key
 * that lies there is ever replaced. Throws a Failure.
 */
export async function addKey({ options, output }: Context, name: string, given: AddKeyOptions): Promise<ExitCode> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
    throw usage(`"${name.slice(0, 80)}" is no name of a key: use lower-case letters, digits, "-" and "_", 64 at most.`);
  if (ROLES.some((role) => role === name)) throw usage(`The key "${name}" is made by "toolbus keys" itself: take another name.`);
  const to = given.to ?? "";
  if (to === "") throw usage("Name the file of hashes that the service reads with --to, such as the gateway's GATEWAY_API_KEYS_FILE.");
  const [fault] = (given.tools ?? []).flatMap((entry) => toolEntryFault(entry) ?? []);
  if (fault !== undefined) throw usage(`--tools: ${fault}`);
  const known = await keysIn(to);
  if (known.some(({ id }) => id === name))
    throw usage(`The key "${name}" is in ${to} already: take another name, or take it out of the file.`);
  const key = `tb_${given.role}_${randomBytes(24).toString("base64url")}`;
  const entry = entryOf(name, key, given);
  const checked = parseApiKeys(JSON.stringify([entry]));
  if (!checked.ok) throw usage(`Such a key cannot be made: ${describeProblems(checked.problems)}.`);
  const file = path.join(options.dataDirectory, "keys", `${name}.key`);
  await written(file, async () => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  });
  await written(to, async () => {
    await mkdir(path.dirname(path.resolve(to)), { recursive: true, mode: 0o700 });
    // Whole or not at all: a service that starts at this moment reads one or the other.
    const draft = `${to}.${randomBytes(6).toString("hex")}`;
    await writeFile(draft, JSON.stringify([...known, entry], null, 2), { mode: 0o600 });
    await rename(draft, to);
  });
  if (output.json) output.document({ ...entry, file, ...(given.show ? { key } : {}), keysFile: to });
  else output.lines([given.show ? key : file]);
  output.note(`The service that reads ${to} knows the key after its next start.`);
  return EXIT.ok;
}

function entryOf(id: string, key: string, { role, principal, tenant, scopes, tools }: AddKeyOptions): ApiKey {
  return {
    id,
    sha256: createHash("sha256").update(key).digest("hex"),
    principal: principal ?? id,
    tenant,
    roles: ROLES.filter((known) => known === role),
    scopes: [...(scopes ?? [])],
    ...(tools ? { tools: [...tools] } : {}),
  };
}

async function keysIn(file: string): Promise<readonly ApiKey[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "[]";
    throw usage(`--to ${file} cannot be read (${error.code ?? "unknown"}): name a file of hashes, or one that is not there yet.`);
  });
  const keys = parseApiKeys(text);
  if (!keys.ok) throw usage(`--to ${file} is no file of API keys: ${describeProblems(keys.problems)}.`);
  return keys.value;
}

async function written(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "EEXIST") throw usage(`There is a key at ${file} already: take another name, or remove the file.`);
    throw new Failure(EXIT.failed, `${file} cannot be written (${code}): make its folder writable for this user, or name another file.`);
  }
}

function usage(words: string): Failure {
  return new Failure(EXIT.usage, words);
}
