import {
  generateSigningKey,
  KeyRefused,
  openSigningKey,
  publicKeyOf,
  publicKeys,
  publicKeySet,
  readSigningKeys,
  signerOf,
  staticKeySet,
} from "@toolbus/grants";
import type { KeySet, Signer } from "@toolbus/grants";
import type { Toolset } from "../tool/toolset.ts";

/** The key that a toolset signs with, and the public halves of that key and of the earlier ones. */
export interface ReceiptKey {
  readonly signer: Signer;
  readonly keys: KeySet;
}

/**
 * Returns the receipt key of a toolset from its file. On a bus in memory, nobody else has to know the key, so a missing key is created. Otherwise an
 * operator creates it and pins its public half with the tools. Returns null for a toolset without writes and without a file. Throws `KeyRefused` with
 * one sentence.
 */
export async function openReceiptKey(
  toolset: Toolset,
  { file, busUrl }: { readonly file: string | undefined; readonly busUrl: string },
): Promise<ReceiptKey | null> {
  const embedded = busUrl.startsWith("memory:");
  const write = toolset.list().find(({ tool }) => tool.kind === "write")?.definition.name;
  if (file === undefined || file === "") {
    if (write === undefined) return null;
    if (!embedded)
      throw new KeyRefused(
        `The toolset "${toolset.name}" has the write "${write}" and no receipt key: pass "receiptKeyFile". ${remedy(toolset.name)}`,
      );
    const signer = await signerOf(await generateSigningKey());
    return { signer, keys: publicKeys([publicKeyOf(signer)]) };
  }
  const stored = await readSigningKeys({ file });
  if (stored === null && !embedded)
    throw new KeyRefused(`There is no receipt key ${file} for the toolset "${toolset.name}". ${remedy(toolset.name)}`);
  const all = stored ?? [await openSigningKey({ file })];
  const [current] = all;
  if (!current) throw new KeyRefused(`The receipt key ${file} is empty. ${remedy(toolset.name)}`);
  return { signer: await signerOf(current), keys: staticKeySet(publicKeySet(all)) };
}

/** All replicas of a toolset use the same key, so the remedy is never to make one here. */
function remedy(toolset: string): string {
  return `"toolbus keys --toolsets ${toolset} --give worker.${toolset}=FOLDER" copies worker.${toolset}-signing.jwk into a folder for all its replicas.`;
}
