import { callsMade } from "../chat/calls-made.ts";
import { openConversation, sendMessage } from "../chat/send-message.ts";
import { readMessages } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { followRun } from "../runs/follow-run.ts";
import { messageIn, runScreen } from "../runs/run-screen.ts";
import { keyboard } from "../terminal/keyboard.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { findTool } from "./find-tool.ts";

/** The profile whose model only calls the tool that a message names. */
const DIRECT = "direct";

/**
 * Calls one tool in a new conversation, through an agent. The call goes over the bus, and a write needs its grant. Waits for the result
 * and prints all of it.
 */
export async function callTool(context: Context, name: string, typedArguments: string): Promise<ExitCode> {
  const args = parsedArguments(typedArguments);
  const { output, around, options, signal, colour } = context;
  const { newId, now, stdin, stderr, interrupts } = around;
  const gateway = await context.gateway();
  const versions = await findTool(gateway, name);
  const [tool] = versions;
  if (tool.forbidden !== undefined && versions.every(({ forbidden }) => forbidden !== undefined))
    throw new Failure(EXIT.notAllowed, `${tool.forbidden} Use a key that may.`);
  const conversationId = await openConversation(gateway, DIRECT, newId);
  const { runId } = await sendMessage(gateway, { conversationId, text: `${tool.name} ${JSON.stringify(args)}` }, newId);
  const made = callsMade();
  const { end, interrupted } = await followRun({
    gateway,
    runId,
    screen: runScreen({ progress: output.err, text: null, colour, quiet: options.quiet, reasons: false }),
    signal,
    now,
    onItem: made.onItem,
    ...(stdin.isTTY && !output.json ? { keyboard: keyboard({ input: stdin, output: stderr, onInterrupt: interrupts.press }) } : {}),
    interrupts,
  });
  const call = made.calls().find((one) => one.tool === tool.name);
  if (!call) {
    const why = end.type === "run.completed" ? end.text : end.type === "run.failed" ? end.message : `It was cancelled by ${end.by}.`;
    throw new Failure(interrupted ? EXIT.interrupted : EXIT.failed, `The tool was not called: ${why.split("\n")[0] ?? ""}`);
  }
  const content = await wholeContent(gateway, conversationId, call.callId, call.content);
  if (output.json)
    output.document({ runId, callId: call.callId, tool: call.tool, status: call.status, content, latencyMs: call.latencyMs });
  else if (call.status === "ok") output.lines([safeText(content)]);
  else {
    const why = messageIn(content) || content;
    output.err.write(`${safeText(why)}\n`);
    // The sentence speaks to a model, which cannot enable a write.
    if (/^The policy refuses this write: .* is (?:not enabled|switched off)/.test(why))
      output.note(`To enable it: ${SELF} tools enable ${tool.name}`);
  }
  if (call.status === "ok") return EXIT.ok;
  return interrupted ? EXIT.interrupted : EXIT.failed;
}

/** Parses the typed arguments. Throws a Failure if they are not a JSON object. */
export function parsedArguments(typed: string): object {
  let value: unknown;
  try {
    value = JSON.parse(typed);
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : "";
    throw new Failure(
      EXIT.usage,
      `The arguments are not JSON (${why}): give an object in single quotes, such as '{"release_id": "v1.5.0"}'.`,
    );
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Failure(EXIT.usage, `The arguments are JSON but not an object: name each one, such as '{"release_id": "v1.5.0"}'.`);
}

/** Returns the result from the conversation, because the stream truncates long results. */
async function wholeContent(gateway: Client, conversationId: string, callId: string, streamed: string): Promise<string> {
  const { messages } = readMessages(await gateway.get(`/v1/conversations/${conversationId}/messages?limit=20`));
  return messages.find((message) => message.role === "tool" && message.metadata.callId === callId)?.content ?? streamed;
}
