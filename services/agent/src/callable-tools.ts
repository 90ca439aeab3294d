import type { Registration } from "@toolbus/contracts";
import type { ModelProvider } from "@toolbus/models";

/** Of a run's tools those that this model can be offered: a model that can call nothing is offered nothing, and answers with text. */
export function callableTools(
  { capabilities }: Pick<ModelProvider, "capabilities">,
  tools: ReadonlyMap<string, Registration>,
): ReadonlyMap<string, Registration> {
  return capabilities.tools ? tools : NONE;
}

const NONE: ReadonlyMap<string, Registration> = new Map();
