import { createHmac } from "node:crypto";
import type { Jwks } from "@toolbus/contracts";

// Tests use these mutations. An attacker who sees every grant on the bus and has the public keys, but no private key, could try them.

/** The knowledge of the attacker. */
export interface Known {
  /** Every grant that approvals has signed. */
  readonly grants: readonly string[];
  readonly knownKids: readonly string[];
  /** The public halves, in each form that a verifier could mistake for a shared secret. */
  readonly publicTexts: readonly (string | Buffer)[];
  readonly attackerJwk: Jwks["keys"][number] | undefined;
}

/** Yields every systematic change of a grant, then random changes without end. A random change may produce the grant itself. */
export function* mutationsOf(text: string, known: Known, random: () => number): Generator<string> {
  yield* flips(text, random);
  yield* segmentSwaps(text, known.grants);
  yield* fieldChanges(text);
  yield* headerChanges(text, known);
  for (;;) {
    yield edited(text, random);
    yield rewritten(text, random);
  }
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Flips every bit of every character. Also replaces each character by six random characters of the base64url alphabet. The last character of a
 * segment may have spare bits, so it is replaced by every character of the alphabet.
 */
function* flips(text: string, random: () => number): Generator<string> {
  for (let at = 0; at < text.length; at++) {
    for (let bit = 0; bit < 8; bit++) yield replaced(text, at, String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)));
    for (let n = 0; n < 6; n++) yield replaced(text, at, BASE64URL[Math.floor(random() * 64)] ?? "");
    if (at === text.length - 1 || text[at + 1] === ".") for (const character of BASE64URL) yield replaced(text, at, character);
  }
}

function* segmentSwaps(text: string, grants: readonly string[]): Generator<string> {
  const parts = text.split(".");
  for (const a of ["", ...parts]) for (const b of ["", ...parts]) for (const c of ["", ...parts]) yield `${a}.${b}.${c}`;
  for (const other of grants) {
    const theirs = other.split(".");
    for (const mask of [1, 2, 3, 4, 5, 6, 7]) yield parts.map((part, index) => (mask & (1 << index) ? theirs[index] : part)).join(".");
  }
  yield* [
    `${text}.`,
    `.${text}`,
    `${text}.${parts[2]}`,
    `${text}=`,
    `${text} `,
    ` ${text}`,
    `${text}\n`,
    `${text}\0`,
    parts.slice(0, 2).join("."),
  ];
  yield* parts.map((part) => text.replace(part, `${part}==`));
}

/** Sets each claim to other values, removes it and duplicates it, all under the old signature. */
function* fieldChanges(text: string): Generator<string> {
  const [header, payload, signature] = text.split(".");
  const json = Buffer.from(payload ?? "", "base64url").toString();
  const claims = JSON.parse(json) as Record<string, unknown>;
  const values = [null, 0, 1, 2, -1, 99_999_999_999, "", "low", "alice", "mallory", [], [{ sub: "mallory", at: 0, via: "oidc" }], {}, true];
  for (const field of [...Object.keys(claims), "extra", "__proto__", "constructor"]) {
    for (const value of values) {
      const pair = `${JSON.stringify(field)}:${JSON.stringify(value)}`;
      yield `${header}.${encoded({ ...claims, [field]: value })}.${signature}`;
      yield `${header}.${encoded(`{${pair},${json.slice(1)}`)}.${signature}`;
      yield `${header}.${encoded(`${json.slice(0, -1)},${pair}}`)}.${signature}`;
    }
    const { [field]: _, ...others } = claims;
    yield `${header}.${encoded(others)}.${signature}`;
  }
  yield `${header}.${encoded(` ${json}`)}.${signature}`;
  yield `${header}.${encoded(JSON.stringify(claims, null, 1))}.${signature}`;
}

/** Puts other algorithms, types, key ids and references to an attacker's key into the header, unsigned or signed with what an attacker has. */
function* headerChanges(text: string, { publicTexts, knownKids, attackerJwk }: Known): Generator<string> {
  const [header, payload, signature] = text.split(".");
  const json = Buffer.from(header ?? "", "base64url").toString();
  const original = JSON.parse(json) as Record<string, unknown>;
  const changes: Record<string, unknown>[] = [
    ...["none", "None", "NONE", "", "EdDSA", "ed25519", "ES256", "HS256", "HS512", "RS256", null, ["Ed25519"]].map((alg) => ({ alg })),
    ...["tb-receipt+jwt", "TB-GRANT+JWT", "application/tb-grant+jwt", "JWT", "at+jwt", "", null].map((typ) => ({ typ })),
    ...[...knownKids, "unknown", "", "../keys", "__proto__", null, 1].map((kid) => ({ kid })),
    { jwk: attackerJwk },
    { jku: "https://attacker.example/jwks.json" },
    { x5u: "https://attacker.example/cert.pem" },
    { crit: ["exp"], exp: 1 },
    { b64: false, crit: ["b64"] },
    { zip: "DEF" },
  ];
  for (const change of changes) {
    const unsigned = `${encoded({ ...original, ...change })}.${payload}`;
    yield* [`${unsigned}.${signature}`, `${unsigned}.`, unsigned, `${unsigned}.${"A".repeat(86)}`];
    for (const key of publicTexts) {
      const digest = change["alg"] === "HS512" ? "sha512" : "sha256";
      yield `${unsigned}.${createHmac(digest, key).update(unsigned).digest("base64url")}`;
    }
  }
  for (const again of [` ${json}`, json.replace("{", '{"alg":"none",'), json.replace("}", ',"alg":"none"}'), "null", "[]", '"Ed25519"']) {
    yield `${encoded(again)}.${payload}.${signature}`;
  }
}

/** Makes one to four random edits. Each replaces, inserts or removes a character, or moves a piece. */
function edited(text: string, random: () => number): string {
  let result = text;
  for (let edits = 1 + Math.floor(random() * 4); edits > 0; edits--) {
    const at = Math.floor(random() * result.length);
    const character = BASE64URL[Math.floor(random() * 64)] ?? "";
    const kind = random();
    // Most edits are replacements. They preserve the form, so the result reaches the signature check.
    if (kind < 0.8) result = replaced(result, at, character);
    else if (kind < 0.88) result = result.slice(0, at) + character + result.slice(at);
    else if (kind < 0.95) result = result.slice(0, at) + result.slice(at + 1);
    else result = result.slice(at) + result.slice(0, at);
  }
  return result;
}

/** Replaces one to four letters or digits of the claims. The result is nearly always the JSON of a grant, so only the signature shows the change. */
function rewritten(text: string, random: () => number): string {
  const [header, payload, signature] = text.split(".");
  let json = Buffer.from(payload ?? "", "base64url").toString();
  for (let edits = 1 + Math.floor(random() * 4); edits > 0;) {
    const at = Math.floor(random() * json.length);
    if (!/[A-Za-z0-9]/.test(json[at] ?? "")) continue;
    json = replaced(json, at, String(Math.floor(random() * 10)));
    edits--;
  }
  return `${header}.${encoded(json)}.${signature}`;
}

function encoded(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

function replaced(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}
