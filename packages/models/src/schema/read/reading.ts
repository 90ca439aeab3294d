import type { Json } from "@toolbus/contracts";
import type { Fault } from "../loss.ts";

/** The mutable state of one reading of a tool's parameters. Its budget decreases, whatever the schema is. */
export interface Reading {
  readonly root: Json;
  /** The maximum level of objects and lists that are read. The root is level 1. */
  readonly levels: number;
  /**
   * The number of parts that may still be read. The limit is necessary because references can refer to each other, and their expanded form could be
   * endless.
   */
  room: number;
  /** The first place that is not a schema. */
  fault: Fault | null;
  /** The places of the anchors, which are computed at the first lookup. */
  anchors: ReadonlyMap<string, string> | null;
}

/** The current position of the reading. */
export interface Place {
  readonly at: string;
  /** The number of objects and lists around this place, including itself. */
  readonly level: number;
  /** The number of schemas around this place, however they are nested. */
  readonly depth: number;
  /** The references that lead to this place. A reference that is already in this list contains itself. */
  readonly trail: readonly string[];
}

const MAX_PARTS = 8000;
export const MAX_DEPTH = 40;

export function beginReading(root: Json, levels: number): Reading {
  return { root, levels, room: MAX_PARTS, fault: null, anchors: null };
}

/** Returns the place of a part inside an object or a list. */
export function inside(place: Place, at: string, levels = 1): Place {
  return { at, level: place.level + levels, depth: place.depth + 1, trail: place.trail };
}

/** Returns the place of another schema for the same value. */
export function beside(place: Place, at: string): Place {
  return { ...place, at, depth: place.depth + 1 };
}

/** Records a fault if it is the first one. */
export function faulty(reading: Reading, pointer: string, reason: string): void {
  reading.fault ??= { pointer, reason };
}
