import type { JsonObject } from "@toolbus/contracts";
import type { DialectRules } from "../dialect-rules.ts";
import type { Fault, Loss } from "../loss.ts";
import type { Plan } from "../restore.ts";

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

export function lose(writing: Writing, pointer: string, what: string): void {
  writing.losses.push({ pointer, what });
}
