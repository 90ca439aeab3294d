import type { Registration } from "@toolbus/contracts";
import type { ModelProvider } from "@toolbus/models";

/** Returns the tools of a run that the agent can offer to this model. A model that cannot call tools is offered none, so it answers with text. */
export function callableTools(
  { capabilities }: Pick<ModelProvider, "capabilities">,
  tools: ReadonlyMap<string, Registration>,
): ReadonlyMap<string, Registration> {
  return capabilities.tools ? tools : NONE;
}

const NONE: ReadonlyMap<string, Registration> = new Map();
