import { readFile } from "node:fs/promises";
import path from "node:path";
import { Alert, describeProblems, parser } from "@toolbus/contracts";
import { readAll } from "../terminal/read-all.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";

const MAX_BYTES = 256 * 1024;
const parseAlert = parser(Alert);

/**
 * Reads one alert from a file or from standard input. The JSON is the alert itself, or a body of Alertmanager's webhook that contains exactly one
 * alert.
 */
export async function readAlert({ around, signal }: Context, file: string): Promise<Alert> {
  const from = file === "-" ? "standard input" : file;
  const text = file === "-" ? await readAll(around.stdin, MAX_BYTES, signal) : await contentOf(path.resolve(around.cwd, file), file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused(`The alert in ${from} is not JSON: give one alert as Alertmanager sends it, {"labels": {"alertname": "…"}}.`);
  }
  const alert = parseAlert(onlyOne(value, from));
  if (alert.ok) return alert.value;
  throw refused(`The alert in ${from} cannot be used (${describeProblems(alert.problems)}): give one as Alertmanager sends it.`);
}

function onlyOne(value: unknown, from: string): unknown {
  if (typeof value !== "object" || value === null || !("alerts" in value) || !Array.isArray(value.alerts)) return value;
  const alerts: readonly unknown[] = value.alerts;
  if (alerts.length === 1) return alerts[0];
  throw refused(`There are ${alerts.length} alerts in ${from}, but one is investigated at a time: give one of them.`);
}

async function contentOf(file: string, typed: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw refused(
      `--alert names ${typed}, which cannot be read (${code ?? "unknown"}): give a file with one alert, or - for standard input.`,
    );
  }
}

const refused = (message: string): Failure => new Failure(EXIT.usage, message);
