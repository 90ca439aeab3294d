import type { JsonObject } from "@toolbus/contracts";
import type { Asked, AskedMessage, Brain } from "../model-server.ts";
import { listOf, objectOf, parsed, textOf } from "../wire/fields.ts";
import { sinceLatestUser } from "./latest-user.ts";
import { errorIn, outcomeText } from "./outcome-text.ts";

/**
 * Returns a brain that investigates a release as the profile `release-investigation` asks. It files one risk report from the summary in the
 * conversation and then reports the outcome. If the conversation has no summary, it requests one. If the request does not offer the tool for this,
 * the brain says so.
 */
export function investigationBrain(): Brain {
  return (asked) => {
    const offered = asked.tools.map((tool) => tool.name);
    // A report that was filed before the person's last message belongs to another investigation.
    const filing = resultOf(sinceLatestUser(asked).since, "file_risk_report");
    if (filing) return { text: `The filing has ended. ${outcomeText(filing.content)}` };
    const summary = resultOf(asked.messages, "get_release_summary");
    if (!summary) {
      const release = /\b(v?\d(?:[\w.-]*\w)?)/i.exec(userText(asked))?.[1];
      return offered.includes("get_release_summary") && release !== undefined
        ? { text: "I read the summary first.", calls: [{ name: "get_release_summary", arguments: { release_id: release } }] }
        : { text: "There is no release summary in the conversation, so I can assess nothing." };
    }
    if (errorIn(summary.content) !== null) return { text: `The summary could not be read. ${outcomeText(summary.content)}` };
    const report = reportOn(objectOf(parsed(summary.content)), calledWith(asked, summary.id));
    if (!offered.includes("file_risk_report")) return { text: `I cannot file a report here. Severity ${textOf(report["severity"])}.` };
    return {
      text: `The summary is read; I file a report with severity ${textOf(report["severity"])}.`,
      calls: [{ name: "file_risk_report", arguments: report }],
    };
  };
}

/** Returns a report whose findings come from the summary. It names the requested release, even if the summary names another one. */
function reportOn(summary: JsonObject, release: string): JsonObject {
  const tests = objectOf(summary["tests"]);
  const failed = typeof tests["failed"] === "number" ? tests["failed"] : null;
  const metrics = objectOf(summary["deployment_metrics"]);
  const changes = typeof summary["change_count"] === "number" ? summary["change_count"] : listOf(summary["changes"]).length;
  const findings = [
    `The release has ${changes} changes by ${listOf(summary["authors"]).length} authors.`,
    failed === null ? "Test results are not in the summary." : `${failed} tests fail, ${JSON.stringify(tests["passed"] ?? null)} pass.`,
    Object.keys(metrics).length === 0 ? "Deployment metrics are not in the summary." : "Deployment metrics were measured.",
  ];
  return { release_id: release, severity: failed === null ? "medium" : failed > 0 ? "high" : "low", findings };
}

function resultOf(messages: readonly AskedMessage[], tool: string): (AskedMessage & { readonly role: "tool" }) | undefined {
  const ids = callsOf(messages)
    .filter((call) => call.name === tool)
    .map((call) => call.id);
  return messages.findLast((message) => message.role === "tool" && ids.includes(message.id)) as
    | (AskedMessage & { readonly role: "tool" })
    | undefined;
}

function calledWith({ messages }: Asked, id: string): string {
  return textOf(objectOf(callsOf(messages).find((call) => call.id === id)?.arguments)["release_id"]);
}

function callsOf(messages: readonly AskedMessage[]) {
  return messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
}

function userText({ messages }: Asked): string {
  return messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).join("\n");
}
