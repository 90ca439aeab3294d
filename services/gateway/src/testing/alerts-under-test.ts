import type { JsonObject } from "@toolbus/contracts";

/** Returns an alert within a message, as Alertmanager 0.34 writes it. */
export function sentAlert(n: number, part: JsonObject = {}): JsonObject {
  return {
    status: "firing",
    labels: { alertname: "HighErrorRate", instance: `web-${n}:9100`, service: "checkout", severity: "page" },
    annotations: { summary: "5 % of checkouts fail" },
    startsAt: "2026-11-21T09:00:00.103Z",
    endsAt: "0001-01-01T00:00:00Z",
    generatorURL: "http://prometheus:9090/graph?g0.expr=job%3Aerrors%3Aratio+%3E+0.05&g0.tab=1",
    fingerprint: n.toString(16).padStart(16, "0"),
    ...part,
  };
}

/** Returns a message of Alertmanager 0.34. It has fields that the first release of its format, version 4, did not have. */
export function alertMessage(alerts: readonly JsonObject[], part: JsonObject = {}): JsonObject {
  return {
    receiver: "toolbus",
    status: "firing",
    alerts: [...alerts],
    notification_reason: "first notification",
    groupLabels: { alertname: "HighErrorRate" },
    commonLabels: { alertname: "HighErrorRate", service: "checkout", severity: "page" },
    commonAnnotations: { summary: "5 % of checkouts fail" },
    routeLabels: {},
    externalURL: "http://alertmanager:9093",
    version: "4",
    groupKey: '{}:{alertname="HighErrorRate"}',
    truncatedAlerts: 0,
    ...part,
  };
}
