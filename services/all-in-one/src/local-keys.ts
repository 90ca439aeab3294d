import { createHash, randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ApiKey, GUIDES, type PersonRole } from "@toolbus/contracts";
import { makeServiceKeys, readApiKeys, Refusal, type ServiceKeyFiles, serviceKeyFiles } from "@toolbus/runtime";
import { OWN_TOOLSETS } from "./embedded-settings.ts";

/**
 * The keys of an embedded start, one per role. Only approvals knows the approver's key, and only the gateway knows the other two. Approvals also
 * accepts the approver's key as an operator's key, because a key that the gateway sees must not resume writes.
 */
export interface LocalKeys {
  readonly user: string;
  readonly operator: string;
  readonly approver: string;
  /** True if the keys were just made. Only then are they shown to a person. */
  readonly made: boolean;
  readonly gatewayKeysFile: string;
  readonly approvalsKeysFile: string;
  /** The keys that the services sign and seal with. */
  readonly services: ServiceKeyFiles;
}

const SCOPES: Readonly<Record<PersonRole, readonly string[]>> = {
  user: ["tools:read", "tools:write"],
  operator: ["tools:read", "tools:write"],
  approver: ["approve:*"],
};

/**
 * Reads the keys in this directory, or generates them at the first start. Services get files of hashes. The files of the keys themselves have mode
 * 0600. `toolsets` get their own signing keys, in addition to those that already have one. Throws a `Refusal`.
 */
export async function localKeys(directory: string, { toolsets = [] }: { readonly toolsets?: readonly string[] } = {}): Promise<LocalKeys> {
  try {
    return await keysIn(directory, toolsets);
  } catch (error) {
    if (error instanceof Refusal || !(error instanceof Error && "code" in error)) throw error;
    const fix = error.code === "ENOSPC" ? "make room on its disk" : "make it writable for this user, or name another data directory";
    throw new Refusal(`The keys cannot be kept in ${directory} (${String(error.code)}): ${fix}.`, { cause: error });
  }
}

/** The toolsets whose workers share a key by default. */
export const SHARED_TOOLSETS: readonly string[] = [...OWN_TOOLSETS.TOOLSETS.split(","), GUIDES, "mcp"];

async function keysIn(directory: string, ownToolsets: readonly string[]): Promise<LocalKeys> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const secrets = {
    user: await secret(directory, "user"),
    operator: await secret(directory, "operator"),
    approver: await secret(directory, "approver"),
  };
  const made = Object.values(secrets).some((one) => one.made);
  const { key: user } = secrets.user;
  const { key: operator } = secrets.operator;
  const { key: approver } = secrets.approver;
  const gatewayKeysFile = path.join(directory, "gateway-api-keys.json");
  const approvalsKeysFile = path.join(directory, "approvals-api-keys.json");
  await keepEntries(gatewayKeysFile, [entry("user", user), entry("operator", operator)]);
  await keepEntries(approvalsKeysFile, [entry("approver", approver, ["operator"])]);
  const services = serviceKeyFiles(directory);
  await makeServiceKeys(services, { toolsets: SHARED_TOOLSETS, ownToolsets, random: randomBytes });
  return { user, operator, approver, made, gatewayKeysFile, approvalsKeysFile, services };
}

/** Writes our entries into a hash file, and keeps those that somebody has added. The write is atomic, because a service may be reading the file. */
async function keepEntries(file: string, ours: readonly ApiKey[]): Promise<void> {
  const known = await readApiKeys(file).catch((error: unknown) => {
    if (error instanceof Refusal && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return [];
    throw error;
  });
  const entries = [...ours, ...known.filter(({ id }) => !ours.some((own) => own.id === id))];
  if (JSON.stringify(entries) === JSON.stringify(known)) return;
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, JSON.stringify(entries, null, 2), { mode: 0o600 });
  await rename(draft, file);
}

function entry(role: PersonRole, key: string, besides: readonly PersonRole[] = []): ApiKey {
  return {
    id: `local-${role}`,
    sha256: createHash("sha256").update(key).digest("hex"),
    principal: `${role}:local`,
    tenant: "local",
    roles: [role, ...besides],
    scopes: [...SCOPES[role]],
  };
}

async function secret(directory: string, role: PersonRole): Promise<{ readonly key: string; readonly made: boolean }> {
  const file = path.join(directory, `${role}.key`);
  const found = await readSecret(file, role);
  if (found) return { key: found, made: false };
  // The file is written completely and then linked. So a start that is killed leaves no half-written key, and two starts agree on one key.
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `tb_${role}_${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await unlink(draft);
  const made = await readSecret(file, role);
  if (!made) throw new Refusal(`The key file ${file} vanished while it was made: run the command again.`);
  return { key: made, made: true };
}

async function readSecret(file: string, role: PersonRole): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Refusal(
      `The key file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): fix its permissions, or delete it to get a new key.`,
    );
  }
  if (!new RegExp(`^tb_${role}_[\\w-]{16,}\\n?$`).test(text))
    throw new Refusal(`The key file ${file} holds no ${role} key: delete it to get a new one.`);
  await chmod(file, 0o600);
  return text.trim();
}
