import { isJsonObject, type JsonObject } from "@toolbus/contracts";
import type { ModelRequest } from "../model-provider.ts";
import { alertStep } from "./alert/alert-step.ts";
import { chatStep } from "./chat/chat-step.ts";
import { cleanText } from "./clean-text.ts";
import { releaseStep } from "./release-step.ts";
import type { Step } from "./step.ts";

/**
 * Computes the next step of a run from its transcript. The run is an investigation if its input names a release, or contains the facts of one or an
 * alert. Otherwise the step answers the person's message. The function is pure, and every run ends.
 */
export function nextStep(request: ModelRequest): Step {
  const { releaseId, alert, changes, measurements } = request.run.input;
  if (typeof releaseId === "string" && releaseId !== "")
    return releaseStep(request, { name: releaseId, inReleaseApi: true, changes, measurements });
  if (isJsonObject(changes)) return releaseStep(request, { name: headOf(changes), inReleaseApi: false, changes, measurements });
  return isJsonObject(alert) ? alertStep(request, alert) : chatStep(request);
}

/** Returns the name of a release that only its facts name. */
function headOf({ head }: JsonObject): string {
  const ref = isJsonObject(head) ? head["ref"] : undefined;
  return (typeof ref === "string" && cleanText(ref, 200)) || "without a name";
}
