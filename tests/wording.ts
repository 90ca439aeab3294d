/** A phrase from this project's past that engineers do not use, and its replacement. The list also applies to `docs/decisions` and the changelog. */
export interface PhraseToAvoid {
  readonly phrase: RegExp;
  readonly write: string;
}

/**
 * The phrases that the check rejects in pages, comments, messages and names of tests. CONTRIBUTING.md shows them in sentences. We add a phrase when a
 * reviewer stumbles over it twice.
 */
export const phrasesToAvoid: readonly PhraseToAvoid[] = [
  { phrase: /\b(?:go|goes|going|gone|went) on with\b/i, write: "continue" },
  { phrase: /\bwish(?:es|ed)?\b/i, write: "request, ask for" },
  { phrase: /\bmend(?:s|ed|ing)?\b/i, write: "fix, correct" },
  { phrase: /\bse(?:e|es|en|eing) to (?:the|it|its|that|them)\b/i, write: "handle, make sure" },
  { phrase: /\bseen through\b/i, write: "complete" },
  { phrase: /\bat sight\b/i, write: "at once, immediately" },
  { phrase: /\bfor the eye\b/i, write: "say what it is for: to be shown" },
  {
    phrase: /\b(?:grants?|volumes?|keys?|runs?|those|one|definition|version|worker|invoke|agent|pin) of before\b/i,
    write: "earlier, former",
  },
  { phrase: /\b(?:let|lets|letting) go\b/i, write: "release, drop, disconnect" },
  { phrase: /\bto be had\b/i, write: "available" },
  { phrase: /\bwhat is told\b/i, write: "name the thing: the event, the message" },
  { phrase: /\b(?:runs?|running|started?|services|processes|clocks|passed|counted) apart\b/i, write: "in separate processes, separately" },
  { phrase: /\b(?:is|are|may be) apart\b/i, write: "differ" },
  { phrase: /\btaken? apart\b/i, write: "split" },
  { phrase: /\b(?:of theirs|as one likes|by and by)\b/i, write: "their; without a limit; later" },
  { phrase: /\bis nobody's\b/i, write: "belongs to nobody, is refused" },
  { phrase: /\bthat there is (?:not|none)\b/i, write: "that does not exist" },
  { phrase: /[a-z0-9`)]\.\.(?=\s|$)/, write: "one stop" },
  {
    phrase: /\b(?:0|[2-9]|[1-9]\d+) (?:message|run|call|worker|process|byte|second|minute)\b(?! (?:a|an|per)\b)(?![-_'a-z])/,
    write: "the plural",
  },
];

/** A line with a phrase to avoid, and the words that match the phrase. */
export interface Stumble {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly found: string;
  readonly write: string;
}

/** Returns the phrases to avoid in a text, in order. Ignores phrases that a line quotes as a bad example between `~~` and `~~`. */
export function stumblesIn(text: string, phrases: readonly PhraseToAvoid[] = phrasesToAvoid): readonly Stumble[] {
  return text.split("\n").flatMap((raw, n) => {
    const line = raw.replaceAll(/~~.+?~~/g, "");
    return phrases.flatMap(({ phrase, write }) => {
      const [found] = phrase.exec(line) ?? [];
      return found === undefined ? [] : [{ line: n + 1, found, write }];
    });
  });
}

/**
 * Returns the lines of a page on which a semicolon or a dash joins two ideas (rule W2). Ignores code, the targets of links, and the parts that scripts
 * write, because these parts repeat texts of the code.
 */
export function joinedIdeasIn(page: string): readonly number[] {
  let skips = false;
  return page.split("\n").flatMap((line, n) => {
    if (/^\s*```/.test(line)) skips = !skips;
    else if (line.startsWith("<!-- generated:")) skips = true;
    else if (line.startsWith("<!-- /generated")) skips = false;
    const prose = line.replaceAll(/`[^`]*`/g, "").replaceAll(/\]\([^)]*\)/g, "]");
    return !skips && /;|[\w.)] [–—] \w/.test(prose) ? [n + 1] : [];
  });
}
