import { hash } from "node:crypto";
import type { Json } from "@toolbus/contracts";
import { type OpenedSeal, openSeal, type Sealed, type SealKeys } from "./seal.ts";
import { isObject } from "./strict-json.ts";

/** Opens sealed documents for one process. */
export interface SealReader {
  /** Returns the same verdict as `openSeal`. */
  open(document: { readonly key: string; readonly value: Json }): OpenedSeal;
  /** Remembers a document that this process has just sealed itself. */
  sealed<T>(key: string, document: Sealed<T>): void;
}

/**
 * Returns a reader that remembers the newest documents. For each of their keys in the store, it remembers the text that it opened or sealed. A
 * service mostly reads documents that it wrote, and comparing two texts takes a tenth of the time of checking a seal. The reader stores only a hash
 * of each text, so that its memory is bounded.
 */
export function sealReader(options: { readonly keys: SealKeys; readonly most?: number }): SealReader {
  const { keys, most = 1000 } = options;
  const known = new Map<string, string>();
  return {
    open({ key, value }) {
      const text = hash("sha256", JSON.stringify(value));
      if (known.get(key) === text && isObject(value)) {
        const { seal, ...content } = value as Sealed<typeof value>;
        return { kind: "genuine", revision: seal.revision, kid: seal.kid, content };
      }
      const opened = openSeal({ key, value }, keys);
      if (opened.kind === "genuine") remember(key, text);
      return opened;
    },
    sealed: (key, document) => remember(key, hash("sha256", JSON.stringify(document))),
  };

  function remember(key: string, text: string): void {
    known.delete(key);
    known.set(key, text);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
  }
}
