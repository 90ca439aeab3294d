/** The schema of the name of a release, which each tool of the toolset takes. */
export const RELEASE_ID = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  pattern: "^[^\\u0000-\\u001f]+$",
  description: 'Name of the release, for example "v1.4.0"',
} as const;

/** The schema of the number of a page. */
export const PAGE = {
  type: "integer",
  minimum: 1,
  maximum: 1000,
  description: "Page of the answer. The default is 1, the most important part",
} as const;

/** Returns the schema of a filter, which is one line of text. */
export function filter(description: string) {
  return { type: "string", minLength: 1, maxLength: 400, pattern: "^[^\\u0000-\\u001f]+$", description } as const;
}
