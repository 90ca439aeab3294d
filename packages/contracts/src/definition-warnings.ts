import { doubtfulWords } from "./doubtful-words.ts";
import { isJsonObject, type Json } from "./json.ts";
import { type ToolDefinition, visible } from "./tool-definition.ts";

/** The largest number of warnings about one definition. An operator who reads this many will look at every word. */
const MOST = 16;
/** The part of a text that is examined, in characters. A description has at most 4,000. */
const READ_CHARS = 8000;
const QUOTED_CHARS = 120;

/** What a text says to the model instead of about the tool. Each pattern has bounded repeats, so its time is linear. */
const PATTERNS: readonly (readonly [what: string, pattern: RegExp])[] = [
  [
    "tells the model to ignore what it was told",
    /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|instructions?|prompts?|rules|told)\b[^.\n]{0,40}/i,
  ],
  [
    "tells the model to hide something from the person",
    /\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell|telling|inform|informing|mention|mentioning|notify|notifying)\b[^.\n]{0,40}/i,
  ],
  ["gives the model an order", /\b(?:you must|you have to|you are required to|always call|before (?:using|calling) any)\b[^.\n]{0,60}/i],
  ["imitates a message of the system", /<\/?(?:system|important|instructions?|secret|admin)\b[^>\n]{0,40}>|\bsystem prompt\b/i],
  [
    "names an address to send something to",
    /\b(?:send|forward|post|upload|e-?mail|mail|copy|bcc)\b[^\n]{0,80}(?:[\w.+-]{1,60}@[\w-]{1,60}\.\w{2,}|https?:\/\/[^\s"')]{1,100})/i,
  ],
];

/** An invisible character that a service has written as an escape, so that a person sees it. */
const ESCAPED = /\\u(?:\{([0-9a-f]{4,6})\}|([0-9a-f]{4}))/gi;

/**
 * Returns what is suspicious about the texts of a definition, a sentence for each finding. These are invisible characters, words that may be mistaken
 * for others, and text that speaks to the model. An honest definition may have findings too, so an operator judges them. The quoted text contains
 * no invisible characters.
 */
export function definitionWarnings({
  name,
  description,
  effect = "",
  parameters,
}: Pick<ToolDefinition, "name" | "description" | "effect" | "parameters">): readonly string[] {
  const found: string[] = [];
  const note = (place: string, text: string): void => {
    const read = text.slice(0, READ_CHARS);
    for (const sentence of [...wordsIn(read), ...ordersIn(read)]) if (found.length < MOST) found.push(`${place} ${sentence}`);
  };
  note("The name", name);
  note("The description", description);
  note("The effect", effect);
  walk(parameters, "/parameters");
  return found;

  function walk(value: Json, place: string): void {
    if (found.length >= MOST) return;
    if (typeof value === "string") note(place, value);
    else if (Array.isArray(value)) value.forEach((one, n) => walk(one, `${place}/${n}`));
    else if (isJsonObject(value))
      for (const [key, part] of Object.entries(value)) {
        // A pattern is not read by people, and its classes look like words of several scripts.
        if (key === "pattern" && typeof part === "string") continue;
        const inner = `${place}/${visible(key.slice(0, 64).toWellFormed())}`;
        note(inner, key);
        walk(part, inner);
      }
  }
}

function wordsIn(text: string): readonly string[] {
  const escaped = [...text.matchAll(ESCAPED)].filter(([, long, short]) => isUnseen(Number.parseInt(long ?? short ?? "", 16)));
  return [
    ...doubtfulWords(text).map(({ why, word, spelled }) =>
      why === "hidden_characters"
        ? `has an invisible character: ${word.trim()}`
        : `has a word that may be mistaken for another: ${word}, spelled ${spelled}`,
    ),
    ...escaped.slice(0, 1).map(([escape]) => `had an invisible character: ${escape}`),
  ];
}

function ordersIn(text: string): readonly string[] {
  return PATTERNS.flatMap(([what, pattern]) => {
    const said = pattern.exec(text)?.[0];
    return said === undefined ? [] : [`${what}: "${visible(said.slice(0, QUOTED_CHARS).toWellFormed()).replace(/\s+/g, " ").trim()}"`];
  });
}

function isUnseen(code: number): boolean {
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && visible(String.fromCodePoint(code)) !== String.fromCodePoint(code);
}
