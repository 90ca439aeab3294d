import { describe, expect, it } from "vitest";
import { isFresh, isSignedBySlack } from "./slack-signature.ts";

// The example of Slack's documentation, "Verifying requests from Slack".
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const EXAMPLE = {
  timestamp: "1531420618",
  signature: "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  text: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
};

describe("a request of Slack", () => {
  it("is accepted as in the example that Slack published, by either of two secrets", () => {
    expect(isSignedBySlack(EXAMPLE, [SECRET])).toBe(true);
    expect(isSignedBySlack(EXAMPLE, ["0123456789abcdef0123456789abcdef", SECRET])).toBe(true);
  });

  it.each([
    ["another body", { text: EXAMPLE.text.replace("text=&", "text=%20&") }],
    ["the same body, encoded again", { text: new URLSearchParams(EXAMPLE.text).toString().replaceAll("%3A", "%3a") }],
    ["another time", { timestamp: "1531420619" }],
    ["no time", { timestamp: undefined }],
    ["a time with a sign", { timestamp: "+1531420618" }],
    ["a short signature", { signature: "v0=a2114d57" }],
    ["another version", { signature: EXAMPLE.signature.replace("v0", "v1") }],
    ["two signatures", { signature: [EXAMPLE.signature, EXAMPLE.signature] }],
  ])("is refused with %s", (_, part) => {
    expect(isSignedBySlack({ ...EXAMPLE, ...part }, [SECRET])).toBe(false);
  });

  it("is refused with another secret", () => {
    expect(isSignedBySlack(EXAMPLE, [SECRET.toUpperCase()])).toBe(false);
    expect(isSignedBySlack(EXAMPLE, [])).toBe(false);
  });

  it("is fresh for 5 minutes, in both directions", () => {
    const at = 1_531_420_618_000;
    expect([at - 300_000, at, at + 300_000].map((now) => isFresh(EXAMPLE, now))).toEqual([true, true, true]);
    expect([at - 301_000, at + 301_000].map((now) => isFresh(EXAMPLE, now))).toEqual([false, false]);
  });
});
