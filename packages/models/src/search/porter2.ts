/**
 * The English stemmer of Snowball, known as Porter2. It follows the published definition step by step:
 * https://snowballstem.org/algorithms/english/stemmer.html. It expects a word of the letters a to z in lower case.
 */
export function porter2(word: string): string {
  if (word.length < 3) return word;
  const whole = WHOLE.get(word);
  if (whole !== undefined) return whole;
  // A y that is a consonant is written as Y, so that it does not count as a vowel.
  const marked = word.replace(/^y/, "Y").replaceAll(/([aeiouy])y/g, "$1Y");
  const r1 = regionOne(marked);
  const r2 = r1 + regionAfter(marked.slice(r1));
  const singular = step1a(marked);
  if (AFTER_1A.has(singular)) return singular;
  const steps = [step1b, step1c, step2, step3, step4, step5];
  return steps.reduce((root, step) => step(root, r1, r2), singular).toLowerCase();
}

/** Returns where the region after the first consonant that follows a vowel begins. */
function regionAfter(text: string): number {
  return /[aeiouy][^aeiouy]/.exec(text)?.index === undefined ? text.length : text.search(/[aeiouy][^aeiouy]/) + 2;
}

function regionOne(word: string): number {
  const [start] = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/.exec(word) ?? [];
  return start === undefined ? regionAfter(word) : start.length;
}

function step1a(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word) || !word.endsWith("s")) return word;
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word;
}

function step1b(word: string, r1: number): string {
  const [eed] = /(?:eedly|eed)$/.exec(word) ?? [];
  if (eed !== undefined) return inRegion(word, eed, r1) ? `${word.slice(0, -eed.length)}ee` : word;
  const [ending] = /(?:ingly|edly|ing|ed)$/.exec(word) ?? [];
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (ending.startsWith("ing") && /^[^aeiouy]y$/i.test(rest)) return `${rest.slice(0, -1)}ie`;
  if (!/[aeiouy]/.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/^[aeo](?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1);
  return isShort(rest, r1) ? `${rest}e` : rest;
}

function step1c(word: string): string {
  return /.[^aeiouy]y$/i.test(word) ? `${word.slice(0, -1)}i` : word;
}

function step2(word: string, r1: number): string {
  const [ending, made] = longest(word, STEP_2);
  if (ending === "" || !inRegion(word, ending, r1)) return word;
  const rest = word.slice(0, -ending.length);
  if (ending === "ogi") return rest.endsWith("l") ? `${rest}og` : word;
  if (ending === "li") return /[cdeghkmnrt]$/.test(rest) ? rest : word;
  return rest + made;
}

function step3(word: string, r1: number, r2: number): string {
  const [ending, made] = longest(word, STEP_3);
  if (ending === "" || !inRegion(word, ending, ending === "ative" ? r2 : r1)) return word;
  return word.slice(0, -ending.length) + made;
}

function step4(word: string, _r1: number, r2: number): string {
  const [ending] = longest(word, STEP_4);
  if (ending === "" || !inRegion(word, ending, r2)) return word;
  const rest = word.slice(0, -ending.length);
  return ending === "ion" && !/[st]$/.test(rest) ? word : rest;
}

function step5(word: string, r1: number, r2: number): string {
  const rest = word.slice(0, -1);
  if (word.endsWith("l")) return inRegion(word, "l", r2) && rest.endsWith("l") ? rest : word;
  if (!word.endsWith("e")) return word;
  return inRegion(word, "e", r2) || (inRegion(word, "e", r1) && !endsShort(rest)) ? rest : word;
}

function inRegion(word: string, ending: string, region: number): boolean {
  return word.length - ending.length >= region;
}

function isShort(word: string, r1: number): boolean {
  return r1 >= word.length && endsShort(word);
}

/** Returns whether a word ends with a short syllable, as "rap", "trap" and "ow" do, and "uproot" does not. */
function endsShort(word: string): boolean {
  return /^[aeiouy][^aeiouy]$|[^aeiouy][aeiouy][^aeiouywxY]$|^past$/.test(word);
}

type Endings = readonly (readonly [ending: string, made: string])[];

/** Returns the longest ending that the word has. The endings are in the order of their length. */
function longest(word: string, endings: Endings): readonly [string, string] {
  return endings.find(([ending]) => word.endsWith(ending)) ?? ["", ""];
}

function endings(text: string): Endings {
  const pairs = text.split(" ").map((pair): readonly [string, string] => {
    const [ending = "", made = ""] = pair.split(":");
    return [ending, made];
  });
  return pairs.toSorted(([a], [b]) => b.length - a.length);
}

const STEP_2 = endings(
  `tional:tion enci:ence anci:ance abli:able entli:ent izer:ize ization:ize ational:ate ation:ate ator:ate alism:al aliti:al alli:al fulness:ful ousli:ous ousness:ous iveness:ive iviti:ive biliti:ble bli:ble ogist:og ogi:og fulli:ful lessli:less li:`,
);
const STEP_3 = endings("tional:tion ational:ate alize:al icate:ic iciti:ic ical:ic ful: ness: ative:");
const STEP_4 = endings("al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion");

/** Words with a form of their own. */
const WHOLE: ReadonlyMap<string, string> = new Map(
  endings(
    "skis:ski skies:sky idly:idl gently:gentl ugly:ugli early:earli only:onli singly:singl sky:sky news:news howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes",
  ),
);
const AFTER_1A: ReadonlySet<string> = new Set("inning outing canning herring earring evening proceed exceed succeed".split(" "));
