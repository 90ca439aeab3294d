/** What an author writes instead of what was refused at a pointer, in parameters or in a risk rule. */
export function remedyOf(pointer: string): string {
  const isPattern = /\/(?:pattern|patternProperties\/[^/]*)$/.test(pointer);
  return isPattern
    ? "Say it without, by alternatives (a|b) or a list of values (enum), or look at it in the tool itself; docs/tool-schemas.md says what a pattern may have."
    : "Correct what it names; docs/tool-schemas.md says what is taken, and the bounds.";
}
