/** A longer list is cut. */
const MOST_CHARS = 3000;
const OPENING = "([{";
const CLOSING = ")]}";

/**
 * Returns the parameters of a Python function that callers give by name: those with a default and those after `*`. "**" stands for any further name.
 * Parameters with a leading underscore are private. The text begins with the parenthesis before the list.
 */
export function optionalParameters(text: string): readonly string[] {
  const names: string[] = [];
  let isNamed = false;
  for (const part of partsOf(text.slice(1, MOST_CHARS))) {
    if (part.startsWith("**")) names.push("**");
    else if (part.startsWith("*")) isNamed = true;
    else {
      const [, name, rest = ""] = /^([A-Za-z]\w{0,79})\s*(.{0,1})/s.exec(part) ?? [];
      if (name !== undefined && (isNamed || rest === "=" || (rest === ":" && hasDefault(part)))) names.push(name);
    }
  }
  return names;
}

/** Returns whether a parameter with a type also has a default: an equals sign outside brackets and texts. */
function hasDefault(part: string): boolean {
  return piecesOf(part, "=").length > 1;
}

function partsOf(text: string): readonly string[] {
  return piecesOf(text, ",").map((part) => part.replace(/^(?:\s|#[^\n]*\n)+/, "").trim());
}

/** Splits a text at a letter, but not inside brackets and texts. The text ends where a bracket closes that it does not open. */
function piecesOf(text: string, at: string): readonly string[] {
  const pieces: string[] = [];
  let depth = 0;
  let quote = "";
  let begin = 0;
  for (let index = 0; index < text.length; index++) {
    const letter = text.charAt(index);
    if (quote !== "") {
      if (letter === "\\") index++;
      else if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    // A comment ends with its line.
    else if (letter === "#") index = lineEnd(text, index);
    else if (OPENING.includes(letter)) depth++;
    else if (CLOSING.includes(letter)) {
      if (depth === 0) return [...pieces, text.slice(begin, index)];
      depth--;
    } else if (letter === at && depth === 0) {
      pieces.push(text.slice(begin, index));
      begin = index + 1;
    }
  }
  return [...pieces, text.slice(begin)];
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}
