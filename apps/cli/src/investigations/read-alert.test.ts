import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Context } from "../toolbus/context.ts";
import { readAlert } from "./read-alert.ts";

/** Returns the part of a context that the reader of standard input needs. */
const given = (text: string): Context =>
  ({ around: { stdin: Readable.from([Buffer.from(text)]), cwd: "/nowhere" }, signal: new AbortController().signal }) as unknown as Context;

const alert = { labels: { alertname: "HighErrorRate", release: "v2" }, status: "firing" } as const;

describe("an alert", () => {
  it("is read by itself, or as the only one of what Alertmanager posts", async () => {
    expect(await readAlert(given(JSON.stringify(alert)), "-")).toEqual(alert);
    expect(await readAlert(given(JSON.stringify({ version: "4", alerts: [alert] })), "-")).toEqual(alert);
  });

  it.each<[string, string, RegExp]>([
    ["no JSON", "{", /^The alert in standard input is not JSON/],
    ["several", JSON.stringify({ alerts: [alert, alert] }), /^There are 2 alerts in standard input, but one is investigated at a time/],
    ["without labels", "{}", /\/labels is required/],
    ["with an unknown field", JSON.stringify({ ...alert, odd: 1 }), /\/odd is not a known field/],
    ["too large", JSON.stringify({ ...alert, pad: "x".repeat(300_000) }), /holds more than 262144 bytes/],
  ])("that is %s is refused with exit code 2", async (_what, text, words) => {
    await expect(readAlert(given(text), "-")).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(words) });
  });

  it("in a missing file is refused with the file name as typed", async () => {
    await expect(readAlert(given(""), "alert.json")).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^--alert names alert\.json, which cannot be read \(ENOENT\)/),
    });
  });
});
