import { type Static, Type } from "../schema.ts";
import { parser } from "../parse.ts";

/** The number of words of a summary, and the longest of them. */
export const MOST_SUMMARY_WORDS = 60;
const LONGEST_WORD = 24;

/**
 * What a model answered about the enabled tools of an MCP server, as words for the search. The agent writes it to the family `summary`. While one
 * agent asks the model, `words` is null and no other agent asks before `until`. After a failure, nobody asks again before `until`.
 */
export const ServerSummary = Type.Object(
  {
    /** The id of the service, such as `mcp:memory`. */
    service: Type.String({ minLength: 1, maxLength: 300 }),
    /** Identifies the definitions, the provider, the model and the version of the prompt. */
    fingerprint: Type.String({ maxLength: 100 }),
    words: Type.Union([Type.Array(Type.String({ maxLength: LONGEST_WORD }), { maxItems: MOST_SUMMARY_WORDS }), Type.Null()]),
    /** How often a model was asked about these definitions. */
    attempts: Type.Integer({ minimum: 1 }),
    /** No agent asks before this time. */
    until: Type.Integer(),
  },
  { additionalProperties: false },
);
export type ServerSummary = Static<typeof ServerSummary>;
export const parseServerSummary = parser(ServerSummary);

/**
 * Returns the plain words of a text in the order of the alphabet: at most 60, of letters, digits and hyphens. A foreign server may have written the
 * text, so nothing in it can stay a sentence.
 */
export function plainWords(text: string): readonly string[] {
  const words = text
    .slice(0, MOST_TEXT)
    .toLowerCase()
    .split(/[^\p{L}\p{N}-]+/u)
    .map((word) => word.replace(/^-+|-+$/g, ""))
    .filter((word) => word.length >= 2 && word.length <= LONGEST_WORD);
  return [...new Set(words)].slice(0, MOST_SUMMARY_WORDS).toSorted();
}

const MOST_TEXT = 10_000;
