import type { SQLOutputValue } from "node:sqlite";

/** A row of the database, as SQLite returns it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new Error(`The column ${column} of the shop's database has no text.`);
}

export function numberOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw new Error(`The column ${column} of the shop's database has no number.`);
}

/** Returns an amount of money in EUR. The database stores whole cents, because sums of fractions are not exact. */
export function eurOf(row: Row, column: string): number {
  return numberOf(row, column) / 100;
}

/** Returns the whole cents of an amount in EUR. */
export function centsOf(eur: number): number {
  return Math.round(eur * 100);
}
