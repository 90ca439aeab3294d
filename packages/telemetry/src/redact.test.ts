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
  "a Slack token of an app": "xapp-1-A0123456789-1234567890-abcdef",
  "an AWS key id": "AKIAIOSFODNN7EXAMPLE",
  "a temporary AWS key id": "ASIAIOSFODNN7EXAMPLE",
  "a secret of webhooks": "whsec_bm90LWEtc2VjcmV0LW5vdC1h/+NlY3JldA==",
  "a fine-grained GitHub token": "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz",
  "a GitLab token": "glpat-abcdefghij-_1234ABCD",
  "a GitLab token with a routing part": "glpat-abcdefghijklmnopqrstuvwxyz123.01.120abcdefghi",
  "a Google key": "AIzaSyA-1234567890_abcdefghijklmnopqrst",
  "a secret key of Stripe": "sk_live_51abcdefghijklmnop",
  "a restricted key of Stripe": "rk_live_51abcdefghijklmnop",
  "an npm token": "npm_abcdefghijklmnopqrstuvwxyz0123456789",
  "a Hugging Face token": "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
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
  "whsec_a",
  "glpat-a.",
  "glpat-aaaaaaaaaaaaaaaa.",
  "_xapp-1-",
  "_AIza",
  "_sk_live_",
  "_npm_a",
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

  it("replaces the password of the shortest address that can have one", () => {
    expect(redactText("://:p@")).toBe("://[redacted]@");
    expect(redactText("://p@")).toBe("://p@");
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
    "fix(npm): npm_config_registry_of_the_environment_wins_over_npmrc",
    "build: xapp-framework-cpp 2.3.8 and glpat-reader",
    "Reads sk_live_ and whsec_ from the settings, and no sk_test_abcdefghijklmnop",
    "ASIAN_MARKETS_AND_THEIR_CALENDARS",
    "Read hf_hub_download_of_transformers_and_more_models",
    "The tool find_pat_of_a_customer_by_address",
    "AIza is how keys of Google begin",
  ])("leaves %s as it is", (text) => {
    expect(redactText(text)).toBe(text);
  });

  it("returns the same value if there is nothing to replace", () => {
    const value = { a: [1, null, "text"], b: { c: true } };
    expect(redacted(value)).toBe(value);
  });
});
