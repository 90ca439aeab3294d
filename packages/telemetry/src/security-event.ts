import { measure } from "./measurements.ts";
import { attributeNames, metricNames } from "./names.ts";

/** Counts a security event, whether the whole event or only its count was kept. `reason` is a word of ours, and never text from outside. */
export function recordSecurityEvent({
  service,
  reason,
  whole,
}: {
  readonly service: string;
  readonly reason: string;
  readonly whole: boolean;
}): void {
  measure(metricNames.securityEvents, 1, {
    [attributeNames.service]: service,
    [attributeNames.securityReason]: reason,
    [attributeNames.securityKept]: whole ? "whole" : "number",
  });
}
