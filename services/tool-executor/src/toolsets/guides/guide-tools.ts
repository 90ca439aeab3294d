import { type Guide, type Registration, rightsFault } from "@toolbus/contracts";
import { defineTool, type Tool, toolError, ToolProblem } from "@toolbus/tool-kit";
import { ONLY_IN_A_RUN, type Requester } from "./requester.ts";
import { skillName } from "./skill-tools.ts";
import type { Skills } from "./skills.ts";

export interface GuideToolsOptions {
  /** Returns who asked for the run of a call. */
  readonly requester: (callId: string) => Promise<Requester | ToolProblem>;
  readonly registered: () => Promise<readonly Registration[]>;
  /** Returns the guides of these toolsets. A toolset without a guide is left out. */
  readonly guides: (toolsets: readonly string[]) => Promise<readonly Guide[]>;
  readonly skills: Pick<Skills, "list" | "find">;
}

/**
 * Returns the reads of guides. They show a requester only the guides of toolsets that the requester may use, and contain no text that a run saved. A
 * summary of a skill is such a text, so the list has only the names of skills.
 */
export function guideTools({ requester, registered, guides, skills }: GuideToolsOptions): readonly Tool[] {
  /** Returns the guides that this requester may read. */
  async function guidesFor(rights: Requester): Promise<readonly Guide[]> {
    const usable = (await registered()).filter(
      ({ toolset, definition: { name, scopes } }) => rightsFault(rights, { name, toolset, scopes }) === null,
    );
    return guides([...new Set(usable.map(({ toolset }) => toolset))].toSorted());
  }
  return [
    defineTool({
      name: "list_tool_guides",
      noGoldenCall: ONLY_IN_A_RUN,
      kind: "read",
      description: [
        "Lists the guides of the toolsets, which say how to use several tools together, and the names of the skills that earlier runs saved.",
        "Input: none.",
        "Output: guides, each with name and summary, for get_tool_guide, and skills, each with name, classification and saved_at, for get_skill.",
        "Do not use it to find a tool: it does not list tools.",
      ].join("\n"),
      parameters: { type: "object", properties: {}, additionalProperties: false },
      async run(_, { callId }) {
        const who = await requester(callId);
        if (who instanceof ToolProblem) return who;
        const [found, saved] = await Promise.all([guidesFor(who), skills.list(who)]);
        return {
          guides: found.map(({ toolset: name, summary }) => ({ name, summary })),
          skills: saved.map(({ name, classification, savedAt }) => ({ name, classification, saved_at: new Date(savedAt).toISOString() })),
        };
      },
    }),
    defineTool({
      name: "get_tool_guide",
      noGoldenCall: ONLY_IN_A_RUN,
      kind: "read",
      description: [
        "Gets the guide of one toolset: when to use which of its tools, in which order, and what to avoid.",
        'Input: name, as list_tool_guides gives it, such as "release".',
        "Output: name, summary and markdown, at most 32 KiB.",
        "Do not use it for a skill: get_skill reads skills.",
      ].join("\n"),
      parameters: {
        type: "object",
        properties: { name: { type: "string", minLength: 1, maxLength: 64, description: 'The name of a guide, such as "release"' } },
        required: ["name"],
        additionalProperties: false,
      },
      async run({ name }: { readonly name: string }, { callId }) {
        const who = await requester(callId);
        if (who instanceof ToolProblem) return who;
        const found = await guidesFor(who);
        const guide = found.find(({ toolset }) => toolset === name);
        if (guide) return { name, summary: guide.summary, markdown: guide.markdown };
        if (skillName.test(name) && (await skills.find(who, name)))
          return toolError("guide_not_found", `"${name}" is a skill. Read it with get_skill.`);
        return toolError(
          "guide_not_found",
          `There is no guide ${JSON.stringify(name)}. ${found.length === 0 ? "No toolset has a guide." : `There are: ${found.map(({ toolset }) => toolset).join(", ")}.`}`,
        );
      },
    }),
  ];
}
