import { styleText } from "node:util";
import { withoutRepeatedIds } from "./run-of-line.ts";

/** The forms of log lines: JSON for collectors, text for people, or the one that fits the output. */
export const LOG_FORMATS = ["auto", "json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * Returns a JSON line in the form for people: time of day (UTC), level, message, then the fields as `name=value`. A thrown error follows, with
 * its stack unless the product expects that error. Control characters remain escaped, as in JSON. pino-pretty would bring a dozen packages for
 * this one function.
 */
export function readableLine(json: string, colour: boolean): string {
  const {
    time,
    level,
    msg,
    name,
    error,
    err,
    trace_id: _trace,
    span_id: _span,
    ...fields
  } = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const [word, style] = LEVELS[Number(level)] ?? ["?", "reset"];
  const thrown = error ?? err;
  const said = Object.entries(withoutRepeatedIds(fields)).map(([field, value]) => `${field}=${valueOf(value)}`);
  const parts = [
    paint("dim", new Date(Number(time)).toISOString().slice(11, 19)),
    paint(style, word.padEnd(5)),
    ...("service" in fields || name === undefined ? [] : [paint("dim", valueOf(name))]),
    plain(String(msg)),
    ...(said.length > 0 ? [paint("dim", said.join(" "))] : []),
  ];
  return `${parts.join("  ")}\n${thrownLines(thrown, "")
    .map((line) => `  ${line}\n`)
    .join("")}`;
}

const LEVELS: Readonly<Record<number, readonly [string, Parameters<typeof styleText>[0]]>> = {
  20: ["DEBUG", "dim"],
  30: ["INFO", "green"],
  40: ["WARN", "yellow"],
  50: ["ERROR", "red"],
};

const valueOf = (value: unknown): string => (typeof value === "string" && !/[\s"=]/.test(value) ? plain(value) : JSON.stringify(value));

/** Escapes control characters, because foreign text must not move the reader's cursor. */
const plain = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * Returns the lines for a thrown error and its causes. An error that the product expects has a code of ours, and its message says what to do. Its
 * stack and those of its causes are omitted here. The JSON form contains them.
 */
function thrownLines(thrown: unknown, before: string, foreseen = false): string[] {
  if (thrown === undefined) return [];
  const { stack, message, cause, code } = isFields(thrown) ? thrown : { message: thrown };
  const brief = foreseen || (typeof code === "string" && OWN_CODE.test(code));
  const text = (brief ? [message] : [stack, message]).find((part) => typeof part === "string") ?? JSON.stringify(thrown);
  return [...(before + text).split("\n").map(plain), ...thrownLines(cause, "caused by: ", brief)];
}

/** The form of our own codes. Codes of Node's errors are in capitals. */
const OWN_CODE = /^[a-z]+(?:_[a-z]+)*$/;

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;
