import { publicTool, type ToolDefinition } from "@toolbus/contracts";
import { compileForAll, type CompiledTool, DIALECTS, type ToolSetAside } from "@toolbus/models/schema";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import type { Toolset } from "../tool/toolset.ts";

/**
 * Compiles each tool for every provider. So the author of a schema that a provider cannot express learns this when the worker starts, and not from a
 * run that lacks the tool. A tool that is set aside is counted and logged as a warning. Losses in translation are logged at the debug level.
 */
export function reportForms(toolset: Toolset, log: Log): void {
  for (const { definition } of toolset.list()) {
    const forms = compileForAll(publicTool(definition));
    for (const provider of DIALECTS) {
      const form = forms[provider];
      if (!form.ok) warnOfSetAside(definition, { toolset: toolset.name, provider, form, log });
      else if (form.losses.length > 0) logLosses(definition, { toolset: toolset.name, provider, form, log });
    }
  }
}

interface Finding<T> {
  readonly toolset: string;
  readonly provider: string;
  readonly form: T;
  readonly log: Log;
}

function warnOfSetAside({ name, version, source }: ToolDefinition, { toolset, provider, form, log }: Finding<ToolSetAside>): void {
  measure(metricNames.toolSetAside, 1, {
    [attributeNames.provider]: provider,
    [attributeNames.toolName]: name,
    [attributeNames.toolset]: toolset,
  });
  log.warn(
    { tool: name, version, toolset, source, provider, pointer: form.pointer },
    `The tool "${name}" is set aside for ${provider}, which has no form for its parameters${form.pointer === "" ? "" : ` at ${form.pointer}`}. ${form.reason}`,
  );
}

function logLosses({ name, version }: ToolDefinition, { toolset, provider, form, log }: Finding<CompiledTool>): void {
  log.debug(
    { tool: name, version, toolset, provider, losses: form.losses },
    `Of the parameters of "${name}" ${form.losses.length} ${form.losses.length === 1 ? "thing is" : "things are"} not passed on to ${provider}; only the worker's own check holds what is lost.`,
  );
}
