import type { Json } from "@toolbus/contracts";
import type { SQLOutputValue } from "node:sqlite";

/** A row as the driver returns it. */
export type Row = Record<string, SQLOutputValue>;

/**
 * The limit of a statement that is used often. SQLite treats a limit that is only a parameter as a part of the plan (`sqlite3ExprIsInteger`). It then
 * prepares the statement again each time the parameter is bound, which costs three times as much as the query.
 */
export const LIMIT = "LIMIT 0 + ?";

/** Returns the text in a column. Each reader of a column throws for a value that our own schema cannot contain. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw unexpected(column, value);
  return value;
}

export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw unexpected(column, value);
  return value;
}

export function numberOrNullOf(row: Row, column: string): number | null {
  return row[column] === null ? null : numberOf(row, column);
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw unexpected(column, value);
  return value;
}

/** Parses a column of JSON text. */
export function jsonOf(row: Row, column: string): Json {
  const value: Json = JSON.parse(textOf(row, column));
  return value;
}

function unexpected(column: string, value: unknown): Error {
  return new Error(`Column ${column} holds ${value === null ? "null" : typeof value}.`);
}
