/** Keeps the end of a stream of text, up to a limit. */
export interface RecentText {
  add(chunk: Buffer): void;
  /** Returns the last non-empty line, truncated to 200 characters. */
  lastLine(): string;
}

export function recentText(maxBytes: number): RecentText {
  let kept = Buffer.alloc(0);
  return {
    add(chunk) {
      const end = chunk.subarray(-maxBytes);
      kept = Buffer.concat([kept.subarray(Math.max(0, kept.length + end.length - maxBytes)), end]);
    },
    lastLine() {
      const lines = kept.toString().split("\n");
      const last = lines.findLast((line) => line.trim() !== "") ?? "";
      return last
        .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
        .trim()
        .slice(0, 200)
        .toWellFormed();
    },
  };
}
