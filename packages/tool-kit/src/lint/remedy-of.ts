/** Returns what an author should write instead of the refused part at a pointer, in parameters or in a risk rule. */
export function remedyOf(pointer: string): string {
  const isPattern = /\/(?:pattern|patternProperties\/[^/]*)$/.test(pointer);
  return isPattern
    ? "Use alternatives (a|b) or a list of values (enum) instead, or check it in the tool itself; docs/tool-schemas.md says what a pattern may contain."
    : "Correct what it names; docs/tool-schemas.md says what is accepted, and the limits.";
}
