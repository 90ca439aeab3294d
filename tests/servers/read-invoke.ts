import { attributes, callIdOf, type Message, message, messageIds, messageTypes, topics } from "@toolbus/contracts";

/** Returns the message with which an agent "tester" calls a read without arguments. */
export function readInvoke({ toolset, tool }: { readonly toolset: string; readonly tool: string }): Message {
  const id = callIdOf("rn_03_01ARZ3NDEKTSV4RRFFQ69G5FAV", 1, 0);
  return message({
    id: messageIds.invoke(id, 1),
    topic: topics.invoke(toolset),
    type: messageTypes.toolInvoke,
    source: "agent.tester",
    now: Date.now(),
    correlationId: id,
    replyTo: topics.result("tester"),
    attributes: { [attributes.dispatch]: 1, [attributes.callSecret]: "secret", [attributes.agent]: "tester" },
    body: { toolCallId: id, toolName: tool, arguments: "{}", sessionId: "cv_03_01ARZ3NDEKTSV4RRFFQ69G5FAV" },
  });
}
