import type { Json } from "@toolbus/contracts";
import type { Fault } from "../loss.ts";

/** One reading of a tool's parameters. It changes as it goes: there is so much room and no more, whatever the schema is. */
export interface Reading {
  readonly root: Json;
  /** No object or list is read that is inside so many others; the root is the first. */
  readonly levels: number;
  /** How many parts may still be read. References may name one another so often that writing them out would never end. */
  room: number;
  /** The first place that is no schema at all. */
  fault: Fault | null;
  /** Where the anchors are; made when the first one is asked for. */
  anchors: ReadonlyMap<string, string> | null;
}

/** Where the reading is. */
export interface Place {
  readonly at: string;
  /** How many objects and lists this is inside of, itself counted. */
  readonly level: number;
  /** How many schemas this is inside of, however they hold one another. */
  readonly depth: number;
  /** The references that lead here: one that comes again contains itself. */
  readonly trail: readonly string[];
}

const MAX_PARTS = 8000;
export const MAX_DEPTH = 40;

export function beginReading(root: Json, levels: number): Reading {
  return { root, levels, room: MAX_PARTS, fault: null, anchors: null };
}

/** The place of a part that is in an object or a list. */
export function inside(place: Place, at: string, levels = 1): Place {
  return { at, level: place.level + levels, depth: place.depth + 1, trail: place.trail };
}

/** The place of another schema for the same value. */
export function beside(place: Place, at: string): Place {
  return { ...place, at, depth: place.depth + 1 };
}

/** Keeps the first fault. */
export function faulty(reading: Reading, pointer: string, reason: string): void {
  reading.fault ??= { pointer, reason };
}
