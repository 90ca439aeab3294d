import type { JsonObject } from "@toolbus/contracts";
import type { DialectRules } from "../dialect-rules.ts";
import type { Fault, Loss } from "../loss.ts";
import type { Plan } from "../restore.ts";
import type { Shape } from "../shape.ts";

/** The mutable state while a shape is written in a dialect. Losses and counts grow. */
export interface Writing {
  readonly rules: DialectRules;
  /** The maximum depth. It is less than the dialect's own maximum if the whole schema would be too long. */
  readonly depth: number;
  readonly losses: Loss[];
  properties: number;
  enumValues: number;
}

export interface Written {
  readonly ok: true;
  readonly schema: JsonObject;
  readonly plan: Plan;
}

export type WriteResult = Written | ({ readonly ok: false } & Fault);

/** The position at which a part is written. */
export interface Spot {
  /** The name of the property, or "" if it has none. */
  readonly name: string;
  /** The depth of the part. The root is 1. */
  readonly depth: number;
  /** True if the caller handles null, because the property may be absent. */
  readonly nullIsHandled: boolean;
  /** Additional sentences for the description. */
  readonly notes: readonly string[];
}

/** Writes a part of a shape. */
export type WritePart = (shape: Shape, spot: Spot, writing: Writing) => WriteResult;

export function lose(writing: Writing, pointer: string, what: string): void {
  writing.losses.push({ pointer, what });
}
