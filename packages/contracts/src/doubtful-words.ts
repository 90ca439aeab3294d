import { visible } from "./tool-definition.ts";

/** The reasons why a word may be mistaken for another. */
export const DOUBTS = ["mixed_scripts", "looks_latin", "mixed_digits", "hidden_characters"] as const;
export type Doubt = (typeof DOUBTS)[number];

/** A word that a person may mistake for another. */
export interface DoubtfulWord {
  readonly why: Doubt;
  /** The word as it looks, truncated to fit on a card. Invisible characters are escaped. */
  readonly word: string;
  /** The word with every non-ASCII character escaped, such as `p\u0430ypal`. */
  readonly spelled: string;
}

/** The largest number of doubtful words that are reported for one text. A longer list would not help the reader. */
const MOST = 8;
const SHOWN_CHARS = 64;

/**
 * Returns the words of a text that may be mistaken for others (UTS #39). Such a word mixes scripts, has digits of two systems, contains invisible
 * characters, or imitates a word in ordinary Latin letters. The level for mixed scripts is "moderately restrictive". Latin may be next to a script
 * without Latin look-alikes, such as Japanese, Korean or Hebrew, but not next to Cyrillic or Greek. Ordinary text of any language has no such words.
 */
export function doubtfulWords(text: string): readonly DoubtfulWord[] {
  if (!BEYOND_ASCII.test(text)) return hiddenIn(text);
  const found: DoubtfulWord[] = [...hiddenIn(text)];
  // A letter that resembles no Latin letter shows that the text is meant to be in that letter's script.
  const meant = [CYRILLIC, GREEK].filter((script) => script.unlike.test(text));
  for (const [chunk] of text.matchAll(/\S+/gu)) {
    if (found.length >= MOST) break;
    if (!BEYOND_ASCII.test(chunk)) continue;
    const beside = LATIN.test(chunk);
    for (const [word] of chunk.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
      const why = doubtOf(word, (script) => !beside && meant.includes(script));
      if (why !== null) found.push({ why, ...spellings(word) });
    }
  }
  return found.slice(0, MOST);
}

interface Script {
  /** Matches a text that contains a letter of the script. */
  readonly any: RegExp;
  /** Matches a word that consists only of the script's letters that look Latin. */
  readonly alike: RegExp;
  /** Matches a text with a letter of the script that does not look Latin. */
  readonly unlike: RegExp;
}

// These are the letters of both scripts whose prototype is a Latin letter in Unicode's confusables (UTS #39, confusables.txt).
const CYRILLIC_ALIKE = "аАВсСеЕһНіІјЈКМоОрРԛԚѕЅТԝԜхХуУүҮԁӏӀ";
const GREEK_ALIKE = "αΑΒεΕϲϹΗιΙϳͿΚΜνΝοΟρΡΤυΥγχΧΖ";
const CYRILLIC = scriptOf("Cyrillic", CYRILLIC_ALIKE);
const GREEK = scriptOf("Greek", GREEK_ALIKE);
const GREEK_LETTER_ALIKE = new RegExp(`[${GREEK_ALIKE}]`, "u");

const BEYOND_ASCII = /[^\u0000-\u007f]/;
const LATIN = /\p{Script_Extensions=Latin}/u;
const EAST_ASIAN =
  /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}\p{Script_Extensions=Bopomofo}]/u;
/** Scripts in everyday use that ordinary text mixes with Latin and whose letters do not look Latin. */
const BESIDE_LATIN = [
  "Arabic",
  "Hebrew",
  "Thai",
  "Lao",
  "Khmer",
  "Myanmar",
  "Devanagari",
  "Bengali",
  "Gurmukhi",
  "Gujarati",
  "Oriya",
  "Tamil",
  "Telugu",
  "Kannada",
  "Malayalam",
  "Sinhala",
  "Tibetan",
  "Ethiopic",
  "Georgian",
].map((name) => new RegExp(`\\p{Script_Extensions=${name}}`, "u"));
/**
 * Latin letters, and signs that are read as letters, that imitate other letters. They are phonetic and mathematical letters and small Roman numerals.
 */
const LATIN_ALIKE = /[\u0251\u0261\u01c0\ua781\u{1d400}-\u{1d7ff}\u2170-\u217f]/u;
const WIDE = /[\uff21-\uff3a\uff41-\uff5a]/;
const NARROW = /[A-Za-z]/;

function scriptOf(name: string, alike: string): Script {
  const script = `\\p{Script_Extensions=${name}}`;
  return {
    any: new RegExp(`(?=\\p{L})${script}`, "u"),
    alike: new RegExp(`^[${alike}\\p{N}\\p{M}]+$`, "u"),
    unlike: new RegExp(`(?=\\p{L})(?![${alike}])${script}`, "u"),
  };
}

function doubtOf(word: string, isMeant: (script: Script) => boolean): Doubt | null {
  if (!BEYOND_ASCII.test(word)) return null;
  if (mixesScripts(word)) return "mixed_scripts";
  if (/[0-9]/.test(word) && /(?![0-9])\p{Nd}/u.test(word)) return "mixed_digits";
  if (LATIN_ALIKE.test(word) || (WIDE.test(word) && NARROW.test(word))) return "looks_latin";
  const own = [CYRILLIC, GREEK].find((script) => script.any.test(word) && script.alike.test(word));
  return own !== undefined && !isMeant(own) ? "looks_latin" : null;
}

function mixesScripts(word: string): boolean {
  // Some characters belong to all scripts, such as digits. Others have the script of their base character. Neither kind shows which script was
  // intended.
  const letters = Array.from(word).filter((one) => /\p{L}/u.test(one) && !/[\p{Script=Common}\p{Script=Inherited}]/u.test(one));
  const latin = letters.some((one) => LATIN.test(one));
  const others = new Set(letters.filter((one) => !LATIN.test(one)).map(classOf));
  if (!latin) return others.size > 1;
  if (others.size === 0 || (others.size === 1 && (others.has(EAST_ASIAN) || BESIDE_LATIN.some((script) => others.has(script)))))
    return false;
  // Units and formulas are fine, as in `10μs` and `Δt`, because none of their letters looks like a letter of another word.
  return !(others.size === 1 && others.has(GREEK.any) && !GREEK_LETTER_ALIKE.test(word));
}

/** Returns a regular expression that identifies a letter's script, or null for all other scripts together. */
function classOf(letter: string): RegExp | null {
  return [EAST_ASIAN, CYRILLIC.any, GREEK.any, ...BESIDE_LATIN].find((script) => script.test(letter)) ?? null;
}

function hiddenIn(text: string): readonly DoubtfulWord[] {
  const chunks = text.split(/(?<=[\t\n ])|(?=[\t\n ])/u).filter((chunk) => visible(chunk) !== chunk);
  return chunks.slice(0, MOST).map((chunk) => ({ why: "hidden_characters", ...spellings(chunk) }));
}

function spellings(word: string): Pick<DoubtfulWord, "word" | "spelled"> {
  const cut = word.length <= SHOWN_CHARS ? word : `${word.slice(0, SHOWN_CHARS).toWellFormed()}…`;
  return { word: visible(cut), spelled: visible(cut).replace(/[^\u0000-\u007f…]/gu, escaped) };
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
