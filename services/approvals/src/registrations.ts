import { describeProblems, HOME_SHARD, keys, keyOf, parseRegistration, type Registration } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** A tool as one toolset registered it. The toolset is that of the document's name, which only its own workers can write. */
export interface RegisteredTool {
  readonly toolset: string;
  readonly registration: Registration;
}

/**
 * Every registered write. What does not hold together is left out with a line in the log: a definition that breaks its schema, a hash that is not the
 * definition's, a document under another toolset's, tool's or version's name.
 */
export async function registeredWrites(state: StateStore, log: Log): Promise<readonly RegisteredTool[]> {
  const found: RegisteredTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await state.page(keys.registryIndex(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const places = page.members.flatMap(({ member }) => placeOf(member));
    const { documents } = places.length > 0 ? await state.read(places.map(({ key }) => key)) : { documents: [] };
    for (const [i, place] of places.entries()) {
      const tool = genuine(place, documents[i]?.value, log);
      if (tool && tool.registration.definition.kind === "write") found.push(tool);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

const PAGE = 100;

interface Place {
  readonly key: string;
  readonly toolset: string;
  readonly tool: string;
  readonly version: string;
}

/** The document that a member of the index, `<toolset>/<tool>@<version>`, stands for. */
function placeOf(member: string): readonly Place[] {
  const [, toolset, tool, version] = /^([^/]{1,120})\/([^/@]{1,128})@([^/@]{1,64})$/.exec(member) ?? [];
  if (!toolset || !tool || !version) return [];
  return [{ key: keyOf(`registry.${toolset}`, HOME_SHARD, `${tool}@${version}`), toolset, tool, version }];
}

function genuine({ key, toolset, tool, version }: Place, value: unknown, log: Log): RegisteredTool | null {
  if (value === undefined) return null;
  const parsed = parseRegistration(value);
  if (!parsed.ok) return left(key, describeProblems(parsed.problems));
  const { definition, hash } = parsed.value;
  if (parsed.value.toolset !== toolset || definition.name !== tool || definition.version !== version) return left(key, "it stands under another name");
  if (toolHash(definition) !== hash) return left(key, "its hash is not its definition's");
  return { toolset, registration: parsed.value };

  function left(document: string, fault: string): null {
    log.warn({ document, fault }, "a registration cannot be used and is left out");
    return null;
  }
}
