import { readFile } from "node:fs/promises";
import { fileKeySet, httpKeySet, KeyRefused, type KeySet, parseTrustedKeys, type TrustedKeys, trustedKeys } from "@toolbus/grants";
import type { Log } from "@toolbus/telemetry";
import { type ListedKey, refuseUnlistedKeys } from "./listed-keys.ts";
import { Refusal } from "./refusal.ts";
import { type SettingsOf, str } from "./settings.ts";

/** The settings that say where a process finds the public keys of other services. */
export const trustSettings = {
  SERVICE_KEYS_FILE: str({
    default: "",
    desc: 'the file of public keys of all services that "toolbus keys" makes; the same in all processes',
  }),
  JWKS_FILE: str({
    default: "",
    desc: "a file with the public keys of approvals, read again every minute; it replaces those in SERVICE_KEYS_FILE",
  }),
  JWKS_URL: str({
    default: "",
    desc: "the address of approvals' /.well-known/jwks.json; it replaces the keys of approvals in SERVICE_KEYS_FILE",
  }),
  GATEWAY_JWKS_URL: str({
    default: "",
    desc: "an address that serves the gateway's public keys as a JWKS; it replaces those in SERVICE_KEYS_FILE",
  }),
} as const;

const JWKS_TIMEOUT_MS = 5000;

/**
 * Returns the public keys that this process trusts: the keys of its own services, the keys in files, and the keys that it fetches. Throws a `Refusal`
 * for an invalid file or address, and for a file that does not have the own keys that it has to have.
 */
export async function openTrustedKeys(
  config: SettingsOf<typeof trustSettings>,
  parts: {
    readonly own: Readonly<Record<string, KeySet>>;
    readonly listed: readonly ListedKey[];
    readonly monotonic: () => number;
    readonly log: Log;
  },
): Promise<TrustedKeys> {
  const { SERVICE_KEYS_FILE, JWKS_FILE, JWKS_URL, GATEWAY_JWKS_URL } = config;
  const { own, monotonic: clock, log } = parts;
  const onProblem = (message: string): void => log.warn({}, message);
  const fetched = (setting: "JWKS_URL" | "GATEWAY_JWKS_URL"): KeySet => {
    try {
      return httpKeySet({ url: config[setting], clock, timeoutMs: JWKS_TIMEOUT_MS, onProblem });
    } catch (error) {
      throw error instanceof KeyRefused ? new Refusal(`${setting} cannot be used. ${error.message}`) : error;
    }
  };
  const inFile = SERVICE_KEYS_FILE === "" ? {} : await keysOfFile(SERVICE_KEYS_FILE);
  // Below, the own keys replace those of the file, so this is the only place that has both.
  await refuseUnlistedKeys(parts.listed, { listed: inFile, listedIn: SERVICE_KEYS_FILE });
  return trustedKeys({
    ...inFile,
    ...(JWKS_URL === "" ? {} : { approvals: fetched("JWKS_URL") }),
    ...(JWKS_FILE === "" ? {} : { approvals: fileKeySet({ file: JWKS_FILE, clock, onProblem }) }),
    ...(GATEWAY_JWKS_URL === "" ? {} : { gateway: fetched("GATEWAY_JWKS_URL") }),
    // The process trusts its own signatures, so its own keys need no file.
    ...own,
  });
}

/** Throws a `Refusal` if the public key of one of these services is unknown, because its signatures could not be verified. */
export function needKeysOf(trusted: TrustedKeys, services: readonly string[]): void {
  const missing = services.filter((service) => !trusted.knows(service));
  if (missing.length === 0) return;
  throw new Refusal(
    `The public keys of ${missing.join(" and ")} are not known: set SERVICE_KEYS_FILE to the file that "toolbus keys" makes${missing.includes("approvals") ? ", or JWKS_URL to the address of approvals" : ""}.`,
  );
}

async function keysOfFile(file: string): Promise<Readonly<Record<string, KeySet>>> {
  try {
    return parseTrustedKeys(await readFile(file, "utf8"), file);
  } catch (error) {
    if (error instanceof KeyRefused) throw new Refusal(error.message);
    throw new Refusal(
      `The file of trusted keys ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}): "toolbus keys" makes one.`,
    );
  }
}
