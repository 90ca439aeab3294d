import { type Approval, type ApprovalView, doubtfulWords, type Json, type JsonObject, visible } from "@toolbus/contracts";

type CardDoubt = NonNullable<ApprovalView["doubts"]>[number];

// A person who reads this many doubts will look at every word.
const MOST = 16;

/**
 * Returns the words on a card that may be misread, with their places: the names and values of the arguments, the effect, and the requester's name.
 */
export function doubtsOf({ effect, requester }: Pick<Approval, "effect" | "requester">, args: JsonObject | null): readonly CardDoubt[] {
  const found: CardDoubt[] = [];
  const note = (place: string, text: string): void => {
    for (const doubt of doubtfulWords(text))
      // The effect repeats values of the arguments, so a word that occurs in both is listed only once.
      if (found.length < MOST && !(place === "/effect" && found.some(({ word }) => word === doubt.word))) found.push({ place, ...doubt });
  };
  if (args !== null) walk(args, "/arguments");
  note("/requester", requester);
  note("/effect", effect);
  return found;

  function walk(value: Json, place: string): void {
    if (found.length >= MOST) return;
    if (typeof value === "string") note(place, value);
    if (typeof value !== "object" || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      const inner = `${place}/${pointerPart(name)}`;
      if (!Array.isArray(value)) note(inner, name);
      walk(part as Json, inner);
    }
  }
}

/** Returns a name as a part of a JSON Pointer (RFC 6901), truncated to the length that people see. */
function pointerPart(name: string): string {
  const cut = name.length <= 64 ? name : `${name.slice(0, 64).toWellFormed()}…`;
  return visible(cut.replaceAll("~", "~0").replaceAll("/", "~1"));
}
