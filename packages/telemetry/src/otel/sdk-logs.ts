import { type Logger, SeverityNumber } from "@opentelemetry/api";
import type { Recorder } from "../recorder.ts";
import { contextOf } from "./sdk-spans.ts";

/** Sends log records through a logger of the SDK. */
export function sdkLogs(logger: Logger): NonNullable<Recorder["logs"]> {
  return {
    emit({ time, level, message, fields, point }) {
      const [severityNumber, severityText] = severity(level);
      logger.emit({ timestamp: time, severityNumber, severityText, body: message, attributes: { ...fields }, context: contextOf(point) });
    },
  };
}

function severity(level: number): readonly [SeverityNumber, string] {
  if (level >= 50) return [SeverityNumber.ERROR, "ERROR"];
  if (level >= 40) return [SeverityNumber.WARN, "WARN"];
  if (level >= 30) return [SeverityNumber.INFO, "INFO"];
  return [SeverityNumber.DEBUG, "DEBUG"];
}
