import { publicTool, type ToolDefinition, type ToolView } from "@toolbus/contracts";
import { compileForAll, DIALECTS } from "@toolbus/models/schema";

/** Returns the providers that cannot be offered this tool, and what the other providers lose of its parameters. */
export function toolForms(definition: ToolDefinition): Pick<ToolView, "setAside" | "lost"> {
  const forms = compileForAll(publicTool(definition));
  const setAside: { provider: string; pointer: string; reason: string }[] = [];
  const lost = new Map<string, { providers: string[]; pointer: string; what: string }>();
  for (const provider of DIALECTS) {
    const form = forms[provider];
    if (!form.ok) setAside.push({ provider, pointer: form.pointer, reason: form.reason });
    for (const { pointer, what } of form.ok ? form.losses : []) {
      const key = `${pointer}\n${what}`;
      const known = lost.get(key);
      if (known) known.providers.push(provider);
      else lost.set(key, { providers: [provider], pointer, what });
    }
  }
  return { ...(setAside.length === 0 ? {} : { setAside }), ...(lost.size === 0 ? {} : { lost: [...lost.values()] }) };
}
