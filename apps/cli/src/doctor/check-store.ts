import { sentenceOf, storeDurability } from "@toolbus/runtime";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { type Check, fail, ok, warn } from "./check.ts";

const ASKED_FOR_MS = 3000;

/**
 * Checks whether the store of this shell's STATE_URL keeps acknowledged writes, and returns one check for each doubt. Returns no check if STATE_URL
 * names no server, because a Toolbus that was started elsewhere has its own STATE_URL. A doubt is a fault if no service would start with the store,
 * and a warning if a power cut may lose writes.
 */
export async function checkStore({ around, signal }: Pick<Context, "around" | "signal">): Promise<readonly Check[]> {
  const name = "store";
  const { STATE_URL: url, STATE_DURABILITY: durability } = around.env;
  if (!url) return [];
  try {
    const found = await storeDurability(url, { connectForMs: ASKED_FOR_MS, signal, ...wantedOf(durability) });
    if (found === null) return [];
    const { shown, doubts } = found;
    if (doubts.length === 0) return [ok(name, safeText(`${shown} keeps what it acknowledges, also through a power cut`))];
    return doubts.map((doubt) => warn(name, safeText(doubt), REMEDY));
  } catch (error) {
    signal.throwIfAborted();
    const sentence = sentenceOf(error);
    return [fail(name, safeText(sentence), `Nothing starts with this store. ${remedyOf(sentence)}`)];
  }
}

/** Returns the value of STATE_DURABILITY if it is valid, and otherwise an empty object. */
function wantedOf(durability: string | undefined): { readonly durability?: "required" | "relaxed" } {
  return durability === "required" || durability === "relaxed" ? { durability } : {};
}

/** Returns the remedy for the sentence of a store that cannot be used (`redis-errors.ts`). */
function remedyOf(sentence: string): string {
  if (/ (?:refuses|requires a) (?:the )?login: /.test(sentence)) return "Correct the user and the password in STATE_URL.";
  if (/ (?:refuses connections|did not answer in time|cannot be (?:found|reached))/.test(sentence))
    return "Correct the address in STATE_URL, or start the store.";
  return REMEDY;
}

const REMEDY = 'docs/operations.md, "When the store lost writes", says what each setting of the server means.';
