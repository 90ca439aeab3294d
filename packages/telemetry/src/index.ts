export { LOG_FORMATS } from "./readable-line.ts";
export { createLog, LOG_LEVELS, type Log, type LogLevel, silentLog } from "./logger.ts";
export { measure, metricsAreOn, observeGauge } from "./measurements.ts";
export { attributeNames, type Metric, metricNames, prometheusName, spanEvents, spanNames } from "./names.ts";
export type { Attributes } from "./recorder.ts";
export { redacted, redactText } from "./redact.ts";
export { TelemetryRefused } from "./refused.ts";
export {
  currentCarrier,
  currentTraceparent,
  errorType,
  isInDeliverySpan,
  type OpenSpan,
  openSpan,
  type Span,
  spansAreOn,
  withDeliverySpan,
  withinReceived,
  withSpan,
} from "./spans.ts";
export { recordSecurityEvent } from "./security-event.ts";
export { startTelemetry } from "./start-telemetry.ts";
export { recordStoreLoss, recordUnreportedLoss } from "./store-loss.ts";
export type { AuditLine } from "./tool-audit.ts";
export { recordToolCall } from "./tool-calls.ts";
export { type ClocksToWatch, watchClocks } from "./watch-clocks.ts";
export { type Carrier, readCarrier, type SentContext } from "./trace-context.ts";
