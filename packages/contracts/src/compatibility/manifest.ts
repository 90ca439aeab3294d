import { createHash } from "node:crypto";
import { attributes } from "../attributes.ts";
import { jsonParser } from "../parse.ts";
import { type Static, Type } from "../schema.ts";
import { STORE_FORMAT } from "../store-format.ts";
import { forms, UNCHECKED_FAMILIES } from "./forms.ts";

const closed = { additionalProperties: false } as const;
const Roles = Type.Array(Type.Enum(["gateway", "agent", "approvals", "operations", "worker"]), { maxItems: 5 });

/** A form of a message, a document or a signed token, as a manifest names it. */
export const ManifestForm = Type.Object(
  {
    kind: Type.Enum(["message", "document", "token"]),
    /** The version of the form: 12 hex digits of the SHA-256 of its schema. Equal versions are the same form. */
    version: Type.String({ pattern: "^[0-9a-f]{12}$" }),
    writers: Roles,
    readers: Roles,
    schema: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: "object" }),
  },
  closed,
);
export type ManifestForm = Static<typeof ManifestForm>;

/** What a build writes and reads: every message, document and signed token with its version and its schema. */
export const CompatibilityManifest = Type.Object(
  {
    /** The version of this form. */
    manifest: Type.Literal(1),
    /** The format of a store in Redis. */
    storeFormat: Type.String({ maxLength: 8 }),
    forms: Type.Record(Type.String({ maxLength: 80 }), ManifestForm),
    /** The names of the attributes of messages. Receivers ignore unknown attributes. */
    attributes: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 }),
    /** The families whose contents have no schema. Nothing compares them. */
    unchecked: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 }),
  },
  closed,
);
export type CompatibilityManifest = Static<typeof CompatibilityManifest>;

/** Returns the manifest of this build. */
export function compatibilityManifest(): CompatibilityManifest {
  const entries = forms().map(({ name, kind, writers, readers, schema }) => {
    const plain = withoutWords(JSON.parse(JSON.stringify(schema)));
    const version = createHash("sha256").update(JSON.stringify(plain)).digest("hex").slice(0, 12);
    const form: ManifestForm = { kind, version, writers: [...writers], readers: [...readers], schema: plain as ManifestForm["schema"] };
    return [name, form] as const;
  });
  return {
    manifest: 1,
    storeFormat: STORE_FORMAT,
    forms: Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    attributes: Object.values(attributes).toSorted(),
    unchecked: [...UNCHECKED_FAMILIES],
  };
}

/** Returns a manifest as text, with one line for each form, so that a difference is one line. */
export function manifestText({ forms: all, ...rest }: CompatibilityManifest): string {
  const lines = Object.entries(all).map(([name, form]) => `    ${JSON.stringify(name)}: ${JSON.stringify(form)}`);
  const others = Object.entries(rest).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{\n${others.join(",\n")},\n  "forms": {\n${lines.join(",\n")}\n  }\n}\n`;
}

export const parseCompatibilityManifest = jsonParser(CompatibilityManifest);

/** Returns a schema with its words in the order of the alphabet and without its descriptions, so that only what it accepts decides its version. */
function withoutWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWords);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([word, value]) => !(word === "description" && typeof value === "string"));
  return Object.fromEntries(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([word, value]) => [word, withoutWords(value)]));
}
