import { styleText } from "node:util";
import { withoutRepeatedIds } from "./run-of-line.ts";

/** How log lines look: JSON for collectors, readable text for people, or by where they go. */
export const LOG_FORMATS = ["auto", "json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/**
 * A line of JSON as a person reads it: time of day (UTC), level, message, then the fields as `name=value`; what was thrown follows, with its stack unless the product foresees it. Our own and
 * not pino-pretty, which would bring a dozen packages for this one function. Control characters stay escaped, as JSON has them.
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

/** Text from anywhere may not move the cursor of whoever reads it. */
const plain = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** An error that the product foresees has a code of its own, and its message says what to do: then the stack is noise here, and its causes' too. JSON has them all. */
function thrownLines(thrown: unknown, before: string, foreseen = false): string[] {
  if (thrown === undefined) return [];
  const { stack, message, cause, code } = isFields(thrown) ? thrown : { message: thrown };
  const brief = foreseen || (typeof code === "string" && OWN_CODE.test(code));
  const text = (brief ? [message] : [stack, message]).find((part) => typeof part === "string") ?? JSON.stringify(thrown);
  return [...(before + text).split("\n").map(plain), ...thrownLines(cause, "caused by: ", brief)];
}

/** Codes of Node's errors are in capitals. */
const OWN_CODE = /^[a-z]+(?:_[a-z]+)*$/;

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;
