import { describe, expect, it } from "vitest";
import { redacted, redactText } from "./redact.ts";

const FORMS = {
  "a bearer token": "Bearer abcdefgh12345678",
  "a long bearer token": "bearer abcdefghijklmnopqrstuvwx",
  "basic credentials": "Basic dXNlcjpodW50ZXIy",
  "a signed grant": `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c-_".repeat(10)}`,
  "a key of ours": "tb_user_abcdefghijklmnop",
  "a provider's key": "sk-proj-abcdefghijklmnop1234",
  "a GitHub token": "ghp_abcdefghijklmnop1234",
  "a Slack token": "xoxb-1234567890-abcdef",
  "an AWS key id": "AKIAIOSFODNN7EXAMPLE",
  "the user and password of an address": "user:hunter2hunter2",
  "the user and a password with colons": "user:hunter2:hunter2:hunter2",
  "the user of an address without a name, and its password": ":hunter2hunter2",
};

// Each is the beginning of a form that never ends, or ends only in the last repetition.
const HOSTILE = [
  ":",
  "://",
  "://a",
  "://:",
  "://a:b",
  "_eyJaaaaaaaaaa",
  "-eyJaaaaaaaaaa",
  "\\neyJaaaaaaaaaa",
  "eyJaaaaaaaaaa.",
  "_eyJaaaaaaaaaa.a",
  "bearer ",
  "bearer -",
  "Basic a",
  "tb_a",
  "_sk-",
  "xoxb-",
  "-----BEGIN ",
  " PRIVATE KEY",
];

/** Returns the processor time of the work in milliseconds. Other work on the machine does not lengthen it. */
function msOf(work: () => unknown): number {
  const began = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

describe("redaction", () => {
  it.each(Object.entries(FORMS))("replaces %s in a text, in JSON and in a value", (form, secret) => {
    const text = form.startsWith("the user") ? `amqp://${secret}@host/` : `before ${secret} after`;
    expect(redactText(text)).toContain("[redacted]");
    for (const seen of [
      redactText(text),
      redactText(JSON.stringify({ a: `x\n${text}` })),
      JSON.stringify(redacted({ a: [{ b: text }], [text]: 1 })),
    ]) {
      expect(seen).not.toContain(secret.slice(-12));
    }
  });

  it.each(HOSTILE)("needs time in proportion to the length of a text that repeats %j", (part) => {
    // A pattern that reads a text again from each of its repetitions needs many seconds.
    for (const before of ["", "://", "eyJ", "-----BEGIN "]) {
      const text = `${before}${part.repeat(200_000 / part.length)} `;
      expect(msOf(() => redactText(text))).toBeLessThan(1000);
      expect(msOf(() => redactText(`${text}@`))).toBeLessThan(1000);
    }
  });

  it("reads a text of any length to its end", () => {
    const text = `eyJ${"a".repeat(16_000_000)}`;
    expect(redactText(text) === text).toBe(true);
  });

  it("replaces a token with a long header, as with certificates", () => {
    expect(redactText(`eyJ${"a".repeat(12_000)}.${"b".repeat(100_000)}.${"c".repeat(700)}`)).toBe("[redacted]");
  });

  it("replaces a token that follows the beginning of one", () => {
    const token = `eyJ${"a".repeat(20)}.${"b".repeat(20)}.${"c".repeat(20)}`;
    expect(redactText(`eyJ${"a".repeat(20)}_${token} after`)).toBe(`eyJ${"a".repeat(20)}_[redacted] after`);
  });

  it("replaces a credential that directly follows an id, as in an invented address", () => {
    expect(redactText("/v1/approvals/ap_sk-proj-abcdefghijklmnop")).toBe("/v1/approvals/ap_[redacted]");
  });

  it("replaces a private key, in a text and in JSON, and nothing after it", () => {
    const pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRk3x\n9uQ==\n-----END EC PRIVATE KEY-----\n";
    expect(redactText(`a ${pem}{b}`)).toBe("a [redacted]{b}");
    expect(redacted({ key: pem, other: 'said "so"', more: { key: `${pem}\\"` } })).toEqual({
      key: "[redacted]",
      other: 'said "so"',
      more: { key: '[redacted]\\"' },
    });
  });

  it.each([
    "Replace bearer authentication by mTLS.",
    "Basic understanding of the release",
    "task-of-yesterday-afternoon",
    "https://example.org/path?user=1",
    "sha256-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4",
    "rn_0a_01JABCDEFGHJKMNPQRSTVWXYZ0",
  ])("leaves %s as it is", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("returns the same value if there is nothing to replace", () => {
    const value = { a: [1, null, "text"], b: { c: true } };
    expect(redacted(value)).toBe(value);
  });
});
