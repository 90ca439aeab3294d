import type { ApprovalPart, Json, JsonObject } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";
import { checksumOf } from "./evidence.ts";
import { publicKeyOf } from "./keys.ts";
import { ownKeys } from "./own-keys.ts";
import { fileOf, numbersFrom, own, type Parts, partsFrom, withRefusal } from "./testing/evidence-under-test.ts";
import { verifyEvidence } from "./verify-evidence.ts";

// `npm test` makes a third of the files of CI.
const LONG = process.env["LONG_PROOFS"] !== undefined;
const FILES = LONG ? 200 : 70;
const FILES_WITH_CHANGES = LONG ? 60 : 20;
const FLIPS = 20;

describe("an evidence file", () => {
  it(`is whole in each of ${FILES} forms, and says what it lacks`, async () => {
    const lacks = new Set<string>();
    for (let seed = 1; seed <= FILES; seed++) {
      const verdict = await verifyEvidence(await fileOf(await partsFrom(seed)));
      expect([seed, verdict.broken]).toEqual([seed, null]);
      for (const part of verdict.missing) lacks.add(part.split(":")[0] ?? "");
    }
    // The seeds cover files with and without each part.
    expect([...lacks].toSorted((a, b) => a.localeCompare(b))).toEqual([
      "The call, its result and the worker's receipt",
      "The grant as the worker got it",
      "The origin",
    ]);
  });

  it("names a broken link if one of many bytes of a file is flipped, in each of many files", async () => {
    for (let seed = 1; seed <= FILES; seed++) {
      const bytes = Buffer.from(await fileOf(await partsFrom(seed)));
      const random = numbersFrom(seed + 1_000_000);
      for (let flip = 0; flip < FLIPS; flip++) {
        const place = random(bytes.length);
        const flipped = Buffer.from(bytes);
        flipped[place] = (flipped[place] ?? 0) ^ (1 + random(255));
        expect([seed, place, await brokenIn(flipped)]).toEqual([seed, place, expect.stringMatching(/^[A-Z].+\.$/)]);
      }
    }
  }, 120_000);

  it("names a broken link for every single byte of a file, whichever bit is flipped", async () => {
    const bytes = Buffer.from(await fileOf(await partsFrom(3)));
    const random = numbersFrom(3);
    for (let place = 0; place < bytes.length; place++) {
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << random(8));
      expect([place, await brokenIn(flipped)]).toEqual([place, expect.stringMatching(/^[A-Z].+\.$/)]);
    }
  }, 120_000);

  it("does not rest on its checksum: a changed text or number is named although the attacker computed the checksum again", async () => {
    for (let seed = 1; seed <= FILES_WITH_CHANGES; seed++) {
      const { checksum: _, ...parts } = JSON.parse(await fileOf(await partsFrom(seed))) as { readonly [name: string]: Json };
      for (const changed of everyChange(parts, numbersFrom(seed), 12)) {
        const text = canonicalJson({ ...(changed as JsonObject), checksum: checksumOf(changed) });
        const { broken } = await verifyEvidence(text);
        expect([seed, broken]).toEqual([seed, expect.stringMatching(/^[A-Z].+\.$/)]);
        expect(broken).not.toMatch(/checksum/);
      }
    }
  }, 120_000);
});

describe("evidence that somebody with the keys of one service made", () => {
  it.each<[string, (parts: Parts) => Parts, RegExp]>([
    ["other arguments", approval(({ part }) => ({ ...part, arguments: '{"amount":1}' })), /arguments do not have the hash/],
    ["another requester", fields({ requester: "mallory" }), /origin is of another requester/],
    ["another definition", fields({ toolHash: `sha256-${"A".repeat(43)}` }), /pinned definition is not the approved one/],
    ["no decision", fields({ decisions: [] }), /names other approvers/],
    ["another tier", fields({ tier: "low" }), /another tier/],
    ["no record of the outcome", withoutRecord("approved"), /no record that the approval ended as approved/],
    ["no record of a decision", withoutRecord("decision"), /no record of the decision of amy/],
    [
      "another result",
      ({ approval: part, call }) => ({
        approval: part,
        call: call && { ...call, result: { status: "ok", content: "{}", isError: false } },
      }),
      /receipt is not genuine/,
    ],
    [
      "an error instead of the result",
      ({ approval: part, call }) => ({
        approval: part,
        call: call && call.result && { ...call, result: { ...call.result, status: "error" } },
      }),
      /for another answer/,
    ],
    [
      "the receipt of another key",
      approval(({ part, stranger }) => ({ ...part, receiptKeys: [stranger] })),
      /receipt key that the pin does not have/,
    ],
  ])("is not whole with %s", async (_, change, named) => {
    const parts = await partsFrom(SEED_WITH_ALL);
    expect((await verifyEvidence(await fileOf(parts))).broken).toBeNull();
    expect((await verifyEvidence(await fileOf(change(parts)))).broken).toMatch(named);
  });

  it("is not whole if it names another person's decision than the audit, although nobody needs a grant for a denial", async () => {
    const { approval: part, call } = await partsFrom(SEED_DENIED);
    const decisions = [{ ...(part.approval["decisions"] as readonly JsonObject[])[0], approver: "mallory" }];
    const changed = { ...part, approval: { ...part.approval, decisions } };
    expect((await verifyEvidence(await fileOf({ approval: part, call }))).broken).toBeNull();
    expect((await verifyEvidence(await fileOf({ approval: changed, call }))).broken).toBe(
      "The audit has no record of the decision of mallory.",
    );
  });

  it("is not whole with a white space more, or with a key that does not have the id of its bytes, although its checksum is right", async () => {
    const text = await fileOf(await partsFrom(SEED_WITH_ALL));
    expect((await verifyEvidence(`${text}\n`)).broken).toMatch(/not canonical JSON/);
    expect((await verifyEvidence(text.replace(":", ": "))).broken).toMatch(/not canonical JSON/);
    const { checksum: _, ...parts } = JSON.parse(text) as { readonly keys: { readonly keys: readonly JsonObject[] } } & JsonObject;
    const [key] = parts.keys.keys;
    const added = { ...parts, keys: { keys: [...parts.keys.keys, { ...key, kid: "another-id" }] } } as unknown as JsonObject;
    expect((await verifyEvidence(canonicalJson({ ...added, checksum: checksumOf(added) }))).broken).toBe(
      "The key another-id in the file does not have the id of its bytes.",
    );
  });

  it("is whole only under the keys that the reader trusts, and says which keys the file gave itself", async () => {
    const text = await fileOf(await partsFrom(SEED_WITH_ALL));
    const mine = publicKeyOf(own.identityOf("approvals").signer);
    const other = publicKeyOf((await ownKeys(["approvals"])).identityOf("approvals").signer);
    expect(await verifyEvidence(text)).toMatchObject({ broken: null, keysFromFile: [mine.kid] });
    expect(await verifyEvidence(text, { trusted: [mine] })).toMatchObject({ broken: null, keysFromFile: [] });
    expect(await verifyEvidence(text, { trusted: [other] })).toMatchObject({
      broken: `The statement of approvals is not genuine: the key ${mine.kid} is not known.`,
    });
  });

  it.each([{ stale: false }, { stale: true }])(
    "does not prove by a signed refusal that the write did not happen, because another sending of the call may have been executed: %o",
    async (which) => {
      const { broken, checked, unattested, missing } = await verifyEvidence(
        await fileOf(await withRefusal(await partsFrom(SEED_WITH_ALL), which)),
      );
      expect(broken).toBeNull();
      expect(unattested).toEqual(["gateway.part.call", "gateway.part.result"]);
      expect(missing).toContainEqual(expect.stringMatching(/^Whether the write happened: /));
      expect(checked).not.toContainEqual(expect.stringMatching(/this result/));
    },
  );

  it("marks what only the agent wrote", async () => {
    const { approval: part, call } = await partsFrom(SEED_WITH_ALL);
    expect((await verifyEvidence(await fileOf({ approval: part, call }))).unattested).toEqual(["gateway.part.call"]);
    const unsigned = await verifyEvidence(await fileOf({ approval: part, call: call && { ...call, receipt: null } }));
    expect(unsigned.unattested).toEqual(["gateway.part.call", "gateway.part.result"]);
  });
});

/** A seed whose write was approved by a person and has every part. */
const SEED_WITH_ALL = await seedWith(({ approval: part, call }) => {
  return part.approval["need"] === 2 && part.origin !== null && part.grant?.signed !== null && (call?.receipt ?? null) !== null;
});
const SEED_DENIED = await seedWith(({ approval: part }) => part.approval["status"] === "rejected" && part.origin !== null);

async function seedWith(fits: (parts: Parts) => boolean): Promise<number> {
  for (let seed = 1; seed < 500; seed++) if (fits(await partsFrom(seed))) return seed;
  throw new Error("No seed has these parts.");
}

async function brokenIn(bytes: Buffer): Promise<string | null> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "The file is not UTF-8.";
  }
  return (await verifyEvidence(text)).broken;
}

function approval(
  change: (given: { readonly part: ApprovalPart; readonly stranger: ApprovalPart["receiptKeys"][number] }) => ApprovalPart,
) {
  const stranger = publicKeyOf(own.identityOf("gateway").signer);
  return ({ approval: part, call }: Parts): Parts => ({ approval: change({ part, stranger }), call });
}

function fields(change: JsonObject) {
  return approval(({ part }) => ({ ...part, approval: { ...part.approval, ...change } }));
}

/** Leaves out the pieces of the audit that have a record of this event. What remains is signed and whole. */
function withoutRecord(event: string) {
  return approval(({ part }) => ({
    ...part,
    audit: part.audit.filter(({ records }) => !records.some((one) => "record" in one && one.record["event"] === event)),
  }));
}

/** Returns this number of copies of the value. In each copy, one random text, number or truth value is changed. */
function everyChange(value: Json, random: (below: number) => number, some: number): Json[] {
  const places: (readonly (string | number)[])[] = [];
  const walk = (part: Json, path: readonly (string | number)[]): void => {
    if (typeof part !== "object" || part === null) {
      if (part !== null) places.push(path);
    } else if (Array.isArray(part)) (part as readonly Json[]).forEach((one, n) => walk(one, [...path, n]));
    else for (const [name, one] of Object.entries(part)) walk(one, [...path, name]);
  };
  walk(value, []);
  return Array.from({ length: some }, () => changedAt(value, places[random(places.length)] ?? [], random));
}

function changedAt(value: Json, [name, ...rest]: readonly (string | number)[], random: (below: number) => number): Json {
  if (name === undefined) {
    if (typeof value === "string") {
      const place = random(value.length + 1);
      return `${value.slice(0, place)}${value[place] === "x" ? "y" : "x"}${value.slice(place + 1)}`;
    }
    return typeof value === "number" ? value + 1 : !value;
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((one, n) => (n === name ? changedAt(one, rest, random) : one));
  return { ...(value as JsonObject), [name]: changedAt((value as JsonObject)[name] ?? null, rest, random) };
}
