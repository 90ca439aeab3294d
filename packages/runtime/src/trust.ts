import { readFile } from "node:fs/promises";
import { fileKeySet, httpKeySet, KeyRefused, type KeySet, parseTrustedKeys, type TrustedKeys, trustedKeys } from "@toolbus/grants";
import type { Log } from "@toolbus/telemetry";
import { Refusal } from "./refusal.ts";
import { type SettingsOf, str } from "./settings.ts";

/** The sources of other services' public keys for a process. */
export const trustSettings = {
  SERVICE_KEYS_FILE: str({ default: "", desc: 'the public keys of all services, as "toolbus keys" makes them; equal in all processes' }),
  JWKS_FILE: str({
    default: "",
    desc: "a file with the public keys of approvals, read again every minute; instead of SERVICE_KEYS_FILE's",
  }),
  JWKS_URL: str({ default: "", desc: "the approvals service's /.well-known/jwks.json; instead of SERVICE_KEYS_FILE's" }),
  GATEWAY_JWKS_URL: str({
    default: "",
    desc: "an address that serves the gateway's public keys as a JWKS; instead of SERVICE_KEYS_FILE's",
  }),
} as const;

const JWKS_TIMEOUT_MS = 5000;

/** The public keys that this process trusts: those of its own services, those of the file, and the fetched ones. Throws a `Refusal`. */
export async function openTrustedKeys(
  config: SettingsOf<typeof trustSettings>,
  parts: { readonly own: Readonly<Record<string, KeySet>>; readonly monotonic: () => number; readonly log: Log },
): Promise<TrustedKeys> {
  const { SERVICE_KEYS_FILE, JWKS_FILE, JWKS_URL, GATEWAY_JWKS_URL } = config;
  const { own, monotonic: clock, log } = parts;
  const onProblem = (message: string): void => log.warn({}, message);
  const fetched = (url: string): KeySet => httpKeySet({ url, clock, timeoutMs: JWKS_TIMEOUT_MS, onProblem });
  return trustedKeys({
    ...(SERVICE_KEYS_FILE === "" ? {} : await keysOfFile(SERVICE_KEYS_FILE)),
    ...(JWKS_URL === "" ? {} : { approvals: fetched(JWKS_URL) }),
    ...(JWKS_FILE === "" ? {} : { approvals: fileKeySet({ file: JWKS_FILE, clock, onProblem }) }),
    ...(GATEWAY_JWKS_URL === "" ? {} : { gateway: fetched(GATEWAY_JWKS_URL) }),
    // Its own key needs no file: it may trust its own signatures.
    ...own,
  });
}

/** Throws a `Refusal` unless the keys of these services are known: without them their signatures could not be verified. */
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
