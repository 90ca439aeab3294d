import { styleText } from "node:util";
import { safeJson } from "./safe-json.ts";
import { safeText } from "./safe-text.ts";

export type Style = Parameters<typeof styleText>[0];

/** The part of a stream that output needs. The `WriteStream` of a terminal or a pipe satisfies it. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The output of a command. It writes results to standard output, and progress and errors to standard error. */
export interface Output {
  readonly json: boolean;
  readonly out: Sink;
  readonly err: Sink;
  /** Writes lines of the result, for people. */
  lines(lines: readonly string[]): void;
  /** Writes the result as JSON. With --json standard output contains nothing else. */
  document(value: unknown): void;
  /** Writes one line of a JSON stream. */
  record(value: unknown): void;
  /** Writes progress, or nothing with --quiet. */
  note(line: string): void;
  /** Makes external text safe, and styles it if standard output has colour. */
  paint(style: Style, text: string): string;
}

export interface OutputOptions {
  readonly out: Sink;
  readonly err: Sink;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly colour: boolean;
}

export function output({ out, err, json, quiet, colour }: OutputOptions): Output {
  const paint = painter(colour && out.isTTY === true);
  return {
    json,
    out,
    err,
    lines: (lines) => void out.write(lines.map((line) => `${line}\n`).join("")),
    document: (value) => void out.write(`${safeJson(value, 2)}\n`),
    record: (value) => void out.write(`${safeJson(value)}\n`),
    note: (line) => void (quiet || err.write(`${safeText(line)}\n`)),
    paint,
  };
}

export type Paint = (style: Style, text: string) => string;

/** Returns a function that makes text safe, and styles it if there is colour. */
export function painter(colour: boolean): Paint {
  return (style, text) => (colour ? styleText(style, safeText(text), { validateStream: false }) : safeText(text));
}

/** Returns whether the output may have colour, by the rules of https://no-color.org and the abilities of the terminal. */
export function colourWanted(env: Readonly<Record<string, string | undefined>>, flag: boolean): boolean {
  return flag && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}
