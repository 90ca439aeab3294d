import type { Json } from "@toolbus/contracts";

/** Finds the members of a JSON object while its text is still arriving. */
export interface ArgumentMembers {
  /** Accepts the next piece of the text. Returns the members that are now complete and were not returned before. */
  take(text: string): readonly (readonly [string, Json])[];
}

// The limit of a member in characters. Viewers see a longer member only when the turn is complete.
const MAX_HELD = 64 * 1024;

/**
 * Reads a JSON object member by member as its text arrives, in pieces of any size. Returns a member when it is complete, because half a value could
 * not be redacted. Does not check the whole grammar. After a fault in the text it returns nothing more, and viewers see the arguments with the turn.
 */
export function argumentMembers(): ArgumentMembers {
  let member = "";
  let depth = 0;
  let inString = false;
  let escaped = false;
  let over = false;
  return {
    take(text) {
      const whole: (readonly [string, Json])[] = [];
      for (const char of text) {
        if (over) break;
        read(char, whole);
      }
      return whole;
    },
  };

  function read(char: string, whole: (readonly [string, Json])[]): void {
    over = member.length > MAX_HELD;
    if (over) return;
    if (inString) {
      member += char;
      if (escaped) escaped = false;
      else if (char === "\\") escaped = true;
      else if (char === '"') inString = false;
      return;
    }
    if (char === '"') inString = true;
    if (char === "{" || char === "[") depth++;
    if (char === "}" || char === "]") depth--;
    const ends = (depth === 1 && char === ",") || depth === 0;
    // The brace that opens the object is not part of a member.
    if (depth === 1 && char === "{" && member === "") return;
    if (!ends) {
      member += char;
      return;
    }
    // Characters before the object are skipped.
    if (depth === 0 && char !== "}") return;
    const found = memberOf(member);
    if (found) whole.push(found);
    over = depth === 0 || (found === null && member.trim() !== "");
    member = "";
  }
}

function memberOf(text: string): readonly [string, Json] | null {
  try {
    const [entry] = Object.entries(JSON.parse(`{${text}}`) as Record<string, Json>);
    return entry ?? null;
  } catch {
    return null;
  }
}
