import { describe, expect, it } from "vitest";
import { BadSettings, httpAddress, integer, milliseconds, port, readSettings, str } from "./settings.ts";
import { loopTimings } from "./timings.ts";

const settings = {
  HOST: str({ default: "127.0.0.1", desc: "where to listen" }),
  PORT: port({ default: 8080, desc: "the port to listen on" }),
  LEVEL: str({ default: "info", choices: ["info", "debug"], desc: "how much to say" }),
  WAIT_MS: milliseconds({ default: 100, desc: "how long to wait" }),
  TARGET_URL: httpAddress({ default: "http://127.0.0.1:1", desc: "whom to call" }),
} as const;

const DEFAULTS = { HOST: "127.0.0.1", PORT: 8080, LEVEL: "info", WAIT_MS: 100, TARGET_URL: "http://127.0.0.1:1" };

describe("settings", () => {
  it("are the defaults if nothing is set, or an empty text", () => {
    expect(readSettings(settings, {})).toEqual(DEFAULTS);
    expect(readSettings(settings, { HOST: "", PORT: "", WAIT_MS: undefined })).toEqual(DEFAULTS);
  });

  it("are read from their variables only", () => {
    const env = {
      HOST: "::1",
      PORT: "0",
      LEVEL: "debug",
      WAIT_MS: "7",
      TARGET_URL: "https://api.example/x",
      OTHER: "1",
      NODE_ENV: "production",
    };
    expect(readSettings(settings, env)).toEqual({ HOST: "::1", PORT: 0, LEVEL: "debug", WAIT_MS: 7, TARGET_URL: "https://api.example/x" });
  });

  it("can be spread and inspected, whatever is asked for", () => {
    const config = readSettings(settings, {});
    expect({ ...config }).toEqual(DEFAULTS);
    expect("THEN" in config).toBe(false);
    expect(JSON.parse(JSON.stringify(config))).toEqual(DEFAULTS);
  });

  it("are refused all at once, each with its requirement, the given value and its purpose", () => {
    const refused = faultOf({ PORT: "http", LEVEL: "loud", WAIT_MS: "-1", HOST: "fine" });
    expect(refused).toBeInstanceOf(BadSettings);
    expect(refused.message).toMatch(/^Settings are wrong: /);
    expect(refused.message).toContain('PORT: must be a whole number from 0 to 65535, not "http" (the port to listen on)');
    expect(refused.message).toMatch(/LEVEL: [^;]*"loud"[^;]*info,debug[^;]*\(how much to say\)/);
    expect(refused.message).toContain('WAIT_MS: must be a whole number from 1 to 2678400000, not "-1" (how long to wait)');
    expect(refused.message).not.toContain("HOST");
    expect(refused.message.split("\n")).toHaveLength(1);
  });

  it("are refused in the singular if one is wrong", () => {
    expect(faultOf({ PORT: "-1" }).message).toBe(
      'A setting is wrong: PORT: must be a whole number from 0 to 65535, not "-1" (the port to listen on).',
    );
  });

  it("do not repeat an address, which may contain a password", () => {
    for (const address of ["ftp://me:secret@host", "me:secret@host", "//secret"]) {
      expect(faultOf({ TARGET_URL: address }).message).toBe(
        "A setting is wrong: TARGET_URL: must be an address that begins with http:// or https:// (whom to call).",
      );
    }
  });

  it.each(["1.5", "1e3", "0x10", " 1", "1 ", "one", "--1", "65536", "9".repeat(100)])("refuse %j as a port", (text) => {
    expect(faultOf({ PORT: text }).message).toContain("PORT");
  });

  it("accept both ends of a range", () => {
    const range = { N: integer({ min: -2, max: 3 })({ default: 0, desc: "n" }) };
    expect([readSettings(range, { N: "-2" }).N, readSettings(range, { N: "3" }).N]).toEqual([-2, 3]);
    for (const text of ["-3", "4"]) expect(() => readSettings(range, { N: text })).toThrow(BadSettings);
  });

  it("of every loop have the documented defaults", () => {
    expect(readSettings(loopTimings, {})).toEqual({ OUTBOX_VISIBILITY_MS: 4000, POLL_MS: 250 });
  });
});

function faultOf(env: Readonly<Record<string, string>>): Error {
  try {
    readSettings(settings, env);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("Nothing was refused.");
}
