import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Jwks } from "@toolbus/contracts";
import {
  KeyRefused,
  openSealKeys,
  openSigningKey,
  parseTrustedKeys,
  publicKeySet,
  readSigningKeys,
  rotateSealKeys,
  rotateSigningKeys,
  type RotationStep,
  trustedKeysFile,
} from "@toolbus/grants";
import { Refusal } from "./refusal.ts";

/** The files of the services' keys in one directory. Only the service itself may read its private key, but all services read the public keys. */
export interface ServiceKeyFiles {
  readonly directory: string;
  readonly gateway: string;
  readonly agent: string;
  readonly approvals: string;
  readonly seals: string;
  /** The file of the key that signs the receipts of toolsets without their own key. */
  readonly receipts: string;
  /** The file of all public keys, for `SERVICE_KEYS_FILE`. */
  readonly trusted: string;
}

export function serviceKeyFiles(directory: string): ServiceKeyFiles {
  const at = (name: string): string => path.join(directory, name);
  return {
    directory,
    gateway: at("gateway-signing.jwk"),
    agent: at("agent-signing.jwk"),
    approvals: at("approvals-signing.jwk"),
    seals: at("approvals-seal-keys.json"),
    receipts: at("receipts-signing.jwk"),
    trusted: at("service-keys.json"),
  };
}

/** Returns the key file of a toolset that has its own key. */
export function workerKeyFile({ directory }: Pick<ServiceKeyFiles, "directory">, toolset: string): string {
  return path.join(directory, `worker.${toolset}-signing.jwk`);
}

export interface MakeServiceKeys {
  /** Toolsets whose workers share one key. */
  readonly toolsets: readonly string[];
  /** Toolsets that receive their own keys, in addition to those that already have one. */
  readonly ownToolsets?: readonly string[];
  readonly random: (bytes: number) => Uint8Array;
}

/**
 * Makes the missing keys, keeps the existing ones, and writes the public keys. Other entries in the file of public keys stay. Throws a `Refusal` for
 * an invalid file, and never replaces this file.
 */
export async function makeServiceKeys(files: ServiceKeyFiles, { toolsets, ownToolsets = [], random }: MakeServiceKeys): Promise<void> {
  try {
    await openSealKeys({ file: files.seals, make: random });
    for (const file of [files.gateway, files.agent, files.approvals, files.receipts]) await openSigningKey({ file });
    for (const toolset of ownToolsets) await openSigningKey({ file: workerKeyFile(files, toolset) });
    await writeTrusted(files, toolsets);
  } catch (error) {
    throw error instanceof KeyRefused ? new Refusal(error.message) : error;
  }
}

/** Returns the toolsets that have their own key file. */
export async function toolsetsWithKeys({ directory }: Pick<ServiceKeyFiles, "directory">): Promise<readonly string[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => /^worker\.([A-Za-z0-9._-]+)-signing\.jwk$/.exec(name)?.[1] ?? []).toSorted();
}

/** The key to rotate: that of a service, `worker` for the key that toolsets share, or the secrets of approvals' seals. */
export type Rotatable = "gateway" | "agent" | "approvals" | "approvals-seals" | "worker" | `worker.${string}`;

/**
 * Advances the keys of a service by one step, and writes the public keys again. The first step adds a new key, the second step uses it, and `finish`
 * removes the old key. Throws a `Refusal` for a step that is not due.
 */
export async function rotateServiceKeys(
  files: ServiceKeyFiles,
  service: Rotatable,
  { finish, toolsets, random }: { readonly finish: boolean } & Pick<MakeServiceKeys, "toolsets" | "random">,
): Promise<RotationStep> {
  try {
    if (service === "approvals-seals") return (await rotateSealKeys(files.seals, { finish, random })).step;
    const { step } = await rotateSigningKeys(fileOf(files, service), { finish });
    await writeTrusted(files, toolsets);
    return step;
  } catch (error) {
    throw error instanceof KeyRefused ? new Refusal(error.message) : error;
  }
}

function fileOf(files: ServiceKeyFiles, service: Exclude<Rotatable, "approvals-seals">): string {
  if (service === "worker") return files.receipts;
  if (service === "gateway" || service === "agent" || service === "approvals") return files[service];
  return workerKeyFile(files, service.slice("worker.".length));
}

async function writeTrusted(files: ServiceKeyFiles, toolsets: readonly string[]): Promise<void> {
  const shared = toolsets.map((toolset) => [`worker.${toolset}`, files.receipts] as const);
  const own = (await toolsetsWithKeys(files)).map((toolset) => [`worker.${toolset}`, workerKeyFile(files, toolset)] as const);
  const owners = new Map([...(["gateway", "agent", "approvals"] as const).map((name) => [name, files[name]] as const), ...shared, ...own]);
  const services: Record<string, Jwks> = await trustedBefore(files.trusted);
  for (const [service, file] of owners) services[service] = publicKeySet((await readSigningKeys({ file })) ?? []);
  const draft = `${files.trusted}.${process.pid}.draft`;
  await writeFile(draft, trustedKeysFile(services), { mode: 0o644 });
  await rename(draft, files.trusted);
}

async function trustedBefore(file: string): Promise<Record<string, Jwks>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
  return Object.fromEntries(Object.entries(parseTrustedKeys(text, file)).flatMap(([service, { jwks }]) => (jwks ? [[service, jwks]] : [])));
}
