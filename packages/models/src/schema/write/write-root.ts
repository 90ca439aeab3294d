import type { JsonObject } from "@toolbus/contracts";
import type { DialectRules } from "../dialect-rules.ts";
import type { Fault, Loss } from "../loss.ts";
import type { Plan } from "../restore.ts";
import type { Shape } from "../shape.ts";
import { writeShape } from "./write-shape.ts";
import type { Writing, WriteResult } from "./writing.ts";

export type RootResult =
  | { readonly ok: true; readonly schema: JsonObject; readonly plan: Plan; readonly losses: readonly Loss[] }
  | ({ readonly ok: false; readonly tooLong: boolean } & Fault);

/**
 * Writes the whole schema. Arguments are an object, so the root must be an object. If the root also allows other types, only its object is used. A
 * root that allows no object is a fault. If the names of the arguments are free, the root has a single property that contains all arguments.
 */
export function writeRoot(shape: Shape, rules: DialectRules, depth: number): RootResult {
  if (shape.fault) return { ok: false, tooLong: false, ...shape.fault };
  const { object } = shape.kinds;
  const reason = 'The arguments of a tool are an object; write {"type": "object", "properties": …}.';
  if (!object) return { ok: false, tooLong: false, pointer: shape.at, reason };
  const root: Shape = { ...shape, title: "", kinds: { object }, opaque: null };
  const writing: Writing = { rules, depth, losses: [], properties: 0, enumValues: 0 };
  const written = rooted(root, writing);
  if (!written.ok) return { ...written, tooLong: false };
  const { schema, plan } = written;
  const { length } = JSON.stringify(schema);
  if (length <= rules.chars) return { ok: true, schema, plan, losses: writing.losses };
  const tooLong = `The schema has ${length} characters, of which ${rules.chars} can be sent; make several tools of it.`;
  return { ok: false, tooLong: true, pointer: "", reason: tooLong };
}

function rooted(root: Shape, writing: Writing): WriteResult {
  const written = writeShape(root, { name: "", depth: 1, nullIsHandled: true, notes: [] }, writing);
  if (!written.ok || written.schema["type"] === "object") return written;
  const schema: JsonObject = { type: "object", properties: { [MEMBER]: written.schema }, required: [MEMBER], additionalProperties: false };
  writing.properties++;
  return { ok: true, schema, plan: { kind: "inside", member: MEMBER, plan: written.plan } };
}

const MEMBER = "arguments";
