/** The error for a bad entry of the file of MCP servers. Its message completes a sentence about the server. */
export class Fault extends Error {}

/** Returns the beginning of a text without control characters, for use in a sentence. */
export function short(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, " ").slice(0, 60);
}
