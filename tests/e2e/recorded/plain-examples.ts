import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { RECORDED_AT } from "./recording-system.ts";

/**
 * Returns an example in the form that the repository stores. Ids are numbered in order of appearance. Times are whole seconds after the first time.
 * The rest is unchanged. So a new recording of the same events differs only in measured numbers.
 */
export function plainExample(example: JsonObject): JsonObject {
  const numbers = new Map<string, Map<string, number>>();
  const begin = Math.min(...timesIn(example));
  return changed(example, {
    text: (name, value) => SECRETS[name] ?? ID_FORMS.reduce((text, form) => numbered(text, form, numbers), value),
    number: (name, value) =>
      isRaisedEra(name, value) ? RECORDED_AT / 1000 : isTime(value) ? RECORDED_AT + 1000 * Math.round((value - begin) / 1000) : value,
  }) as JsonObject;
}

/**
 * Returns the part of an example that changes only with a new recording: every member, and every value that is not an id, a time, a hash or a
 * measured number. The length of the text in a delta is also left out, because it depends on timing.
 */
export function shapeOf(example: JsonObject): JsonObject {
  return changed(plainExample(example), {
    text(name, value, holder) {
      if (holder["type"] === "delta" && name === "text") return "text";
      return name === "registryVersion" ? "hash" : value.replaceAll(/sha256-[\w-]{43}/g, "hash");
    },
    number: (name, value) => (isTime(value) ? "time" : MEASURED.has(name) ? "measured" : value),
  }) as JsonObject;
}

/** The numbers of a run that depend on the machine, on chance, or on the words of a prompt. */
const MEASURED = new Set(["latencyMs", "activeMs", "waitMs", "inputTokens", "outputTokens", "cacheReadTokens", "costMicroUsd"]);
const DAYS_30_MS = 30 * 86_400_000;
/** Fixed replacements for values that only the service which issued them reads. A token is secret even after its use, and a cursor contains an id. */
const SECRETS: Readonly<Record<string, string>> = {
  decisionToken: "q0Jb3kq1Zk7m8v2N4c6X8z0B2d4F6h8J0l2N4p6R8t0",
  cursor: "WzE3NjM3MTg0MDAwMDAsImN2XzA1XzAxSkQwMDAwMDAwMDAwMDAwMDAwMDAwMDAxIl0",
};

interface IdForm {
  readonly pattern: RegExp;
  /** Ids of the same kind are numbered together. */
  readonly kind: string;
  readonly written: (n: number) => string;
}

const ULID = (n: number): string => `01JD${String(n).padStart(22, "0")}`;
const ID_FORMS: readonly IdForm[] = [
  { kind: "run", pattern: /rn_[0-9a-f]{2}_[0-9A-Z]{26}/g, written: (n) => `rn_05_${ULID(n)}` },
  { kind: "conversation", pattern: /cv_[0-9a-f]{2}_[0-9A-Z]{26}/g, written: (n) => `cv_05_${ULID(n)}` },
  { kind: "question", pattern: /q_[0-9a-f]{32}/g, written: (n) => `q_${String(n).padStart(32, "0")}` },
  { kind: "call of a model", pattern: /toolu_[0-9a-f]{24}/g, written: (n) => `toolu_01${String(n).padStart(22, "0")}` },
  {
    kind: "correlation",
    pattern: /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g,
    written: (n) => `7f9c24e8-3b12-4a56-9d0e-${String(n).padStart(12, "0")}`,
  },
  {
    kind: "key",
    pattern: /(?<![\w-])[\w-]{43}(?![\w-])/g,
    written: (n) => `kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygr${String(n).padStart(3, "0")}`,
  },
];

function numbered(text: string, { kind, pattern, written }: IdForm, numbers: Map<string, Map<string, number>>): string {
  const known = numbers.get(kind) ?? new Map<string, number>();
  numbers.set(kind, known);
  return text.replaceAll(pattern, (id) => {
    const n = known.get(id) ?? known.size + 1;
    known.set(id, n);
    return written(n);
  });
}

function isTime(value: number): boolean {
  return Number.isInteger(value) && value >= RECORDED_AT && value < RECORDED_AT + DAYS_30_MS;
}

/** Returns whether a value is an era that an operator has raised. Such an era is the second in which it was raised. */
function isRaisedEra(name: string, value: number): boolean {
  return name === "era" && isTime(value * 1000);
}

function timesIn(value: Json): readonly number[] {
  if (typeof value === "number") return isTime(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(timesIn);
  return isJsonObject(value) ? Object.values(value).flatMap(timesIn) : [];
}

interface Changes {
  readonly text: (name: string, value: string, holder: JsonObject) => Json;
  readonly number: (name: string, value: number) => Json;
}

/** Returns the value with each of its texts and numbers changed. `changes` also receives the name of the member. */
function changed(value: Json, changes: Changes, name = "", holder: JsonObject = {}): Json {
  if (typeof value === "string") return changes.text(name, value, holder);
  if (typeof value === "number") return changes.number(name, value);
  if (Array.isArray(value)) return value.map((one: Json) => changed(one, changes, name, holder));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one, changes, key, value)]));
}
