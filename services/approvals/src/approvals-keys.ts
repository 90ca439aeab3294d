import {
  KeyRefused,
  openSealKeys,
  openSigningKey,
  publicKeySet,
  readSigningKeys,
  type SealKeys,
  staticKeySet,
  type StoredSigningKey,
} from "@toolbus/grants";
import { type Infrastructure, Refusal } from "@toolbus/runtime";
import type { ApprovalsKeys } from "./approvals-core.ts";
import type { ApprovalsConfig } from "./settings.ts";

/**
 * Reads the keys of approvals from their files. If the bus is in memory, this process is the whole system, so it creates missing files. Without
 * APPROVALS_SEAL_KEYS_FILE, the seal keys are then next to the signing key. In all other cases it refuses a missing file, because replicas with
 * different keys would not trust each other. Throws a `Refusal` that says what to do.
 */
export async function approvalsKeys(
  { APPROVALS_KEY_FILE: file, APPROVALS_SEAL_KEYS_FILE }: Pick<ApprovalsConfig, "APPROVALS_KEY_FILE" | "APPROVALS_SEAL_KEYS_FILE">,
  { embedded, random }: Pick<Infrastructure, "embedded" | "random">,
): Promise<ApprovalsKeys> {
  if (!embedded && APPROVALS_SEAL_KEYS_FILE === "")
    throw new Refusal(
      'APPROVALS_SEAL_KEYS_FILE names no file: approvals seals what it stores, and all its replicas need the same secrets. "toolbus keys" makes it.',
    );
  try {
    const signing = await signingKeys(file);
    return { signing, verifying: staticKeySet(publicKeySet(signing)), seals: await sealKeys() };
  } catch (error) {
    throw error instanceof KeyRefused ? new Refusal(error.message) : error;
  }

  function sealKeys(): Promise<SealKeys> {
    return openSealKeys({ file: APPROVALS_SEAL_KEYS_FILE || `${file}.seals`, make: embedded ? random : null });
  }
}

async function signingKeys(file: string): Promise<ApprovalsKeys["signing"]> {
  // The process decided whether to create the file when it opened its identity. So the file exists here, except in tests.
  const [current = await openSigningKey({ file }), ...older]: readonly StoredSigningKey[] = (await readSigningKeys({ file })) ?? [];
  return [current, ...older];
}
