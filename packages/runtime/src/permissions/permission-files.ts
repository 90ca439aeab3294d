import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { Refusal } from "../refusal.ts";
import { type Deployment, loginNames, type LoginSecrets, newSecrets, type PermissionPlan, permissionPlan } from "./permission-plan.ts";

/** The requested deployment. Values that are absent here come from the folder. */
export interface PermissionRequest {
  readonly folder: string;
  readonly busUrl?: string;
  readonly stateUrl?: string;
  readonly agents?: readonly string[];
  readonly toolsets?: readonly string[];
  /** Whether all logins receive new passwords. */
  readonly rotate?: boolean;
}

export interface WrittenPermissions {
  readonly plan: PermissionPlan;
  /** The files, with the purpose of each. */
  readonly files: readonly { readonly file: string; readonly for: string }[];
  /** Logins that existed and kept their passwords. */
  readonly kept: readonly string[];
}

/**
 * Writes the logins of a deployment into a folder. `permissions.json` contains all logins. Each service has its own folder with a file of its
 * addresses. The other files are for the broker and the store. An existing login keeps its passwords, unless `rotate` is true. Throws a `Refusal` for
 * invalid addresses, and for files that it cannot read or write.
 */
export async function writePermissions(request: PermissionRequest): Promise<WrittenPermissions> {
  const before = await readRecord(request.folder);
  const deployment = deploymentOf(request, before?.deployment);
  const names = loginNames(deployment.parts);
  const kept = request.rotate || !before ? [] : names.filter((name) => Object.hasOwn(before.logins, name));
  const logins = { ...newSecrets(names, randomBytes), ...Object.fromEntries(kept.flatMap((name) => entryOf(before?.logins, name))) };
  const plan = permissionPlan(deployment, logins);
  const files = [
    {
      file: RECORD,
      for: "all logins: keep it where no service can read it",
      text: `${JSON.stringify({ ...deployment, logins }, null, 2)}\n`,
      secret: true,
    },
    ...plan.names.map((name) => ({
      file: path.join(name, "credentials.env"),
      for: `the addresses of ${name}, with its login`,
      text: environmentFile(plan.addressesOf(name)),
      secret: true,
    })),
    ...plan.serverFiles().map(({ server, name, text, secret }) => ({
      file: path.join(server, name),
      for: `the server's users and their rights`,
      text,
      secret,
    })),
  ];
  for (const { file, text, secret } of files) await writeWhole(path.join(request.folder, file), text, secret);
  return { plan, kept, files: files.map((one) => ({ file: path.join(request.folder, one.file), for: one.for })) };
}

/** Returns the logins in a folder. Throws a `Refusal` if there are none. */
export async function readPermissions(folder: string): Promise<PermissionPlan> {
  const record = await readRecord(folder);
  if (!record) throw new Refusal(`There are no logins in ${folder}: make them with "toolbus permissions --out ${folder}".`);
  return permissionPlan(record.deployment, record.logins);
}

/**
 * Returns the text of a `permissions.json` that has only this login, for a process that needs no other one. Throws a `Refusal` if the folder has no such
 * login.
 */
export async function recordWithOnly(folder: string, login: string): Promise<string> {
  const record = await readRecord(folder);
  const entries = entryOf(record?.logins, login);
  if (!record || entries.length === 0)
    throw new Refusal(`There is no login "${login}" in ${folder}: make it with "toolbus permissions --out ${folder}".`);
  return `${JSON.stringify({ ...record.deployment, logins: Object.fromEntries(entries) }, null, 2)}\n`;
}

const RECORD = "permissions.json";

interface StoredLogins {
  readonly deployment: Deployment;
  readonly logins: Readonly<Record<string, LoginSecrets>>;
}

async function readRecord(folder: string): Promise<StoredLogins | null> {
  const file = path.join(folder, RECORD);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return null;
    throw new Refusal(`The logins in ${file} cannot be read (${code}): give this user the right to, or name another folder.`, {
      cause: error,
    });
  }
  const record = recordIn(text);
  if (!record) throw new Refusal(`The file ${file} holds no logins: delete it to have new ones made, or name another folder.`);
  return record;
}

function recordIn(text: string): StoredLogins | null {
  try {
    const { busUrl, stateUrl, parts, logins } = JSON.parse(text) as Partial<Deployment & StoredLogins>;
    if (typeof busUrl !== "string" || typeof stateUrl !== "string" || !isNames(parts?.agents) || !isNames(parts.toolsets)) return null;
    if (!Object.values(logins ?? {}).every(({ bus, state, salt }) => [bus, state, salt].every((each) => typeof each === "string")))
      return null;
    return { deployment: { busUrl, stateUrl, parts: { agents: parts.agents, toolsets: parts.toolsets } }, logins: logins ?? {} };
  } catch {
    return null;
  }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

function deploymentOf({ busUrl, stateUrl, agents, toolsets }: PermissionRequest, before: Deployment | undefined): Deployment {
  return {
    busUrl: withoutLogin(busUrl ?? before?.busUrl ?? DEFAULT_BUS),
    stateUrl: withoutLogin(stateUrl ?? before?.stateUrl ?? DEFAULT_STATE),
    parts: { agents: agents ?? before?.parts.agents ?? ["default"], toolsets: toolsets ?? before?.parts.toolsets ?? ["release"] },
  };
}

const DEFAULT_BUS = "amqp://127.0.0.1:5672";
const DEFAULT_STATE = "redis://127.0.0.1:6379";

/** Removes the login from an address, because a stored address must contain no login. */
function withoutLogin(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#@,]*@/i, "$1");
}

function entryOf(logins: StoredLogins["logins"] | undefined, name: string): readonly (readonly [string, LoginSecrets])[] {
  const found = logins?.[name];
  return found ? [[name, found]] : [];
}

/** Returns a file of variables for `node --env-file` and for a shell. */
function environmentFile({ busUrl, stateUrl }: { readonly busUrl: string; readonly stateUrl: string }): string {
  return `BUS_URL=${quoted(busUrl)}\nSTATE_URL=${quoted(stateUrl)}\n`;
}

function quoted(text: string): string {
  return /^[\w:/@?=.,%+-]*$/.test(text) ? text : `'${text}'`;
}

/** Writes a file atomically, so that a concurrent reader sees either the whole old file or the whole new one. */
async function writeWhole(file: string, text: string, secret: boolean): Promise<void> {
  const draft = `${file}.${process.pid}.new`;
  const mode = secret ? 0o600 : 0o644;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(draft, text, { mode });
    await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    throw new Refusal(`${file} cannot be written (${codeOf(error)}): make its folder writable for this user, or name another one.`, {
      cause: error,
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
