import { styleText } from "node:util";
import { safeText } from "./safe-text.ts";

export type Style = Parameters<typeof styleText>[0];

/** What output needs to know about a stream; a `WriteStream` of a terminal or a pipe is one. */
export interface Sink {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Where a command writes. Results go to standard output; progress and errors go to standard error. */
export interface Output {
  readonly json: boolean;
  readonly out: Sink;
  readonly err: Sink;
  /** Lines of the result, for people. */
  lines(lines: readonly string[]): void;
  /** The result as JSON: the only thing on standard output when JSON was asked for. */
  document(value: unknown): void;
  /** One line of a JSON stream. */
  record(value: unknown): void;
  /** Progress; nothing with --quiet. */
  note(line: string): void;
  /** Makes external text safe, and colours it if standard output has colour. */
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
    document: (value) => void out.write(`${JSON.stringify(value, null, 2)}\n`),
    record: (value) => void out.write(`${JSON.stringify(value)}\n`),
    note: (line) => void (quiet || err.write(`${safeText(line)}\n`)),
    paint,
  };
}

export type Paint = (style: Style, text: string) => string;

/** Makes text safe, and styles it when there is colour. */
export function painter(colour: boolean): Paint {
  return (style, text) => (colour ? styleText(style, safeText(text), { validateStream: false }) : safeText(text));
}

/** Whether colour is wanted at all: https://no-color.org, and terminals that have none. */
export function colourWanted(env: Readonly<Record<string, string | undefined>>, flag: boolean): boolean {
  return flag && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}
