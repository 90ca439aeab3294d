import type { Json } from "@toolbus/contracts";

/** Finds the members of a JSON object while its text still comes. */
export interface ArgumentMembers {
  /** Takes the next piece of the text; gives the members that are whole by now and were not given before. */
  take(text: string): readonly (readonly [string, Json])[];
}

// What is not whole by then is shown with the turn.
const MAX_HELD = 64 * 1024;

/**
 * Reads a JSON object member by member as its text comes, in whatever pieces. A member is given once it is whole: half a value could not be redacted.
 * It checks no more than it needs to; text that is no object of JSON gives nothing more from there on, and the turn says what it was.
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
    // The brace that opens the object belongs to no member.
    if (depth === 1 && char === "{" && member === "") return;
    if (!ends) {
      member += char;
      return;
    }
    // Spaces before the object.
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
