import { readFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { output } from "./output.ts";
import { escapedJson, safeJson } from "./safe-json.ts";
import { safeText } from "./safe-text.ts";

const everyCharacter = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((each) => each.isWellFormed());
const HOSTILE = { "na\u009bme": ["\u009b2J", "\u202egnp.exe", "\u007f\u0085", { deep: "\u2066\u061c\u200e\u200f" }], n: 1, no: null };

describe("JSON for a terminal", () => {
  it("has no character that a text for a terminal must not have, and is equal to the value", () => {
    const text = safeJson(everyCharacter, 2);
    expect(safeText(text)).toBe(text);
    expect(JSON.parse(text)).toEqual(everyCharacter);
  });

  it("shows these characters as escapes of JSON, in names too, and keeps letters of every script and emoji", () => {
    expect(safeJson({ "\u009b": "\u202e ä 漢字 👩‍🚀" })).toBe(String.raw`{"\u009b":"\u202e ä 漢字 👩‍🚀"}`);
  });

  it("leaves a finished JSON text equal", () => {
    expect(JSON.parse(escapedJson(JSON.stringify(HOSTILE)))).toEqual(HOSTILE);
  });

  it("is what a command prints with --json, as a document and as a record of a stream", () => {
    const out = new PassThrough();
    const { document, record } = output({ out, err: new PassThrough(), json: true, quiet: false, colour: false });
    document(HOSTILE);
    const text = String(out.read());
    record(HOSTILE);
    const line = String(out.read());
    expect([safeText(text), safeText(line)]).toEqual([text, line]);
    expect([JSON.parse(text), JSON.parse(line)]).toEqual([HOSTILE, HOSTILE]);
  });

  it.each(["demo/run-demo.ts", "orders-demo/run-orders-demo.ts", "audit/write-evidence.ts", "terminal/output.ts"])(
    "is all that %s writes as JSON",
    (file) => {
      const source = readFileSync(path.join(import.meta.dirname, "..", file), "utf8");
      const writes = source.match(/\.write\(\s*`?[^;]*/g) ?? [];
      expect(writes.filter((write) => /JSON\.stringify|write\(text\)/.test(write))).toEqual([]);
    },
  );
});
