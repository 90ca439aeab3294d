import { type Approval, type ApprovalView, doubtfulWords, type Json, type JsonObject, visible } from "@toolbus/contracts";

type CardDoubt = NonNullable<ApprovalView["doubts"]>[number];

// A person who reads this many will look at every word.
const MOST = 16;

/** The words on a card that may be misread, and where they are: in names and values of the arguments, in the effect, in the requester's name. */
export function doubtsOf({ effect, requester }: Pick<Approval, "effect" | "requester">, args: JsonObject | null): readonly CardDoubt[] {
  const found: CardDoubt[] = [];
  const note = (place: string, text: string): void => {
    for (const doubt of doubtfulWords(text))
      // The effect repeats values of the arguments.
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

/** A name in a JSON Pointer (RFC 6901), truncated to what a person is shown. */
function pointerPart(name: string): string {
  const cut = name.length <= 64 ? name : `${name.slice(0, 64).toWellFormed()}…`;
  return visible(cut.replaceAll("~", "~0").replaceAll("/", "~1"));
}
