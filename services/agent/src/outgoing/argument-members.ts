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
  return { take };

  function take(text: string): readonly (readonly [string, Json])[] {
    const whole: (readonly [string, Json])[] = [];
    /** The start of the part of `text` that belongs to the member and is not in `member` yet. */
    let from = 0;
    for (let at = 0; at < text.length && !over; at++) {
      const char = text.charCodeAt(at);
      if (inString) {
        if (escaped) escaped = false;
        else if (char === BACKSLASH) escaped = true;
        else if (char === QUOTE) inString = false;
        continue;
      }
      if (char === QUOTE) inString = true;
      else if (char === OPENING_BRACE || char === OPENING_BRACKET) depth++;
      else if (char === CLOSING_BRACE || char === CLOSING_BRACKET) depth--;
      // The brace that opens the object is not part of a member, and neither is what precedes it.
      const opens = depth === 1 && char === OPENING_BRACE && (member + text.slice(from, at)).trim() === "";
      if (opens || (depth === 0 && char !== CLOSING_BRACE && !inString)) from = at + 1;
      else if (depth === 0 || (depth === 1 && char === COMMA)) {
        const said = member + text.slice(from, at);
        const found = memberOf(said);
        if (found) whole.push(found);
        over = depth === 0 || (found === null && said.trim() !== "");
        member = "";
        from = at + 1;
      }
    }
    member += text.slice(from);
    over ||= member.length > MAX_HELD;
    return whole;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [123, 125, 91, 93];

function memberOf(text: string): readonly [string, Json] | null {
  try {
    const [entry] = Object.entries(JSON.parse(`{${text}}`) as Record<string, Json>);
    return entry ?? null;
  } catch {
    return null;
  }
}
