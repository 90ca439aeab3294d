import { createHash, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiKey, describeProblems, parseApiKeys, PERSON_ROLES, ROLES, toolEntryFault } from "@toolbus/contracts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { hashesIn, localHashFileFor, localHashFiles, usage, writeHashes, written } from "./hash-file.ts";

export interface AddKeyOptions {
  readonly to?: string;
  readonly role: string;
  readonly principal?: string;
  readonly tenant: string;
  readonly scopes?: readonly string[];
  /** The same as `scopes`. */
  readonly scope?: readonly string[];
  readonly groups?: readonly string[];
  readonly tools?: readonly string[];
  readonly show?: true;
  /** The key expires after this many milliseconds. */
  readonly expires?: number;
}

/**
 * Makes one more key. It writes the hash to the file that a service reads, and the key itself to the data directory. Throws a Failure if the file
 * already has the name or the directory already has the key, because the command never replaces either.
 */
export async function addKey({ options, output, around }: Context, name: string, given: AddKeyOptions): Promise<ExitCode> {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
    throw usage(`"${name.slice(0, 80)}" is not a valid key name: use lower-case letters, digits, "-" and "_", 64 at most.`);
  if (PERSON_ROLES.some((role) => role === name)) throw usage(`The key "${name}" is made by "toolbus keys" itself: choose another name.`);
  const here = localHashFileFor(given.role, options.dataDirectory);
  const to = given.to || here;
  const [fault] = (given.tools ?? []).flatMap((entry) => toolEntryFault(entry) ?? []);
  if (fault !== undefined) throw usage(`--tools: ${fault}`);
  const found = await hashesIn(to);
  if (found === null && !given.to)
    throw usage(`There is no ${here}: start Toolbus here first, or name the hash file that the service reads with --to.`);
  const known = found ?? [];
  // One name is one file of the data directory, so a user and an approver of the same name would have the same file.
  for (const [file, entries] of given.to ? [[to, known] as const] : await everyLocalKey(options.dataDirectory))
    if (entries.some(({ id }) => id === name))
      throw usage(
        `The key "${name}" is already in ${file}: choose another name, or revoke it first with "${SELF} keys revoke ${name}${given.to ? ` --to ${given.to}` : ""}".`,
      );
  const key = `tb_${given.role}_${randomBytes(24).toString("base64url")}`;
  const entry = entryOf(name, key, given, around.now());
  const checked = parseApiKeys(JSON.stringify([entry]));
  if (!checked.ok) throw usage(`Such a key cannot be made: ${describeProblems(checked.problems)}.`);
  const file = path.join(options.dataDirectory, "keys", `${name}.key`);
  await written(file, async () => {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `${key}\n`, { mode: 0o600, flag: "wx" });
  });
  await writeHashes(to, [...known, entry]);
  if (output.json) output.document({ ...entry, file, ...(given.show ? { key } : {}), keysFile: to });
  else output.lines([given.show ? key : file]);
  output.note(`A service that reads ${to} knows the key in a few seconds.`);
  return EXIT.ok;
}

async function everyLocalKey(dataDirectory: string): Promise<readonly (readonly [file: string, entries: readonly ApiKey[]])[]> {
  return Promise.all(Object.values(localHashFiles(dataDirectory)).map(async (file) => [file, (await hashesIn(file)) ?? []] as const));
}

function entryOf(
  id: string,
  key: string,
  { role, principal, tenant, scopes, scope, groups, tools, expires }: AddKeyOptions,
  now: number,
): ApiKey {
  const named = scopes || scope ? [...(scopes ?? []), ...(scope ?? [])] : undefined;
  return {
    id,
    sha256: createHash("sha256").update(key).digest("hex"),
    principal: principal ?? id,
    tenant,
    roles: ROLES.filter((known) => known === role),
    // An approver without a scope could see writes but could not decide any.
    scopes: [...(named ?? (role === "approver" ? ["approve:*"] : []))],
    ...(groups ? { groups: [...groups] } : {}),
    ...(tools ? { tools: [...tools] } : {}),
    ...(expires === undefined ? {} : { expiresAt: now + expires }),
  };
}
