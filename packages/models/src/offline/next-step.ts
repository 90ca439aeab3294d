import { isJsonObject } from "@toolbus/contracts";
import type { ModelRequest } from "../model-provider.ts";
import { alertStep } from "./alert/alert-step.ts";
import { chatStep } from "./chat/chat-step.ts";
import { releaseStep } from "./release-step.ts";
import type { Step } from "./step.ts";

/**
 * Computes the next step of a run from its transcript. The run is an investigation if its input names a release or contains an alert. Otherwise the
 * step answers the person's message. The function is pure, and every run ends.
 */
export function nextStep(request: ModelRequest): Step {
  const { releaseId, alert } = request.run.input;
  if (typeof releaseId === "string" && releaseId !== "") return releaseStep(request, releaseId);
  return isJsonObject(alert) ? alertStep(request, alert) : chatStep(request);
}
