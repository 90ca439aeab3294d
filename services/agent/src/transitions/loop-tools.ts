import { type ConversationState, type JsonObject, type Registration, SEVERITIES, type ToolDefinition } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { CONCLUDE } from "../investigation/report.ts";
import { RECALL } from "../memory/recall.ts";
import type { Profile } from "../profile.ts";

/** One of the loop's own tools. No worker runs it, and its effect (`begin-loop-tool.ts`) is part of the turn's commit. */
interface LoopTool {
  /** The tool in the form of a registration, so that its arguments are checked and its calls are recorded like those of any other tool. */
  readonly registration: Registration;
  readonly offeredBy: (profile: Profile, conversation: Pick<ConversationState, "workingMemory"> | undefined) => boolean;
}

const MAX_QUESTION_CHARS = 2000;
const MAX_OPTIONS = 8;
const MAX_OPTION_CHARS = 200;

const ASK_USER = "ask_user";

export const askUser = loopTool(
  ASK_USER,
  "Asks the person one question and waits for the answer. Use it only when the answer decides what you do next and no tool can give it, " +
    'for example {"question": "Which of the two releases do you mean?", "options": ["v1.4", "v1.5"]}. ' +
    "Gives {answer}, in the person's own words even when there were options. Not for permission to run a tool: that is asked for by itself.",
  {
    type: "object",
    properties: {
      question: { type: "string", minLength: 1, maxLength: MAX_QUESTION_CHARS, description: "One question, answerable on its own." },
      options: {
        type: "array",
        maxItems: MAX_OPTIONS,
        items: { type: "string", minLength: 1, maxLength: MAX_OPTION_CHARS },
        description: "Answers to choose from, where there are only a few.",
      },
    },
    required: ["question"],
    additionalProperties: false,
  },
  { question: "Which release do you mean?" },
);

export const conclude = loopTool(
  CONCLUDE,
  "Records what the investigation found; call it once, when you know enough or know that you will not. " +
    'For example {"severity": "high", "cause": "Release v1.5 removed the retry of payments.", "findings": ["Error rate 4.1 % since 10:02"], "summary": "..."}. ' +
    "Gives {recorded}; then answer in a few sentences. Not for guesses: leave the cause out when it was not found.",
  {
    type: "object",
    properties: {
      cause: { type: "string", minLength: 1, maxLength: 2000, description: "What the alert comes from. Left out: it was not found." },
      severity: { type: "string", enum: [...SEVERITIES] },
      findings: {
        type: "array",
        maxItems: 64,
        items: { type: "string", minLength: 1, maxLength: 2000 },
        description: "What the evidence shows, one fact each, with its figures.",
      },
      summary: { type: "string", minLength: 1, maxLength: 4000, description: "The whole in a few sentences." },
    },
    required: ["severity", "findings", "summary"],
    additionalProperties: false,
  },
);

export const recallTool = loopTool(
  RECALL,
  "Reads a part of a tool's result that was too long to be shown at once; what was given instead of it names the keys. " +
    'For example {"key": "session/.../tool-search-...-chunk2"}, or the key that ends in -index for an outline. ' +
    "Gives the text of the part as it is. Not for anything that no index has named; what is kept there is gone after a while.",
  {
    type: "object",
    properties: { key: { type: "string", minLength: 1, maxLength: 512, description: "A key as the index gives it." } },
    required: ["key"],
    additionalProperties: false,
  },
);

const LOOP_TOOLS: readonly LoopTool[] = [
  { registration: askUser, offeredBy: (profile) => profile.askUser },
  { registration: conclude, offeredBy: ({ report }) => report?.kind === "conclusion" },
  // The tool is offered only if there is something to read. Otherwise the model could choose it wrongly.
  { registration: recallTool, offeredBy: (_, conversation) => conversation?.workingMemory === true },
];

/** The names of the tools that no worker serves. */
export const LOOP_TOOL_NAMES: readonly string[] = LOOP_TOOLS.map(({ registration }) => registration.definition.name);

/**
 * Returns the tools that a run of this profile can call: those from the registry, and the loop's own. The loop's own tool wins if both have the same
 * name.
 */
export function withLoopTools(
  tools: ReadonlyMap<string, Registration>,
  profile: Profile,
  conversation?: Pick<ConversationState, "workingMemory">,
): ReadonlyMap<string, Registration> {
  return new Map([
    ...tools,
    ...loopToolsOf(profile, conversation).map((registration) => [registration.definition.name, registration] as const),
  ]);
}

export function loopToolsOf(profile: Profile, conversation?: Pick<ConversationState, "workingMemory">): readonly Registration[] {
  return LOOP_TOOLS.filter((tool) => tool.offeredBy(profile, conversation)).map((tool) => tool.registration);
}

/** Returns true if this registration is one of the loop's own tools. A worker's tool of the same name is not. */
export function isLoopTool(registration: Registration | undefined): boolean {
  return LOOP_TOOLS.some((tool) => tool.registration === registration);
}

function loopTool(name: string, description: string, parameters: JsonObject, example?: JsonObject): Registration {
  const definition: ToolDefinition = {
    name,
    version: "1",
    description,
    parameters,
    kind: "compute",
    risk: { tier: "low" },
    idempotency: { mode: "none" },
    timeoutMs: 1,
    source: "agent",
  };
  const reported = example === undefined ? {} : { example: JSON.stringify(example) };
  return { toolset: "agent", definition, hash: toolHash(definition), registeredAt: 0, lastSeenAt: 0, ...reported };
}
