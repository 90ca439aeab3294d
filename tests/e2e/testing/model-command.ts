// A command that answers as the models of the stand-in servers do. It reads the prompt as JSON and writes the next turn as JSON.
import { text } from "node:stream/consumers";
import { type Asked, type AskedMessage, chatBrain, investigationBrain } from "@toolbus/model-servers";

interface Prompt {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly AskedMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: Asked["tools"][number]["schema"] }[];
  readonly toolChoice: "auto" | "none" | "required" | { readonly tool: string };
  readonly parallelCalls: boolean;
  readonly maxTokens: number;
}

const prompt = JSON.parse(await text(process.stdin)) as Prompt;
const { tools, toolChoice } = prompt;
const asked: Asked = {
  ...prompt,
  tools: tools.map(({ name, description, parameters }) => ({ name, description, schema: parameters, strict: false })),
  toolChoice: typeof toolChoice === "string" ? toolChoice : { name: toolChoice.tool },
};
// The system prompt shows whether this is the investigation.
const think = prompt.system.includes("investigate one software release") ? investigationBrain() : chatBrain();
const { text: said = "", calls = [] } = think(asked);
process.stdout.write(JSON.stringify({ text: said, calls: calls.map(({ name, arguments: args }) => ({ name, arguments: args })) }));
