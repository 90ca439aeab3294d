import type { JsonObject } from "@toolbus/contracts";
import type { DialectRules } from "../dialect-rules.ts";
import type { Fault, Loss } from "../loss.ts";
import type { Plan } from "../restore.ts";
import type { Shape } from "../shape.ts";

/** One writing of a shape in a dialect. Losses and counts grow as it goes. */
export interface Writing {
  readonly rules: DialectRules;
  /** No deeper than this; less than the dialect takes where the whole would be too long. */
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

/** Where a part is written. */
export interface Spot {
  /** The name of the property, or "" for what has none. */
  readonly name: string;
  /** The root is 1. */
  readonly depth: number;
  /** True when whoever writes this part sees to null: by leaving the property out. */
  readonly nullSeenTo: boolean;
  /** Told in the description besides what the part says of itself. */
  readonly told: readonly string[];
}

/** Writes a part of what is being written. */
export type WritePart = (shape: Shape, spot: Spot, writing: Writing) => WriteResult;

export function lose(writing: Writing, pointer: string, what: string): void {
  writing.losses.push({ pointer, what });
}
