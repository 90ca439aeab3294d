import { describe, expect, it } from "vitest";
import { readCodeChanges } from "./code-changes.ts";

describe("the changes of a release", () => {
  it("without an earlier release are not the whole of a long history, and the message names the flag that helps", async () => {
    const ends = { from: { name: "the beginning of the history" }, to: { name: "v1", commit: "a".repeat(40) }, change_count: 301 };
    const read = await readCodeChanges({ repo: "/nowhere", ends, environment: {}, signal: new AbortController().signal });
    expect(read).toEqual({
      ok: false,
      message:
        "No release is before this one, and a history of 301 commits is no change that anybody could judge: name its beginning with --from.",
    });
  });
});
